import { limits } from './limits.ts';
import type { Setting } from './settings.ts';

/** The services through which an app can send SMS. `webhook` exists only in Ninefold, the others also in GoTrue. */
export const smsProviders = ['twilio', 'webhook'] as const;

export type SmsProvider = (typeof smsProviders)[number];

/**
 * The settings of phone numbers and SMS, with the names of GoTrue's configuration in lower case. The value of a
 * template is the template itself. `sms_webhook_url`, `sms_twilio_api_url`, `rate_limit_sms_network` and
 * `rate_limit_sms_number` exist only in Ninefold.
 */
export interface PhoneSettings {
  external_phone_enabled: boolean;
  sms_autoconfirm: boolean;
  sms_provider: SmsProvider | null;
  sms_webhook_url: string | null;
  sms_twilio_account_sid: string | null;
  sms_twilio_message_service_sid: string | null;
  sms_twilio_api_url: string;
  sms_template: string;
  sms_otp_exp: number;
  sms_otp_length: number;
  sms_max_frequency: number;
  sms_test_otp: Readonly<Record<string, string>>;
  sms_test_otp_valid_until: string | null;
  rate_limit_sms_sent: number;
  rate_limit_sms_network: number;
  rate_limit_sms_number: number;
  mfa_phone_enroll_enabled: boolean;
  mfa_phone_verify_enabled: boolean;
  mfa_phone_otp_length: number;
  mfa_phone_template: string;
  mfa_phone_max_frequency: number;
}

const TEMPLATE = 'Your code is {{ .Code }}';

export const phoneSettings: { readonly [K in keyof PhoneSettings]: Setting<PhoneSettings[K]> } = {
  external_phone_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether members can sign up and sign in with a phone number: by a code in a text, or with a password.',
  },
  sms_autoconfirm: {
    default: false,
    type: 'true or false',
    meaning: 'Whether a new phone number counts as confirmed at once, so that it needs no code.',
  },
  sms_provider: {
    default: null,
    type: 'twilio, webhook, or null to store texts on the page Mail',
    values: [...smsProviders, null],
    meaning: 'The provider that sends the app’s texts. Without one, texts are stored on the page Mail.',
  },
  sms_webhook_url: {
    default: null,
    type: 'https URL, or null',
    meaning: 'The address that gets each text by a signed POST, with the provider webhook.',
  },
  sms_twilio_account_sid: {
    default: null,
    type: 'text, or null',
    meaning: 'The account SID at Twilio.',
  },
  sms_twilio_message_service_sid: {
    default: null,
    type: 'SID of a messaging service or a phone number, or null',
    meaning: 'The messaging service or the phone number at Twilio from which texts are sent.',
  },
  sms_twilio_api_url: {
    default: 'https://api.twilio.com',
    type: 'https URL',
    meaning: 'The address of Twilio’s API; other regions have other addresses.',
  },
  sms_template: {
    default: TEMPLATE,
    type: 'text',
    meaning: 'The text with a code to sign in or to confirm a number; {{ .Code }} is the code.',
  },
  sms_otp_exp: {
    default: limits.textCodeSeconds.default,
    type: 'whole number of seconds, 30 to 86400',
    meaning: 'How long a code in a text is valid.',
  },
  sms_otp_length: {
    default: limits.textCodeDigits.default,
    type: 'whole number of digits, 6 to 10',
    meaning: 'How many digits a code in a text has.',
  },
  sms_max_frequency: {
    default: limits.textPauseSeconds.default,
    type: 'whole number of seconds, 0 to 3600',
    meaning: 'How long after a text to a number the next one of its kind can be asked for.',
  },
  sms_test_otp: {
    default: {},
    type: 'map of phone number to code',
    meaning: 'Numbers for tests, with their codes: they get no text, and their code is always the same.',
  },
  sms_test_otp_valid_until: {
    default: null,
    type: 'ISO 8601 time, or null for ever',
    meaning: 'Until when the numbers for tests have their codes.',
  },
  rate_limit_sms_sent: {
    default: limits.textsPerHour.default,
    type: 'whole number of texts, 1 to 10000',
    meaning: limits.textsPerHour.meaning,
  },
  rate_limit_sms_network: {
    default: limits.textsPerNetwork.default,
    type: 'whole number of texts, 1 to 10000',
    meaning: limits.textsPerNetwork.meaning,
  },
  rate_limit_sms_number: {
    default: limits.textsPerNumber.default,
    type: 'whole number of texts, 1 to 10000',
    meaning: limits.textsPerNumber.meaning,
  },
  mfa_phone_enroll_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether members can add a phone number as a second factor.',
  },
  mfa_phone_verify_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether members can use a phone number as a second factor.',
  },
  mfa_phone_otp_length: {
    default: limits.factorCodeDigits.default,
    type: 'whole number of digits, 6 to 10',
    meaning: 'How many digits the code of a second factor in a text has.',
  },
  mfa_phone_template: {
    default: TEMPLATE,
    type: 'text',
    meaning: 'The text with the code of a second factor; {{ .Code }} is the code.',
  },
  mfa_phone_max_frequency: {
    default: limits.factorTextPauseSeconds.default,
    type: 'whole number of seconds, 0 to 3600',
    meaning: 'How long after a text to a second factor the next one can be asked for.',
  },
};

export const phoneSecrets = {
  sms_twilio_auth_token: {
    type: 'text, or null for none',
    meaning: 'The auth token at Twilio; it is never shown.',
  },
  sms_webhook_secret: {
    type: 'secret of standard-webhooks, such as whsec_ and base64, or null for none',
    meaning: 'The secret that signs what the webhook of texts gets; it is never shown.',
  },
} as const;
