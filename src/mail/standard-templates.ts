import { type MailKind, type MailLanguage, mailLanguages } from '../../contract/mails.ts';
import { notificationKinds } from '../../contract/notifications.ts';
import { directionOf } from './language.ts';
import { ar, arActivity } from './standard/ar.ts';
import { de, deActivity } from './standard/de.ts';
import { en, enActivity } from './standard/en.ts';
import type { ActivityWords, LanguageWords, MailWords } from './standard/words.ts';

const words: Readonly<Record<MailLanguage, LanguageWords>> = { en, de, ar };
const activityWords: Readonly<Record<MailLanguage, ActivityWords>> = { en: enActivity, de: deActivity, ar: arActivity };

/** The subject and body of a mail, in the template language. */
export interface TemplateSource {
  readonly subject: string;
  readonly body: string;
}

/** Returns Ninefold's standard template for a kind of mail. */
export function standardTemplate(kind: MailKind, language: MailLanguage): TemplateSource {
  if (kind === 'activity_notification') return activityTemplate(activityWords[language], language);
  const of = words[language][kind];
  return { subject: of.subject, body: bodyOf(of, language) };
}

/** Returns true if there are standard templates in this language. */
export const isStandardLanguage = (language: string): language is MailLanguage =>
  (mailLanguages as readonly string[]).includes(language);

const TEXT = 'margin: 0 0 16px; font-size: 16px; line-height: 24px';
const ACCENT = '{{ if $.Accent }}{{ $.Accent }}{{ else }}#1f3a5f{{ end }}';
const ON_ACCENT = '{{ if $.OnAccent }}{{ $.OnAccent }}{{ else }}#ffffff{{ end }}';
const BUTTON = `display: inline-block; padding: 10px 18px; border-radius: 6px; text-decoration: none; font-size: 16px; background: ${ACCENT}; color: ${ON_ACCENT}`;
const CODE = 'margin: 0 0 16px; font: 600 24px/32px ui-monospace, monospace; letter-spacing: 4px';
/** The name of the app above a line in its accent colour. */
const APP_LINE = `{{ with .App }}<p style="margin: 0 0 20px; padding: 0 0 8px; border-bottom: 3px solid ${ACCENT}; font-size: 14px; line-height: 20px; font-weight: 600">{{ . }}</p>{{ end }}`;
const SMALL = 'margin: 24px 0 0; font-size: 13px; line-height: 20px; color: #5b6470';

function bodyOf({ title, text, button, code, unexpected }: MailWords, language: MailLanguage): string {
  const side = sideOf(language);
  return [
    ...startOf(language),
    APP_LINE,
    `<h1 style="margin: 0 0 16px; font-size: 22px; line-height: 28px">${title}</h1>`,
    `<p style="${TEXT}">${text}</p>`,
    ...(button === undefined
      ? []
      : [`<p style="${TEXT}"><a href="{{ .ConfirmationURL }}" style="${BUTTON}">${button}</a></p>`]),
    ...(code === undefined
      ? []
      : [
          '{{ if .Token }}',
          ...(code === '' ? [] : [`<p style="${TEXT}">${code}</p>`]),
          `<p dir="ltr" style="${CODE}; text-align: ${side}">{{ .Token }}</p>`,
          '{{ end }}',
        ]),
    `<p style="${SMALL}">${unexpected}</p>`,
    ...END,
  ].join('\n');
}

const sideOf = (language: MailLanguage): 'left' | 'right' => (directionOf(language) === 'rtl' ? 'right' : 'left');

const startOf = (language: MailLanguage): string[] => [
  '<!doctype html>',
  `<html lang="${language}" dir="${directionOf(language)}">`,
  `<body style="margin: 0; padding: 24px; background: #ffffff; color: #1b1f24; font-family: system-ui, sans-serif; text-align: ${sideOf(language)}">`,
  '<div style="max-width: 520px; margin: 0 auto">',
];

const END = ['</div>', '</body>', '</html>'];

const ITEM = 'margin: 0 0 4px; font-size: 16px; line-height: 24px; font-weight: 600';
const QUOTE = 'margin: 0 0 8px; font-size: 16px; line-height: 24px; color: #3b424c';

/** Returns the template of the mail about notifications: a list with a sentence, the quoted text and a link of each. */
function activityTemplate(words: ActivityWords, language: MailLanguage): TemplateSource {
  const state = `{{ with index .States "${language}" }}{{ . }}{{ else }}{{ .State }}{{ end }}`;
  const sentence = (pattern: string): string =>
    pattern
      .replace('WHO', `{{ with .Who }}{{ . }}{{ else }}${words.somebody}{{ end }}`)
      .replace('TITLE', `{{ with .Title }}{{ . }}{{ else }}${words.aRow}{{ end }}`)
      .replace('STATE', state);
  const [first, ...others] = notificationKinds.map((kind) => [kind, sentence(words.sentences[kind])] as const);
  const text = `{{ if eq .Kind "${first?.[0]}" }}${first?.[1]}${others
    .map(([kind, of]) => `{{ else if eq .Kind "${kind}" }}${of}`)
    .join('')}{{ end }}`;
  return {
    subject: `{{ if eq (len .Items) 1 }}{{ range .Items }}${text}{{ end }}{{ else }}${words.severalSubject}{{ with .App }} · {{ . }}{{ end }}{{ end }}`,
    body: [
      ...startOf(language),
      APP_LINE,
      '{{ range .Items }}',
      `<p style="${ITEM}">${text}</p>`,
      `{{ with .When }}<p style="${QUOTE}">{{ . }}</p>{{ end }}`,
      `{{ with .Quote }}<p style="${QUOTE}">“{{ . }}”</p>{{ end }}`,
      `<p style="${TEXT}"><a href="{{ .URL }}" style="${BUTTON}">${words.open}</a></p>`,
      '{{ end }}',
      `<p style="${SMALL}"><a href="{{ .ChoicesURL }}" style="color: #5b6470">${words.choices}</a></p>`,
      ...END,
    ].join('\n'),
  };
}
