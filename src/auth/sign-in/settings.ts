import { providerNames } from '../../../contract/providers.ts';
import { authCall } from '../call.ts';
import { json } from '../reply.ts';

/**
 * Providers that GoTrue knows and this server does not. They are listed as disabled, because clients read the value of
 * every provider.
 */
const PROVIDERS_OFF = [
  'bitbucket',
  'figma',
  'fly',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'slack',
  'slack_oidc',
  'snapchat',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'zoom',
];

export const showSettings = authCall({
  id: 'auth.settings',
  route: 'GET /settings',
  caller: 'anyone',
  errors: [],
  summary: 'Which ways to sign in the app has switched on.',
  returns: 'external, disable_signup, mailer_autoconfirm …',
  handle: (context) => {
    const { settings } = context;
    return json({
      external: {
        ...Object.fromEntries(PROVIDERS_OFF.map((provider) => [provider, false])),
        ...Object.fromEntries(providerNames.map((name) => [name, settings[`external_${name}_enabled`]])),
        email: settings.external_email_enabled,
        phone: settings.external_phone_enabled,
        anonymous_users: settings.external_anonymous_users_enabled,
      },
      disable_signup: settings.disable_signup,
      mailer_autoconfirm: settings.mailer_autoconfirm,
      phone_autoconfirm: settings.sms_autoconfirm,
      sms_provider: settings.sms_provider ?? '',
      saml_enabled: false,
      saml_private_key_next_configured: false,
      passkeys_enabled: settings.passkey_enabled,
    });
  },
});
