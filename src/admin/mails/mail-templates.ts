import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import {
  type MailData,
  type MailKind,
  type MailTemplate,
  mailKinds,
  mailLanguages,
  type RenderedMail,
} from '../../../contract/mails.ts';
import type { MailSettings } from '../../../contract/settings-mail.ts';
import { readMailLook } from '../../accounts/messages/mails.ts';
import { type MailToRender, renderMail, templateError, templateValues, translationsOf } from '../../mail/render.ts';
import { isStandardLanguage, standardTemplate } from '../../mail/standard-templates.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';
import { siteOf } from './mails.ts';

const showMailTemplates = adminCall({
  route: 'GET /apps/:ref/mail-templates',
  least: 'reader',
  summary: "Returns the app's templates with their errors, and the standard templates.",
  returns: 'MailTemplate[]',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const { mail } = await app.settings();
    return json(mailKinds.map((kind) => templateOf(kind, mail)));
  },
});

function templateOf(kind: MailKind, settings: MailSettings): MailTemplate {
  const keys = { subject: `mailer_subjects_${kind}`, body: `mailer_templates_${kind}` } as const;
  const subjects = translationsOf(settings[keys.subject]);
  const bodies = translationsOf(settings[keys.body]);
  const languages = [...new Set([...Object.keys(subjects), ...Object.keys(bodies)])];
  const errors = languages.flatMap((language) => {
    const error = templateError({
      ...(subjects[language] !== undefined && { subject: subjects[language] }),
      ...(bodies[language] !== undefined && { body: bodies[language] }),
    });
    return error === null ? [] : [[language, error]];
  });
  return {
    ...{ kind, subject_key: keys.subject, body_key: keys.body, subjects, bodies },
    standard: Object.fromEntries(
      mailLanguages.map((language) => [language, standardTemplate(kind, language)]),
    ) as MailTemplate['standard'],
    variables: Object.keys(templateValues(example(kind, 'en', sampleLook), 'https://example.com', 'en')).map((name) =>
      name === 'Data' ? '.Data.name' : `.${name}`,
    ),
    errors: Object.fromEntries(errors),
  };
}

const previewMail = adminCall({
  route: 'POST /apps/:ref/mail-templates/preview',
  least: 'developer',
  summary: "Renders a mail with sample values from the given texts or the app's templates.",
  returns: 'RenderedMail',
  body: z.strictObject({
    kind: z.enum(mailKinds),
    language: z.string().regex(/^[\w-]{2,35}$/),
    subject: z.string().max(limits.settingBytes.default).optional(),
    body: z.string().max(limits.settingBytes.default).optional(),
  }),
  handle: async ({ context, ref, body: asked }) => {
    const app = await openApp(context, ref);
    const [{ mail }, look] = await Promise.all([app.settings(), readMailLook(app.database)]);
    const standard = standardTemplate(asked.kind, isStandardLanguage(asked.language) ? asked.language : 'en');
    const settings: MailSettings = {
      ...mail,
      ...(asked.subject !== undefined && { [`mailer_subjects_${asked.kind}`]: asked.subject || standard.subject }),
      ...(asked.body !== undefined && { [`mailer_templates_${asked.kind}`]: asked.body || standard.body }),
    };
    const rendered: RenderedMail = renderMail(
      example(asked.kind, asked.language, look),
      settings,
      await siteOf(context, app),
    );
    return json(rendered);
  },
});

/** The values of a sample mail about notifications. */
const sampleActivity: MailData = {
  Items: [
    {
      ...{ Kind: 'mention', Who: 'Jonas Weber', Title: 'Reports are off by an hour' },
      ...{ Quote: '@Ada was this the time zone?', URL: 'https://example.com/account/notifications/1' },
    },
    {
      ...{ Kind: 'assignment', Who: 'Ruth Okoye', Title: 'Export stops at 10,000 rows' },
      URL: 'https://example.com/account/notifications/2',
    },
  ],
  ChoicesURL: 'https://example.com/account/notifications/choices',
};

const sampleLook = { App: 'Helpdesk', Accent: '#1f6feb' };

/** Returns a mail with sample values. */
function example(kind: MailKind, language: string, look: Pick<MailData, 'App' | 'Accent'>): MailToRender {
  const isFlow = !kind.endsWith('_notification');
  const link = 'https://example.com/confirm';
  return {
    kind,
    recipient: 'ada@example.com',
    email: 'ada@example.com',
    metadata: { name: 'Ada', locale: language },
    acceptLanguage: null,
    data: {
      ...look,
      ...(isFlow && { Token: '123456' }),
      ...(isFlow && kind !== 'reauthentication' && { ConfirmationURL: link, TokenHash: 'made-up', RedirectTo: link }),
      ...(kind === 'email_change' && { NewEmail: 'ada@example.org' }),
      ...(kind === 'email_changed_notification' && { OldEmail: 'ada@example.net' }),
      ...(kind === 'phone_changed_notification' && { Phone: '+49 30 000000', OldPhone: '+49 30 111111' }),
      ...(kind.startsWith('identity_') && { Provider: 'GitHub' }),
      ...(kind.startsWith('mfa_') && { FactorType: 'TOTP' }),
      ...(kind.startsWith('passkey_') && { Passkey: 'Laptop' }),
      ...(kind === 'new_device_notification' && { Device: 'Firefox on Linux', Address: '192.0.2.7' }),
      ...(kind === 'activity_notification' && sampleActivity),
    },
  };
}

export const mailTemplateCalls: readonly AdminCall[] = [showMailTemplates, previewMail];
