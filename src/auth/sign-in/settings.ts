import type { Reply } from '../../../contract/call-request.ts';
import { providerNames } from '../../../contract/providers.ts';
import type { AuthContext } from '../context.ts';
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

/** Handles GET /settings: returns the enabled sign-in methods. */
export function showSettings(context: AuthContext): Reply {
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
}
