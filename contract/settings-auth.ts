import { hookSecrets, hookSettings } from './hooks.ts';
import { accountLimits } from './limits/accounts.ts';
import { factorLimits } from './limits/factors.ts';
import { mailLimits } from './limits/mails.ts';
import { passwordLimits } from './limits/passwords.ts';
import { rateLimits } from './limits/rates.ts';
import { auditLimits } from './limits/records.ts';
import { sessionLimits } from './limits/sessions.ts';
import { providerSecrets, providerSettings } from './providers.ts';
import {
  defaultsOf,
  defineSettings,
  type SecretSetting,
  settingsOf,
  settingsOfEach,
  type ValuesOf,
} from './setting.ts';
import { phoneSecrets, phoneSettings } from './settings-phone.ts';

/** The mails that tell members of a change of their account: name and cause, by the event. */
const notices = {
  passkey_added: ['Passkey added', 'a passkey was added'],
  passkey_removed: ['Passkey removed', 'a passkey was removed'],
  new_device: ['New device', 'somebody signed in from a network that was not seen before'],
  password_changed: ['Password changed', 'their password was changed'],
  email_changed: ['Address changed', 'their e-mail address was changed, at the old address'],
  phone_changed: ['Phone number changed', 'their phone number was changed'],
  identity_linked: ['Sign-in added', 'an account of a provider was linked'],
  identity_unlinked: ['Sign-in removed', 'an account of a provider was unlinked'],
  mfa_factor_enrolled: ['Second factor added', 'a second factor was added'],
  mfa_factor_unenrolled: ['Second factor removed', 'a second factor was removed'],
} as const;

const noticeSettings = settingsOfEach(
  'mailer_notifications_',
  Object.keys(notices) as (keyof typeof notices)[],
  (name) => ({
    _enabled: {
      kind: 'boolean',
      default: true,
      meaning: `Whether members get a mail which says that ${notices[name][1]}.`,
      row: { section: 'notices', label: notices[name][0] },
    },
  }),
);

/**
 * The settings of an app's `/auth/v1`. Names and meanings are those of GoTrue's configuration
 * (https://supabase.com/docs/guides/self-hosting/auth/config, the GOTRUE_ variables in lower case). The settings
 * `rate_limit_sign_in_…` have another meaning: GoTrue counts all calls, Ninefold only failed sign-ins.
 */
export const authSettings = defineSettings({
  site_url: {
    kind: 'text',
    default: null,
    format: 'absolute URL, such as https://app.example, or null while there is no site',
    pattern: /^[a-z][a-z0-9+.-]*:\/\/\S*$/i,
    meaning: 'Where the app’s web site is: links in mails lead there.',
    row: {
      section: 'addresses',
      label: 'Site address',
      effect: 'Members return to it after a link in a mail, if the call names no other address.',
      without: 'The app has no site. A link in a mail leads to the pages for members, on the app’s own address.',
    },
  },
  uri_allow_list: {
    kind: 'list',
    default: [],
    format: 'list of absolute URLs; * stands for any characters but . and /, ** for any characters',
    meaning: 'Where links in mails and sign-ins may lead beside site_url and the app’s own address.',
    row: {
      section: 'addresses',
      label: 'Redirect addresses',
      effect:
        'A sign-in may return only to the site address and these addresses, each with or without an additional slash at the end. * stands for any characters but . and /, ** for any characters.',
    },
  },
  external_email_enabled: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether members can sign up and sign in with an e-mail address and a password.',
    row: {
      section: 'methods',
      label: 'E-mail',
      effect: 'Members sign up and sign in with an e-mail address: by a password, or by a link or a code in a mail.',
      without: 'Members cannot sign up or sign in with an e-mail address.',
    },
  },
  passkey_enabled: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether members can add passkeys and sign in with them.',
    row: {
      section: 'methods',
      label: 'Passkey',
      effect: 'Members can add a passkey, and sign in with their device.',
      without: 'Members cannot add or use passkeys.',
    },
  },
  disable_signup: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether nobody can make an account for themselves; builders still can make accounts.',
    row: {
      section: 'accounts',
      label: 'Sign-up',
      isInverted: true,
      effect: 'Only builders create accounts.',
      without: 'Anyone can create an account.',
    },
  },
  mailer_autoconfirm: {
    kind: 'boolean',
    default: true,
    meaning:
      'Whether the e-mail address of a new account counts as confirmed at once. When it does not, the account waits for the link or the code in a mail.',
    row: {
      section: 'accounts',
      label: 'Automatic confirmation of addresses',
      effect: 'A new address counts as confirmed, so anyone can sign up with the address of another person.',
      without: 'A new address must be confirmed first.',
    },
  },
  mfa_totp_enroll_enabled: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether members can add an authenticator app (TOTP) as a second factor.',
    row: {
      section: 'secondFactor',
      label: 'Adding code apps',
      effect: 'Members can add an authenticator app as a second factor.',
      without: 'Members cannot add an authenticator app.',
    },
  },
  mfa_totp_verify_enabled: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether members can use the codes of an authenticator app.',
    row: {
      section: 'secondFactor',
      label: 'Using code apps',
      effect: 'Codes of an authenticator app are a second factor.',
      without: 'Codes of authenticator apps are refused.',
    },
  },
  mfa_web_authn_enroll_enabled: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether members can add a security key or a device (WebAuthn) as a second factor.',
    row: {
      section: 'secondFactor',
      label: 'Adding security keys',
      effect: 'Members can add a security key or a device as a second factor.',
      without: 'Members cannot add a security key as a second factor.',
    },
  },
  mfa_web_authn_verify_enabled: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether members can use a security key or a device as a second factor.',
    row: {
      section: 'secondFactor',
      label: 'Using security keys',
      effect: 'A security key or a device is a second factor.',
      without: 'Security keys are refused as a second factor.',
    },
  },
  ...phoneSettings,
  external_anonymous_users_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether a visitor can get an account without an address or a password.',
    row: {
      section: 'methods',
      label: 'Anonymous',
      effect: 'Visitors get an account without a name. They can add a sign-in later.',
      without: 'Visitors have no account until they sign up.',
    },
  },
  security_manual_linking_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether members who are signed in can add further sign-ins of providers to their account.',
    row: {
      section: 'accounts',
      label: 'Adding sign-ins',
      effect: 'Members add further sign-ins of providers to their account, and remove them.',
      without: 'Members cannot add a sign-in to their account.',
    },
  },
  mailer_secure_email_change_enabled: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether a change of address must be confirmed at the old address too, not only at the new one.',
    row: {
      section: 'accounts',
      label: 'Change of address',
      effect: 'A new address counts once links at the old and the new address are confirmed.',
      without: 'A new address counts once the link at the new address is confirmed.',
    },
  },
  ...settingsOf(accountLimits),
  ...settingsOf(passwordLimits),
  password_required_characters: {
    kind: 'text',
    default: '',
    format: 'sets of characters with colons between them, such as abc…:ABC…:0123456789; none when empty',
    meaning: 'Sets of characters of each of which a new password must hold one.',
    row: {
      section: 'passwords',
      label: 'Required characters',
      effect: 'A new password must contain a character of each of these sets. Colons separate the sets.',
      without: 'Any characters are allowed.',
    },
  },
  password_refuse_common: {
    kind: 'boolean',
    default: true,
    meaning:
      'Whether the 100,000 most common passwords, and the names of the app and the account, are refused for new accounts and changes of password.',
    row: {
      section: 'passwords',
      label: 'Common passwords',
      effect: 'The 100,000 most common passwords and the names of the app and the account are refused.',
      without: 'Common passwords are accepted.',
    },
  },
  password_hibp_enabled: {
    kind: 'boolean',
    default: false,
    meaning:
      'Whether new passwords are looked up at Have I Been Pwned, which receives the first five digits of their SHA-1. Leaked passwords are refused.',
    row: {
      section: 'passwords',
      label: 'Leaked passwords',
      effect:
        'New passwords are looked up at Have I Been Pwned, which gets five digits of their hash. Leaked ones are refused.',
      without: 'New passwords are not checked against leaks.',
    },
  },
  security_update_password_require_reauthentication: {
    kind: 'boolean',
    default: true,
    meaning:
      'Whether a new password, address, factor, passkey or identity needs a sign-in of the last 24 hours, the current password, or a code that GET /reauthenticate mails.',
    row: {
      section: 'passwords',
      label: 'Change of a password',
      effect:
        'A new password, address, factor, passkey or identity needs the current password, a code, or a sign-in of the last 24 hours.',
      without:
        'Every session of an account can change its password and address, and add factors, passkeys and identities.',
    },
  },
  ...settingsOf(factorLimits),
  webauthn_rp_id: {
    kind: 'text',
    default: null,
    format: 'domain, or null for the app’s own host name',
    meaning: 'The domain that passkeys and security keys belong to. After a change the existing ones no longer work.',
    row: {
      section: 'passkeys',
      label: 'Domain of passkeys',
      effect: 'Passkeys belong to this domain. After a change the existing ones no longer work.',
      without: 'Passkeys belong to the app’s own host name.',
    },
  },
  webauthn_rp_display_name: {
    kind: 'text',
    default: null,
    format: 'text, or null for the app’s ref',
    meaning: 'The name that a device shows when a passkey is made.',
    row: { section: 'passkeys', label: 'Name on devices' },
  },
  webauthn_rp_origins: {
    kind: 'list',
    default: [],
    format: 'list of origins, such as https://app.example.org; the app’s own origin when empty',
    meaning: 'The origins of the pages that may use passkeys and security keys.',
    row: {
      section: 'passkeys',
      label: 'Pages with passkeys',
      effect: 'Pages of these origins use passkeys.',
      without: 'Only pages of the app’s own origin use passkeys.',
    },
  },
  ...settingsOf(sessionLimits),
  sessions_single_per_user: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether a sign-in ends all earlier sessions of the same account.',
    row: {
      section: 'sessions',
      label: 'One session per member',
      effect: 'A new sign-in ends the other sessions of the member.',
      without: 'A member can be signed in on several devices.',
    },
  },
  external_jwt_issuers: {
    kind: 'list',
    default: [],
    format: 'list of texts, each an issuer, the https address of its JWKS and an audience or none, with blanks between',
    pattern: /^\S{1,500} https?:\/\/\S{1,500}(?: \S{1,200})?$/,
    meaning:
      'The third parties whose access tokens the data calls accept, such as Clerk, Auth0 or Firebase. Keys are fetched from public addresses. Such a token may have any role but service_role.',
    row: {
      section: 'sessions',
      label: 'Other issuers',
      effect:
        'Data calls take tokens of these issuers too. A line is an issuer, the address of its JWKS, and its audience if it has one.',
      without: 'Data calls take tokens of this app alone.',
    },
  },
  ...settingsOf(rateLimits),
  ...settingsOf(mailLimits),
  ...noticeSettings,
  oauth_server_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether the app is a provider of OpenID Connect: other applications can sign members in with it.',
    row: {
      section: 'provider',
      label: 'OpenID provider',
      effect: 'Other applications can sign members in with this app.',
      without: 'No other application signs members in with this app.',
    },
  },
  oauth_server_allow_dynamic_registration: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether any application can register itself with the app; otherwise builders register applications.',
    row: {
      section: 'provider',
      label: 'Registration',
      effect: 'Any application can register itself. Members still decide which ones they allow.',
      without: 'Only builders register applications.',
    },
  },
  oauth_server_authorization_path: {
    kind: 'text',
    default: null,
    format: 'path below site_url that starts with /, or null for /account/consent among the pages for members',
    meaning: 'The page where members allow an application to sign them in; it gets authorization_id in its query.',
    row: { section: 'provider', label: 'Page for consent' },
  },
  ...providerSettings,
  ...hookSettings,
  audit_log_disable_postgres: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether events of accounts are left out of auth.audit_log_entries.',
    row: {
      section: 'audit',
      label: 'Audit log in the database',
      effect: 'Events of members are not stored.',
      without: 'Events of members are stored in auth.audit_log_entries.',
    },
  },
  ...settingsOf(auditLimits),
});

export type AuthSettings = ValuesOf<typeof authSettings>;

/** All settings with their default values. */
export const defaultAuthSettings = defaultsOf(authSettings);

/**
 * The settings whose values are secret, such as passwords and client secrets. The settings call writes them, the
 * database stores them encrypted with the node's master key, and no call returns them.
 */
export const authSecrets = {
  smtp_pass: {
    format: 'text, or null for none',
    meaning: 'The password for the mail server; it is never shown.',
  },
  ...providerSecrets,
  ...hookSecrets,
  ...phoneSecrets,
} as const satisfies Record<string, SecretSetting>;

export type AuthSecret = keyof typeof authSecrets;
