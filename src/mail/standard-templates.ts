import { type MailKind, type MailLanguage, mailLanguages } from '../../contract/mails.ts';
import { directionOf } from './language.ts';
import { ar } from './standard/ar.ts';
import { de } from './standard/de.ts';
import { en } from './standard/en.ts';
import type { LanguageWords, MailWords } from './standard/words.ts';

const words: Readonly<Record<MailLanguage, LanguageWords>> = { en, de, ar };

/** The subject and body of a mail, in the template language. */
export interface TemplateSource {
  readonly subject: string;
  readonly body: string;
}

/** Returns Ninefold's standard template for a kind of mail. */
export function standardTemplate(kind: MailKind, language: MailLanguage): TemplateSource {
  const of = words[language][kind];
  return { subject: of.subject, body: bodyOf(of, language) };
}

/** Returns true if there are standard templates in this language. */
export const isStandardLanguage = (language: string): language is MailLanguage =>
  (mailLanguages as readonly string[]).includes(language);

const TEXT = 'margin: 0 0 16px; font-size: 16px; line-height: 24px';
const BUTTON =
  'display: inline-block; padding: 10px 18px; border-radius: 6px; background: #1f3a5f; color: #ffffff; text-decoration: none; font-size: 16px';
const CODE = 'margin: 0 0 16px; font: 600 24px/32px ui-monospace, monospace; letter-spacing: 4px';
const SMALL = 'margin: 24px 0 0; font-size: 13px; line-height: 20px; color: #5b6470';

function bodyOf({ title, text, button, code, unexpected }: MailWords, language: MailLanguage): string {
  const direction = directionOf(language);
  const side = direction === 'rtl' ? 'right' : 'left';
  return [
    '<!doctype html>',
    `<html lang="${language}" dir="${direction}">`,
    `<body style="margin: 0; padding: 24px; background: #ffffff; color: #1b1f24; font-family: system-ui, sans-serif; text-align: ${side}">`,
    '<div style="max-width: 520px; margin: 0 auto">',
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
    '</div>',
    '</body>',
    '</html>',
  ].join('\n');
}
