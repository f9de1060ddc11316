import { beforeAll, expect, inject, it } from 'vitest';
import { hookNames, type hookSettings } from '../../../contract/hooks.ts';
import { providerNames, type providerSettings } from '../../../contract/providers.ts';
import type { ValuesOf } from '../../../contract/setting.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import type { AuthSettings } from '../../../contract/settings-auth.ts';
import { admin, createApp, runSql } from '../../support/apps.ts';

/**
 * Every setting must appear in a chapter: otherwise a setting could change the app without a trace in its
 * specification.
 */
const node = inject('node');

/** A value other than the default for each setting. A new setting does not compile until it is listed here. */
const values: RestSettings & AuthSettings = {
  db_schemas: ['public', 'shop'],
  db_extra_search_path: ['shop'],
  db_max_rows: 17,
  db_anon_role: null,
  db_pre_request: 'public.check_request',
  db_root_spec: 'public.root',
  db_tx_end: 'rollback-allow-override',
  db_hoisted_tx_settings: ['lock_timeout'],
  db_statement_timeout: 4321,
  db_pool_acquisition_timeout: 12,
  db_aggregates_enabled: true,
  db_plan_enabled: true,
  openapi_mode: 'ignore-privileges',
  openapi_security_active: true,
  openapi_server_proxy_uri: 'https://api.example.org',
  server_timing_enabled: true,
  url_use_legacy_target_names: false,
  client_error_verbosity: 'minimal',
  state_changes_days: 77,
  logs_days: 30,
  logs_requests: 5000,
  logs_traces: 500,
  logs_slow_milliseconds: 250,
  logs_statistics_days: 30,
  logs_error_days: 14,
  request_body_bytes: 2048,
  request_body_bytes_anonymous: 1024,
  jwt_aud: 'desk',
  jwt_role_claim_key: '.app_metadata.role',
  app_settings: { 'app.region': 'north' },
  site_url: 'https://desk.example.org',
  disable_signup: true,
  external_email_enabled: false,
  external_anonymous_users_enabled: true,
  mailer_autoconfirm: false,
  password_min_length: 13,
  jwt_exp: 599,
  security_refresh_token_reuse_interval: 11,
  rate_limit_sign_in_address: 5,
  rate_limit_sign_in_account: 6,
  rate_limit_sign_in_window: 60,

  sessions_timebox: 8640,
  sessions_inactivity_timeout: 7200,
  sessions_single_per_user: true,
  sessions_per_user: 3,
  external_jwt_issuers: ['https://clerk.example https://clerk.example/jwks.json desk'],

  rate_limit_sign_up: 31,
  rate_limit_sign_up_app: 1001,
  rate_limit_oauth_registration: 21,
  rate_limit_anonymous_users: 31,
  rate_limit_anonymous_users_app: 1001,
  rate_limit_token_refresh: 151,
  rate_limit_verify: 31,
  rate_limit_verify_account: 11,
  rate_limit_otp: 31,
  rate_limit_otp_account: 6,
  rate_limit_otp_app: 1001,
  mfa_rate_limit_challenge_and_verify: 16,
  rate_limit_provider: 301,
  rate_limit_passkey: 31,

  uri_allow_list: ['https://*.desk.example.org/**'],

  security_manual_linking_enabled: true,
  ...(Object.fromEntries(
    providerNames.flatMap((name) => [
      [`external_${name}_enabled`, true],
      [`external_${name}_client_id`, 'an-id'],
      [`external_${name}_redirect_uri`, 'https://desk.example.org/auth/v1/callback'],
      [`external_${name}_url`, 'https://login.example.org'],
      [`external_${name}_skip_nonce_check`, true],
      [`external_${name}_email_optional`, true],
    ]),
  ) as ValuesOf<typeof providerSettings>),

  ...(Object.fromEntries(
    hookNames.flatMap((name) => [
      [`hook_${name}_enabled`, true],
      [`hook_${name}_uri`, `pg-functions://postgres/public/${name}`],
    ]),
  ) as ValuesOf<typeof hookSettings>),
  mailer_otp_exp: 600,
  mailer_otp_length: 8,
  mailer_secure_email_change_enabled: false,
  smtp_max_frequency: 30,
  security_update_password_require_reauthentication: false,
  password_required_characters: 'abc:123',
  password_refuse_common: false,
  password_hibp_enabled: true,
  mfa_totp_enroll_enabled: false,
  mfa_totp_verify_enabled: false,
  mfa_max_enrolled_factors: 5,
  mfa_max_verified_factors: 4,
  mfa_factor_expiry_duration: 600,
  mfa_challenge_expiry_duration: 120,
  mfa_web_authn_enroll_enabled: false,
  mfa_web_authn_verify_enabled: false,
  passkey_enabled: false,
  passkey_max_passkeys_per_user: 3,
  webauthn_rp_id: 'example.org',
  webauthn_rp_display_name: 'Desk',
  webauthn_rp_origins: ['https://desk.example.org'],
  webauthn_challenge_expiry_duration: 60,
  rate_limit_second_factor: 7,
  rate_limit_second_factor_window: 77,
  audit_log_disable_postgres: true,
  audit_log_retention: 31,
  rate_limit_email_sent: 7,
  mailer_notifications_password_changed_enabled: false,
  mailer_notifications_email_changed_enabled: false,
  mailer_notifications_phone_changed_enabled: false,
  mailer_notifications_identity_linked_enabled: false,
  mailer_notifications_identity_unlinked_enabled: false,
  mailer_notifications_mfa_factor_enrolled_enabled: false,
  mailer_notifications_mfa_factor_unenrolled_enabled: false,
  mailer_notifications_passkey_added_enabled: false,
  mailer_notifications_passkey_removed_enabled: false,
  mailer_notifications_new_device_enabled: false,
  oauth_server_enabled: true,
  oauth_server_allow_dynamic_registration: true,
  oauth_server_authorization_path: '/consent',
  external_phone_enabled: true,
  sms_autoconfirm: true,
  sms_provider: 'webhook',
  sms_webhook_url: 'https://hook.example.org/texts',
  sms_twilio_account_sid: 'AC1',
  sms_twilio_message_service_sid: 'MG1',
  sms_twilio_api_url: 'https://api.dublin.ie1.twilio.com',
  sms_template: 'Desk: {{ .Code }}',
  sms_otp_exp: 90,
  sms_otp_length: 8,
  sms_max_frequency: 5,
  sms_test_otp: { '15550001111': '123456' },
  sms_test_otp_valid_until: '2031-01-01T00:00:00Z',
  rate_limit_sms_sent: 31,
  rate_limit_sms_network: 11,
  rate_limit_sms_number: 6,
  mfa_phone_enroll_enabled: true,
  mfa_phone_verify_enabled: true,
  mfa_phone_otp_length: 7,
  mfa_phone_template: 'Desk factor: {{ .Code }}',
  mfa_phone_max_frequency: 7,
};

/** The time within which a change must be visible on a machine with other load. */
const MILLISECONDS = 5000;

let ref: string;
let before: string;
beforeAll(async () => {
  ({ ref } = await createApp(node));
  await runSql(
    node,
    ref,
    `create schema shop; grant usage on schema shop to anon, authenticated, service_role;
     create table public.tickets (id int primary key, title text); create table shop.orders (id int primary key);
     create function public.check_request() returns void language sql as 'select';
     create function public.root() returns json language sql as $$ select '{}'::json $$;`,
  );
  // The first derivations of each worker are slow. An app in use has finished them long ago, so they are not measured.
  const everywhere = () => Promise.all(Array.from({ length: 8 }, markdown));
  await admin(node, 'PUT', `/apps/${ref}/settings/db_max_rows`, { value: 18 });
  await everywhere();
  await admin(node, 'DELETE', `/apps/${ref}/settings/db_max_rows`);
  await everywhere();
  before = await markdown();
});

/**
 * All providers have the same settings, and so have all hooks. The test therefore uses one provider (google) and one
 * hook (send_sms).
 */
const tried = Object.entries(values).filter(
  ([key]) => !/^external_(?!google_|email_|anonymous_)|^hook_(?!send_sms_)/.test(key),
);

/** Settings that one test sets one after the other. Each is reset right before the next is set. */
const SETTINGS_OF_A_TEST = 8;
const groups = Array.from({ length: Math.ceil(tried.length / SETTINGS_OF_A_TEST) }, (_, i) =>
  tried.slice(i * SETTINGS_OF_A_TEST, (i + 1) * SETTINGS_OF_A_TEST),
).map((group) => ({ keys: group.map(([key]) => key).join(', '), group }));

it.each(groups)('the specification shows each of these settings until it is reset: $keys', async ({ group }) => {
  const path = (key: string) => `/apps/${ref}/settings/${key}`;
  let [set, last]: [string | null, string] = [null, before];
  for (const [key, value] of group) {
    if (set !== null) await admin(node, 'DELETE', path(set));
    await admin(node, 'PUT', path(key), { value });
    set = key;
    // Without the new setting, the chapters are those of the setting before it or those without any setting.
    let shown = before;
    const isShown = async () => {
      shown = await markdown();
      return shown !== before && shown !== last;
    };
    await expect.poll(isShown, { timeout: MILLISECONDS, message: key }).toBe(true);
    last = shown;
  }
  if (set !== null) await admin(node, 'DELETE', path(set));
  await expect.poll(markdown, { timeout: MILLISECONDS }).toBe(before);
});

/** Returns the chapters without the heading, which contains the version. */
async function markdown(): Promise<string> {
  const response = await fetch(`${node.url}/admin/v1/apps/${ref}/specification?format=markdown`, {
    headers: { authorization: `Bearer ${node.operatorToken}` },
  });
  expect(response.status).toBe(200);
  return (await response.text()).split(/^(?=## 1 )/m)[1] ?? '';
}
