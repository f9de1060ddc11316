import type { Limit } from './limit.ts';

/** Mails to members. */
export const mailLimits = {
  mailsPerHour: {
    group: 'mails',
    unit: 'count',
    default: 30,
    meaning:
      'Mails of one app that its mail server gets in any hour. Further ones wait. Mails that are kept do not count.',
    setting: 'rate_limit_email_sent',
    range: [1, 10_000],
  },
  mailAttempts: {
    group: 'mails',
    unit: 'count',
    default: 8,
    meaning: 'How often a mail is tried. After it the mail counts as failed.',
  },
  mailFirstPauseSeconds: {
    group: 'mails',
    unit: 'seconds',
    default: 30,
    meaning: 'The pause after the first attempt of a mail. Each further pause is four times as long.',
  },
  mailLongestPauseSeconds: {
    group: 'mails',
    unit: 'seconds',
    default: 14_400,
    meaning: 'The longest pause between two attempts of a mail.',
  },
  mailSendMilliseconds: {
    group: 'mails',
    unit: 'milliseconds',
    default: 30_000,
    meaning: 'How long one attempt may take, from the connection to the response of the mail server.',
  },
  mailClaimMilliseconds: {
    group: 'mails',
    unit: 'milliseconds',
    default: 40_000,
    meaning: 'For how long a mail is reserved for one attempt. After it, another node tries: the first one was killed.',
  },
  appMailConnections: {
    group: 'mails',
    unit: 'count',
    default: 4,
    meaning: 'Connections to the mail server of one app at the same time.',
  },
  nodeMailConnections: {
    group: 'mails',
    unit: 'count',
    default: 32,
    meaning: 'Connections to the mail servers of all apps at the same time. Further mails wait.',
  },
  mailsPerConnection: {
    group: 'mails',
    unit: 'count',
    default: 50,
    meaning: 'Mails that are sent over one connection to a mail server.',
  },
  mailTests: {
    group: 'mails',
    unit: 'count',
    default: 4,
    meaning: 'Tests of mail servers that one worker makes at the same time.',
    code: 'mail_tests_busy',
  },
  mailsWaiting: {
    group: 'mails',
    unit: 'count',
    default: 10_000,
    meaning: 'Mails of one app that wait to be sent. Further ones count as failed.',
  },
  mailsKept: {
    group: 'mails',
    unit: 'count',
    default: 10_000,
    meaning: 'Mails of one app that were sent, failed or kept. The oldest beyond are deleted.',
  },
  mailDays: {
    group: 'mails',
    unit: 'days',
    default: 30,
    meaning: 'How long a mail that was sent, failed or kept is stored.',
  },
  mailsPerPage: {
    group: 'mails',
    unit: 'count',
    default: 50,
    meaning: 'Mails on one page of the list.',
  },
  acceptLanguageCharacters: {
    group: 'mails',
    unit: 'characters',
    default: 200,
    meaning: 'How much of the header Accept-Language is stored with a mail.',
  },
  mailErrorCharacters: {
    group: 'mails',
    unit: 'characters',
    default: 500,
    meaning: 'How much of the response of a mail server is stored.',
  },
  mailCharacters: {
    group: 'mails',
    unit: 'characters',
    default: 262_144,
    meaning: 'The longest mail that a template may make. For a longer one the standard template is used.',
  },
  mailSubjectCharacters: {
    group: 'mails',
    unit: 'characters',
    default: 300,
    meaning: 'The longest subject of a mail. The rest is cut off.',
  },
  mailActionCharacters: {
    group: 'mails',
    unit: 'characters',
    default: 2000,
    meaning: 'The longest text between {{ and }} in a template of a mail.',
  },
  mailTemplateDepth: {
    group: 'mails',
    unit: 'count',
    default: 32,
    meaning: 'How deeply conditions may nest in a template of a mail.',
  },
} as const satisfies Record<string, Limit>;
