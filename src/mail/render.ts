import { textOn } from '../../contract/accent.ts';
import { limits } from '../../contract/limits.ts';
import type { MailData, MailKind, RenderedMail } from '../../contract/mails.ts';
import { mailLanguages } from '../../contract/mails.ts';
import type { Translated } from '../../contract/setting.ts';
import type { MailSettings } from '../../contract/settings-mail.ts';
import { appointmentTime } from './appointments.ts';
import { htmlToText } from './html-to-text.ts';
import { chooseLanguage } from './language.ts';
import { isStandardLanguage, standardTemplate, type TemplateSource } from './standard-templates.ts';
import { Template, TemplateError, type TemplateValues } from './template.ts';

/** A mail before it is rendered. */
export interface MailToRender {
  readonly kind: MailKind;
  readonly recipient: string;
  readonly data: MailData;
  /** Email address of the account; null if there is none. */
  readonly email: string | null;
  /** Metadata that members write themselves. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly acceptLanguage: string | null;
}

/** SQL text: the part of the data of a mail that shows the look of the app. It follows the look until the mail is sent. */
export const mailLook = `coalesce((select pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('App', a.name, 'Accent', a.accent))
  from ninefold.app a), '{}')`;

/** Key of a text that applies to all languages. */
const ALL_LANGUAGES = '*';

/** Returns the texts of a translatable setting by language tag. A plain string gets the key `*`. */
export function translationsOf(value: Translated): Readonly<Record<string, string>> {
  if (value === null) return {};
  return typeof value === 'string' ? { [ALL_LANGUAGES]: value } : value;
}

/**
 * Returns the values that the template of a mail may show.
 * @param language Language of the times of appointments.
 */
export function templateValues(mail: MailToRender, siteUrl: string, language: string): TemplateValues {
  const items = mail.data.Items?.map((item) =>
    item.Appointment ? { ...item, When: appointmentTime(item.Appointment, mail.data.TimeZone, language) } : item,
  );
  return {
    SiteURL: siteUrl,
    ...mail.data,
    ...(items && { Items: items }),
    ...(mail.data.Accent !== undefined && { OnAccent: textOn(mail.data.Accent) }),
    Email: mail.email ?? mail.recipient,
    SendingTo: mail.recipient,
    Data: mail.metadata,
  };
}

/**
 * Renders a mail with the app's own template. If that template is invalid, uses the standard template and returns the
 * reason.
 */
export function renderMail(mail: MailToRender, settings: MailSettings, siteUrl: string): RenderedMail {
  const subjects = translationsOf(settings[`mailer_subjects_${mail.kind}`]);
  const bodies = translationsOf(settings[`mailer_templates_${mail.kind}`]);
  const own = [...Object.keys(subjects), ...Object.keys(bodies)].filter((tag) => tag !== ALL_LANGUAGES);
  const wanted = {
    locale: mail.metadata.locale,
    acceptLanguage: mail.acceptLanguage,
    standard: settings.mailer_language,
  };
  // The languages of the standard templates are also available. Their standard template is used if the app's own
  // template does not have the language.
  const language = chooseLanguage([...own, ...mailLanguages], wanted);
  const standard = standardTemplate(mail.kind, isStandardLanguage(language) ? language : 'en');
  const values = templateValues(mail, siteUrl, language);
  try {
    const source = {
      subject: subjects[language] ?? subjects[ALL_LANGUAGES] ?? standard.subject,
      body: bodies[language] ?? bodies[ALL_LANGUAGES] ?? standard.body,
    };
    return { ...renderTemplate(source, values), language, template_error: null };
  } catch (error) {
    return { ...renderTemplate(standard, values), language, template_error: reasonOf(error) };
  }
}

/**
 * Renders a subject and a body.
 * @throws TemplateError
 */
function renderTemplate(
  { subject, body }: TemplateSource,
  values: TemplateValues,
): Pick<RenderedMail, 'subject' | 'html' | 'text'> {
  const html = new Template(body).html(values);
  const line = new Template(subject).line(values);
  return { subject: line.slice(0, limits.mailSubjectCharacters.default), html, text: htmlToText(html) };
}

/** Returns an error message for an invalid template; null if it is valid. */
export function templateError(source: Partial<TemplateSource>): string | null {
  try {
    for (const text of [source.subject, source.body]) if (text !== undefined) new Template(text);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof TemplateError ? error.message : 'The template cannot be rendered.';
