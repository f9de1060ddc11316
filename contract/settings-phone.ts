import { textLimits } from './limits/texts.ts';
import { defineSettings, settingsOf, type ValuesOf } from './setting.ts';

const TEMPLATE = 'Your code is {{ .Code }}';

/**
 * The settings of phone numbers and SMS, with the names of GoTrue's configuration in lower case. The value of a
 * template is the template itself. `sms_webhook_url`, `sms_twilio_api_url`, `rate_limit_sms_network` and
 * `rate_limit_sms_number` exist only in Ninefold, and so does the provider `webhook`.
 */
export const phoneSettings = defineSettings({
  external_phone_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether members can sign up and sign in with a phone number: by a code in a text, or with a password.',
    row: {
      section: 'methods',
      label: 'Phone',
      effect: 'Members sign up and sign in with a phone number: by a code in a text, or with a password.',
      without: 'Members cannot sign up or sign in with a phone number.',
    },
  },
  sms_autoconfirm: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether a new phone number counts as confirmed at once, so that it needs no code.',
    row: {
      section: 'accounts',
      label: 'Automatic confirmation of numbers',
      effect: 'A new phone number counts as confirmed, so anyone can sign up with the number of another person.',
      without: 'A new phone number must be confirmed by the code in a text.',
    },
  },
  sms_provider: {
    kind: 'choice',
    default: null,
    values: ['twilio', 'webhook', null],
    meaning: 'The provider that sends the app’s texts. Without one, texts are stored on the page Mail.',
  },
  sms_webhook_url: {
    kind: 'text',
    default: null,
    format: 'https URL, or null',
    meaning: 'The address that gets each text by a signed POST, with the provider webhook.',
  },
  sms_twilio_account_sid: {
    kind: 'text',
    default: null,
    format: 'text, or null',
    meaning: 'The account SID at Twilio.',
  },
  sms_twilio_message_service_sid: {
    kind: 'text',
    default: null,
    format: 'SID of a messaging service or a phone number, or null',
    meaning: 'The messaging service or the phone number at Twilio from which texts are sent.',
  },
  sms_twilio_api_url: {
    kind: 'text',
    default: 'https://api.twilio.com',
    format: 'https URL',
    meaning: 'The address of Twilio’s API; other regions have other addresses.',
  },
  sms_template: {
    kind: 'text',
    default: TEMPLATE,
    format: 'text',
    meaning: 'The text with a code to sign in or to confirm a number; {{ .Code }} is the code.',
  },
  sms_test_otp: {
    kind: 'map',
    default: {},
    format: 'map of phone number to code',
    meaning: 'Numbers for tests, with their codes: they get no text, and their code is always the same.',
  },
  sms_test_otp_valid_until: {
    kind: 'text',
    default: null,
    format: 'ISO 8601 time, or null for ever',
    meaning: 'Until when the numbers for tests have their codes.',
  },
  mfa_phone_enroll_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether members can add a phone number as a second factor.',
    row: {
      section: 'secondFactor',
      label: 'Adding phone factors',
      effect: 'Members can add a phone number as a second factor.',
      without: 'Members cannot add a phone number as a second factor.',
    },
  },
  mfa_phone_verify_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether members can use a phone number as a second factor.',
    row: {
      section: 'secondFactor',
      label: 'Using phone factors',
      effect: 'A code in a text is a second factor for members who added their number.',
      without: 'Codes in texts are no second factor.',
    },
  },
  mfa_phone_template: {
    kind: 'text',
    default: TEMPLATE,
    format: 'text',
    meaning: 'The text with the code of a second factor; {{ .Code }} is the code.',
  },
  ...settingsOf(textLimits),
});

export type PhoneSettings = ValuesOf<typeof phoneSettings>;

export const phoneSecrets = {
  sms_twilio_auth_token: {
    format: 'text, or null for none',
    meaning: 'The auth token at Twilio; it is never shown.',
  },
  sms_webhook_secret: {
    format: 'secret of standard-webhooks, such as whsec_ and base64, or null for none',
    meaning: 'The secret that signs what the webhook of texts gets; it is never shown.',
  },
} as const;
