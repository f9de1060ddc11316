import { limitsOf } from './limit.ts';

/** Limits of SMS to members. */
export const textLimits = limitsOf('mails', {
  textCodeSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 60,
    meaning: 'How long a code in a text is valid.',
    setting: 'sms_otp_exp',
    range: [30, 86_400],
    code: 'otp_expired',
  },
  textCodeDigits: {
    group: 'passwords',
    unit: 'count',
    default: 6,
    meaning: 'Digits of a code in a text.',
    setting: 'sms_otp_length',
    range: [6, 10],
  },
  textPauseSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 60,
    meaning: 'Pause between two texts of one kind to a number, whether or not an account has the number.',
    setting: 'sms_max_frequency',
    range: [0, 3600],
    code: 'over_sms_send_rate_limit',
  },
  factorCodeDigits: {
    group: 'factors',
    unit: 'count',
    default: 6,
    meaning: 'Digits of the code of a second factor in a text.',
    setting: 'mfa_phone_otp_length',
    range: [6, 10],
  },
  factorTextPauseSeconds: {
    group: 'factors',
    unit: 'seconds',
    default: 60,
    meaning: 'Pause between two texts to one second factor.',
    setting: 'mfa_phone_max_frequency',
    range: [0, 3600],
    code: 'over_sms_send_rate_limit',
  },
  textsPerHour: {
    unit: 'count',
    default: 30,
    meaning: 'Texts that the app’s provider gets within an hour. Requests that would send a further text are refused.',
    setting: 'rate_limit_sms_sent',
    range: [1, 10_000],
    code: 'over_sms_send_rate_limit',
    wideOnLoopback: true,
  },
  textsPerNetwork: {
    unit: 'count',
    default: 10,
    meaning: 'Texts that one client network (an IPv4 address, an IPv6 /64) requests within an hour.',
    setting: 'rate_limit_sms_network',
    range: [1, 10_000],
    code: 'over_sms_send_rate_limit',
    wideOnLoopback: true,
  },
  textsPerNumber: {
    unit: 'count',
    default: 5,
    meaning:
      'Texts to one number within an hour. A network that the member has signed in from has its own count, so that strangers cannot use it up.',
    setting: 'rate_limit_sms_number',
    range: [1, 10_000],
    code: 'over_sms_send_rate_limit',
    wideOnLoopback: true,
  },
  textWindowSeconds: {
    unit: 'seconds',
    default: 3600,
    meaning: 'Length of the sliding window in which texts are counted.',
  },
  textSendMilliseconds: {
    unit: 'milliseconds',
    default: 10_000,
    meaning: 'How long one attempt to send a text to the provider may take.',
  },
  textAnswerBytes: {
    unit: 'bytes',
    default: 65_536,
    meaning: 'The largest response of a provider of texts.',
  },
  textCharacters: {
    unit: 'characters',
    default: 1600,
    meaning: 'The longest text. For a longer text the standard template is used.',
  },
  appTextRequests: {
    unit: 'count',
    default: 8,
    meaning: 'Concurrent requests of one worker to the provider of texts of one app. Further texts wait in the queue.',
  },
  nodeTextRequests: {
    unit: 'count',
    default: 32,
    meaning:
      'Concurrent requests of one worker to the providers of texts of all apps. Further texts wait in the queue.',
  },
});
