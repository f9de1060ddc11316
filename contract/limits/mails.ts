import { limitsOf } from './limit.ts';

/** Limits of mails to members. */
export const mailLimits = limitsOf('mails', {
  mailsPerHour: {
    unit: 'count',
    noun: 'mails',
    default: 30,
    meaning:
      'Mails of one app that its mail server gets within an hour. Further mails wait. Mails on the page Mail that are not sent do not count.',
    setting: 'rate_limit_email_sent',
    range: [1, 10_000],
  },
  mailAttempts: {
    unit: 'count',
    default: 8,
    meaning: 'Attempts to send a mail. Then the mail counts as failed.',
  },
  mailFirstPauseSeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'The pause after the first attempt of a mail. Each further pause is four times as long.',
  },
  mailLongestPauseSeconds: {
    unit: 'seconds',
    default: 14_400,
    meaning: 'The longest pause between two attempts of a mail.',
  },
  mailSendMilliseconds: {
    unit: 'milliseconds',
    default: 30_000,
    meaning: 'How long one attempt may take, from the connection to the response of the mail server.',
  },
  mailClaimMilliseconds: {
    unit: 'milliseconds',
    default: 40_000,
    meaning:
      'How long a mail is reserved for one attempt. Then another node retries, because the first one was killed.',
  },
  appMailConnections: {
    unit: 'count',
    default: 4,
    meaning: 'Concurrent connections to the mail server of one app.',
  },
  nodeMailConnections: {
    unit: 'count',
    default: 32,
    meaning: 'Concurrent connections to the mail servers of all apps. Further mails wait.',
  },
  mailsPerConnection: {
    unit: 'count',
    default: 50,
    meaning: 'Mails that are sent over one connection to a mail server.',
  },
  mailTests: {
    unit: 'count',
    default: 4,
    meaning: 'Concurrent tests of mail servers in one worker.',
    code: 'mail_tests_busy',
  },
  mailsWaiting: {
    unit: 'count',
    default: 10_000,
    meaning: 'Mails of one app that wait to be sent. Further mails count as failed.',
  },
  mailsKept: {
    unit: 'count',
    default: 10_000,
    meaning: 'Stored mails of one app that were sent, failed or need no sending. Older mails are deleted.',
  },
  mailDays: {
    unit: 'days',
    default: 30,
    meaning: 'How long a mail that was sent, failed or needs no sending is stored.',
  },
  mailsPerPage: {
    unit: 'count',
    default: 50,
    meaning: 'Mails on one page of the list.',
  },
  acceptLanguageCharacters: {
    unit: 'characters',
    default: 200,
    meaning: 'How much of the header Accept-Language is stored with a mail.',
  },
  mailErrorCharacters: {
    unit: 'characters',
    default: 500,
    meaning: 'How much of the response of a mail server is stored.',
  },
  mailCharacters: {
    unit: 'characters',
    default: 262_144,
    meaning: 'The longest mail that a template may produce. For a longer mail the standard template is used.',
  },
  mailSubjectCharacters: {
    unit: 'characters',
    default: 300,
    meaning: 'The longest subject of a mail. The rest is cut off.',
  },
  mailActionCharacters: {
    unit: 'characters',
    default: 2000,
    meaning: 'The longest text between {{ and }} in a template of a mail.',
  },
  mailTemplateItems: {
    unit: 'count',
    default: 1000,
    meaning: 'Items of lists that the template of a mail may repeat.',
  },
  mailTemplateDepth: {
    unit: 'count',
    default: 32,
    meaning: 'How deeply conditions may be nested in a template of a mail.',
  },
});
