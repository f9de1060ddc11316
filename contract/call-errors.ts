import { bodyErrors } from './errors/bodies.ts';
import { functionsReached } from './reached-functions.ts';
import type { Chapters, ErrorLine } from './specification.ts';
import type { CallEntry } from './specification-calls.ts';
import type { Entity } from './specification-entities.ts';
import { firesOn, type Write, writtenEntities } from './written-entities.ts';

/** The kinds of calls. Calls of different kinds can return different errors. */
type Kind = 'read' | 'insert' | 'update' | 'delete' | 'function' | 'auth';

const rowKinds: Readonly<Partial<Record<CallEntry['method'], Kind>>> = {
  GET: 'read',
  POST: 'insert',
  PATCH: 'update',
  DELETE: 'delete',
};

const kindOf = ({ area, method }: CallEntry): Kind =>
  area === 'auth' ? 'auth' : area === 'rpc' ? 'function' : (rowKinds[method] ?? 'read');

const isWrite = (kind: Kind): kind is Write => kind === 'insert' || kind === 'update' || kind === 'delete';

const writes: readonly Kind[] = ['insert', 'update', 'delete', 'function'];
const rows: readonly Kind[] = ['read', 'insert', 'update', 'delete'];
const data: readonly Kind[] = [...rows, 'function'];
const bodies: readonly Kind[] = ['insert', 'update', 'function'];
const every: readonly Kind[] = [...data, 'auth'];

/** Codes of the protocols and of Ninefold, with the kinds of calls that can return them. */
const protocols: readonly (readonly [kinds: readonly Kind[], codes: readonly string[]])[] = [
  [
    every,
    [
      'internal',
      'bad_request',
      'headers_too_large',
      'request_timeout',
      'expectation_failed',
      'body_too_large',
      'script_refused',
    ],
  ],
  [
    every,
    ['method_not_allowed', 'too_many_requests', 'key_unknown', 'key_revoked', 'session_revoked', 'role_reserved'],
  ],
  [every, ['database_unavailable', 'database_busy', 'disk_full', 'app_outdated', 'app_damaged', 'app_limit_exceeded']],
  [bodies, ['app_storage_full']],
  [data, ['result_too_large']],
  [[...bodies, 'auth'], ['too_many_bodies']],
  [data, ['PGRST000', 'PGRST002', 'PGRST003', 'PGRST106', 'PGRST107', 'PGRST122', 'PGRST127', 'PGRST300', 'PGRST301']],
  [data, ['PGRST302', 'PGRST303', 'PGRST100', 'PGRST103', 'PGRST108', 'PGRST111', 'PGRST112', 'PGRST116', 'PGRST118']],
  [data, ['PGRST121', 'PGRST123', 'PGRST200', 'PGRST201']],
  [rows, ['PGRST205']],
  [bodies, ['PGRST102', '22P05', 'anonymous_body_too_large', 'body_too_complex']],
  [['insert', 'update'], ['PGRST204']],
  [['insert'], ['PGRST105', 'PGRST114', 'PGRST115']],
  [['update', 'delete', 'function'], ['PGRST124']],
  [['update'], ['row_changed']],
  [['function'], ['PGRST101', 'PGRST128', 'PGRST202', 'PGRST203']],
  // Every data call can run code of the app that raises these errors: a function, a trigger, a policy, a computed
  // field.
  [data, ['P0001', 'P0002', 'P0003', 'P0004', '20000', '2F005']],
  [['insert', 'function'], ['2200H']],
  [
    data,
    [
      '21000',
      '22000',
      '22003',
      '22007',
      '22008',
      '22023',
      '22P02',
      '42501',
      '42703',
      '42883',
      '42P01',
      '42P17',
      '53200',
      '53300',
      '53400',
      '54000',
    ],
  ],
  [data, ['57014', '42804', '55P03', '22012', '55000', '0A000']],
  // Every data call can return these errors, because functions, views and policies of the app can raise them.
  [
    data,
    [
      '22004',
      '22011',
      '22021',
      '22030',
      '2201E',
      '2201F',
      '2201G',
      '2203A',
      '2D000',
      '42702',
      '42809',
      '42846',
      '42P16',
    ],
  ],
  [data, ['54011', ...Object.keys(bodyErrors)]],
  [['insert'], ['42P10']],
  // Errors for filters, arguments and bodies with a value that is invalid for its type.
  [data, ['22009', '22015', '2200N', '2201B', '22025', '3F000', '42601', '42602', '42704', '54001']],
  [['insert', 'update', 'function'], ['428C9']],
  [writes, ['40001', '40P01', '23001', '23502', '23503', '23505', '23514', '23P01']],
  [bodies, ['22001']],
  [['insert', 'update'], ['44000']],
];

/** Codes that every call of /auth/v1 can return. Calls that need a session also refuse its token. */
const authCommon = [
  'bad_json',
  'validation_failed',
  'over_request_rate_limit',
  'request_entity_too_large',
  'database_refused',
];
const authSession = [
  ...['no_authorization', 'bad_jwt', 'session_not_found', 'user_not_found', 'user_banned'],
  'oauth_application_refused',
];
const admin = ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'];
const account = ['weak_password', 'email_exists', 'phone_exists'];

/** Codes of a sign-in at a provider. The callback puts them into the address to which the member is redirected. */
const throughProvider = [
  'bad_id_token',
  'bad_oauth_callback',
  'bad_oauth_state',
  'email_exists',
  'flow_state_already_used',
  'identity_already_exists',
  'oauth_provider_not_supported',
  'provider_email_needs_verification',
  'provider_failed',
  'signup_disabled',
  'unexpected_failure',
  'user_banned',
  'user_not_found',
];

const texted = ['over_sms_send_rate_limit', 'sms_send_failed'];
const mailed = ['email_provider_disabled', 'phone_provider_disabled', 'over_email_send_rate_limit'];

/** GoTrue's codes by the id of the call, in addition to the common ones. */
const authCodes: Readonly<Record<string, readonly string[]>> = {
  'auth.signup': [
    'signup_disabled',
    'email_provider_disabled',
    'phone_provider_disabled',
    'user_already_exists',
    'weak_password',
  ],
  'auth.signup.anonymous': ['signup_disabled', 'anonymous_provider_disabled'],
  'auth.token.password': [
    'invalid_credentials',
    'email_not_confirmed',
    'user_banned',
    'email_provider_disabled',
    'phone_provider_disabled',
  ],
  'auth.token.refresh_token': [
    'refresh_token_not_found',
    'refresh_token_already_used',
    'session_expired',
    'session_not_found',
    'user_banned',
  ],
  'auth.token.pkce': ['flow_state_not_found', 'flow_state_expired', 'bad_code_verifier', 'user_banned'],
  'auth.user': authSession,
  'auth.user.update': [
    ...authSession,
    ...account,
    'same_password',
    'user_sso_managed',
    'reauthentication_needed',
    'reauthentication_not_valid',
    'over_email_send_rate_limit',
    'insufficient_aal',
    'phone_provider_disabled',
    ...texted,
  ],
  'auth.user.delete': [...authSession, 'insufficient_aal', 'account_proof_needed', 'database_refused'],
  'auth.logout': authSession,
  'auth.admin.users.list': ['no_authorization', 'bad_jwt', 'not_admin'],
  'auth.admin.users.create': ['no_authorization', 'bad_jwt', 'not_admin', ...account],
  'auth.admin.users.get': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'],
  'auth.admin.users.update': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found', ...account],
  'auth.admin.users.delete': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'],

  'auth.sessions.list': authSession,
  'auth.sessions.open': [...authSession, 'redirect_not_allowed'],
  'auth.sessions.end': authSession,
  'auth.admin.sessions.list': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'],
  'auth.admin.sessions.end': ['no_authorization', 'bad_jwt', 'not_admin', 'session_not_found'],
  'auth.admin.sessions.end_all': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'],
  'auth.admin.logout': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'],

  'auth.callback': throughProvider,
  'auth.callback.form': throughProvider,
  'auth.token.id_token': [
    ...authSession,
    ...throughProvider,
    ...['provider_disabled', 'manual_linking_disabled', 'insufficient_aal', 'reauthentication_needed'],
  ],
  'auth.token.web3': ['web3_provider_disabled'],
  'auth.sso': ['saml_provider_disabled'],
  'auth.identities.link': [...authSession, 'manual_linking_disabled', 'insufficient_aal', 'reauthentication_needed'],
  'auth.identities.confirm': ['email_exists', 'identity_already_exists', 'user_not_found'],
  'auth.identities.unlink': [
    ...authSession,
    'manual_linking_disabled',
    'single_identity_not_deletable',
    'insufficient_aal',
    'identity_not_found',
  ],
  'auth.admin.providers.list': ['no_authorization', 'bad_jwt', 'not_admin'],
  'auth.admin.providers.create': ['no_authorization', 'bad_jwt', 'not_admin', 'conflict', 'over_custom_provider_quota'],
  'auth.admin.providers.get': ['no_authorization', 'bad_jwt', 'not_admin', 'custom_provider_not_found'],
  'auth.admin.providers.update': ['no_authorization', 'bad_jwt', 'not_admin', 'custom_provider_not_found'],
  'auth.admin.providers.delete': ['no_authorization', 'bad_jwt', 'not_admin', 'custom_provider_not_found'],

  'auth.otp': mailed,
  'auth.magiclink': mailed,
  'auth.recover': ['email_provider_disabled', 'over_email_send_rate_limit'],
  'auth.resend': mailed,
  'auth.verify.page': [],
  'auth.verify': ['otp_expired', 'user_banned', 'email_exists'],
  'auth.reauthenticate': [
    ...authSession,
    'email_not_confirmed',
    'over_email_send_rate_limit',
    'phone_provider_disabled',
    'phone_not_confirmed',
    ...texted,
  ],
  'auth.invite': ['no_authorization', 'bad_jwt', 'not_admin', 'email_exists'],
  'auth.admin.generate_link': [
    'no_authorization',
    'bad_jwt',
    'not_admin',
    'user_not_found',
    'email_exists',
    'weak_password',
  ],

  'auth.oauth.discovery': ['feature_disabled'],
  'auth.oauth.metadata': ['feature_disabled'],
  'auth.oauth.authorize': ['feature_disabled', 'oauth_client_not_found'],
  'auth.oauth.authorize.post': ['feature_disabled', 'oauth_client_not_found'],
  'auth.oauth.decline': ['feature_disabled', 'oauth_authorization_not_found'],
  'auth.oauth.introspect': ['feature_disabled', 'oauth_invalid_request', 'oauth_invalid_client'],
  'auth.oauth.revoke_token': ['feature_disabled', 'oauth_invalid_request', 'oauth_invalid_client'],
  'auth.oauth.authorization': [...authSession, 'feature_disabled', 'oauth_authorization_not_found', 'insufficient_aal'],
  'auth.oauth.consent': [
    ...authSession,
    'feature_disabled',
    'oauth_authorization_not_found',
    'insufficient_aal',
    'oauth_sign_in_too_old',
  ],
  'auth.oauth.token': [
    'feature_disabled',
    'oauth_invalid_request',
    'oauth_invalid_client',
    'oauth_invalid_grant',
    'oauth_invalid_scope',
    'oauth_unsupported_grant_type',
  ],
  'auth.oauth.userinfo': [...authSession, 'feature_disabled'],
  'auth.oauth.userinfo.post': [...authSession, 'feature_disabled'],
  'auth.oauth.register': ['feature_disabled', 'oauth_dynamic_client_registration_disabled', 'over_oauth_client_quota'],
  'auth.oauth.grants': [...authSession, 'feature_disabled'],
  'auth.oauth.revoke': [...authSession, 'feature_disabled', 'oauth_consent_not_found'],
  'auth.admin.oauth.list': ['no_authorization', 'bad_jwt', 'not_admin', 'feature_disabled'],
  'auth.admin.oauth.create': [
    'no_authorization',
    'bad_jwt',
    'not_admin',
    'feature_disabled',
    'over_oauth_client_quota',
  ],
  'auth.admin.oauth.get': ['no_authorization', 'bad_jwt', 'not_admin', 'feature_disabled', 'oauth_client_not_found'],
  'auth.admin.oauth.update': ['no_authorization', 'bad_jwt', 'not_admin', 'feature_disabled', 'oauth_client_not_found'],
  'auth.admin.oauth.delete': ['no_authorization', 'bad_jwt', 'not_admin', 'feature_disabled', 'oauth_client_not_found'],
  'auth.admin.oauth.renew': ['no_authorization', 'bad_jwt', 'not_admin', 'feature_disabled', 'oauth_client_not_found'],

  'auth.factors.enroll': [
    ...authSession,
    'reauthentication_needed',
    'reauthentication_not_valid',
    'insufficient_aal',
    'mfa_factor_name_conflict',
    'mfa_phone_enroll_not_enabled',
    'mfa_totp_enroll_not_enabled',
    'mfa_webauthn_enroll_not_enabled',
    'too_many_enrolled_mfa_factors',
    'mfa_verified_factor_exists',
  ],
  'auth.factors.challenge': [
    ...authSession,
    'mfa_factor_not_found',
    'mfa_phone_verify_not_enabled',
    ...texted,
    'mfa_totp_verify_not_enabled',
    'mfa_webauthn_verify_not_enabled',
  ],
  'auth.factors.verify': [
    ...authSession,
    'mfa_factor_not_found',
    'mfa_phone_verify_not_enabled',
    'mfa_totp_verify_not_enabled',
    'mfa_webauthn_verify_not_enabled',
    'mfa_ip_address_mismatch',
    'mfa_challenge_expired',
    'insufficient_aal',
    'webauthn_verification_failed',
    'mfa_verification_failed',
  ],
  'auth.factors.unenroll': [...authSession, 'mfa_factor_not_found', 'insufficient_aal'],
  'auth.recovery_codes.show': [...authSession, 'mfa_factor_not_found'],
  'auth.recovery_codes.generate': [
    ...authSession,
    'reauthentication_needed',
    'reauthentication_not_valid',
    'insufficient_aal',
    'mfa_factor_name_conflict',
    'mfa_recovery_codes_sole_factor',
    'mfa_verified_factor_exists',
  ],
  'auth.recovery_codes.regenerate': [
    ...authSession,
    'reauthentication_needed',
    'reauthentication_not_valid',
    'insufficient_aal',
    'mfa_factor_not_found',
  ],
  'auth.recovery_codes.remove': [...authSession, 'insufficient_aal', 'mfa_factor_not_found'],
  'auth.recovery_codes.verify': [...authSession, 'mfa_verification_failed', 'mfa_recovery_codes_locked'],
  'auth.passkeys.registration.options': [
    ...authSession,
    'reauthentication_needed',
    'reauthentication_not_valid',
    'passkey_disabled',
    'insufficient_aal',
    'too_many_passkeys',
  ],
  'auth.passkeys.registration.verify': [
    ...authSession,
    'passkey_disabled',
    'insufficient_aal',
    'too_many_passkeys',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_credential_exists',
    'webauthn_verification_failed',
  ],
  'auth.passkeys.authentication.options': ['passkey_disabled'],
  'auth.passkeys.authentication.verify': [
    'passkey_disabled',
    'email_not_confirmed',
    'user_banned',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_verification_failed',
  ],
  'auth.passkeys.list': [...authSession, 'passkey_disabled'],
  'auth.passkeys.update': [...authSession, 'passkey_disabled'],
  'auth.passkeys.delete': [...authSession, 'passkey_disabled', 'insufficient_aal'],
  'auth.admin.passkeys.list': admin,
  'auth.admin.passkeys.delete': admin,
  'auth.admin.factors.list': admin,
  'auth.admin.factors.update': [...admin, 'mfa_factor_not_found', 'mfa_factor_name_conflict'],
  'auth.admin.factors.delete': [...admin, 'mfa_factor_not_found'],

  'auth.signup.phone': [
    'signup_disabled',
    'phone_provider_disabled',
    'user_already_exists',
    'weak_password',
    'over_sms_send_rate_limit',
  ],
  'auth.token.password.phone': [
    'invalid_credentials',
    'phone_not_confirmed',
    'user_banned',
    'email_provider_disabled',
    'phone_provider_disabled',
  ],
  'auth.otp.phone': ['phone_provider_disabled', ...texted],
  'auth.resend.phone': ['phone_provider_disabled', 'over_sms_send_rate_limit'],
  'auth.verify.phone': ['otp_expired', 'user_banned', 'phone_exists'],
  'auth.admin.audit': ['no_authorization', 'bad_jwt', 'not_admin', 'validation_failed'],
};

/** Calls that an auth hook can refuse: those that issue an access token, create an account or check a second factor. */
const hookedCalls: ReadonlySet<string> = new Set([
  'auth.signup',
  'auth.signup.anonymous',
  'auth.token.password',
  'auth.token.refresh_token',
  'auth.token.pkce',
  'auth.token.id_token',
  'auth.callback',
  'auth.callback.form',
  'auth.identities.confirm',
  'auth.otp',
  'auth.magiclink',
  'auth.verify',
  'auth.invite',
  'auth.admin.generate_link',
  'auth.factors.verify',
  'auth.recovery_codes.verify',
  'auth.passkeys.authentication.verify',
  'auth.oauth.token',
]);
const hookCodes = [
  'unknown',
  'unexpected_failure',
  'hook_timeout',
  'hook_timeout_after_retry',
  'hook_payload_over_size_limit',
  'hook_payload_invalid_content_type',
  'mfa_verification_rejected',
];

/** The errors of chapter 8 that a call can return. */
export interface CallErrors {
  /** Errors of the app: rules, transitions, and errors that functions raise. */
  own: ErrorLine[];
  /** Errors of the protocols, PostgreSQL and Ninefold. */
  common: ErrorLine[];
}

/** The SQLSTATE of a write in a read-only transaction. */
const WRITES = '25006';

/**
 * Returns the errors that a call can return, in the order of chapter 8. A write through a view can also return the
 * errors of the view's base tables. Errors that functions raise are included if the call, a trigger, a policy, a rule,
 * a default or a computed field names the function, or if such a function names it. Not included are errors of writes
 * within functions, and of SQL that functions build at run time. Pure.
 */
export function errorsOfCall(call: CallEntry, chapters: Chapters): CallErrors {
  const kind = kindOf(call);
  const entities = chapters.entities?.entities ?? [];
  const entity = entities.find(({ id }) => call.area === 'rest' && id === call.entity);
  const written = entity && isWrite(kind) ? writtenEntities(entity, kind, entities) : [];
  const origins = new Set(
    written.flatMap((one) => [...rulesBrokenBy(kind, one, chapters), ...machinesOf(kind, one, chapters)]),
  );
  const triggers = written
    .flatMap((one) => one.triggers)
    .filter(({ enabled, sql }) => enabled && isWrite(kind) && firesOn(sql, kind));
  const functions = chapters.calls?.functions ?? [];
  const first =
    call.area === 'rpc'
      ? [call.entity ?? '']
      : [
          ...functions.map(({ id }) => id).filter((id) => triggers.some(({ sql }) => runs(sql, id))),
          ...(entity?.computed ?? []).map((one) => one.function),
        ];
  const codes = entity ? codeOf(kind, entity, written, chapters) : [];
  const reached = functionsReached(functions, first, codes);
  const onlyReads = kind === 'read' || call.reads_only === true;
  const common = new Set([
    ...(onlyReads ? [WRITES] : []),
    ...protocols.filter(([kinds]) => kinds.includes(kind)).flatMap(([, listed]) => listed),
    ...(kind === 'auth' ? [...authCommon, ...(authCodes[call.id] ?? [])] : []),
    ...(hookedCalls.has(call.id) ? hookCodes : []),
  ]);
  const lines = chapters.errors?.errors ?? [];
  return {
    own: lines.filter(
      ({ group, origin }) => origin !== null && (group === 'function' ? reached.has(origin) : origins.has(origin)),
    ),
    common: lines.filter(({ origin, code }) => origin === null && code !== null && common.has(code)),
  };
}

/** Returns the code that PostgreSQL runs with a call on rows: queries of views, policies, checks, defaults. */
function codeOf(kind: Kind, entity: Entity, written: readonly Entity[], { roles, rules }: Chapters): string[] {
  const asked = [entity, ...written.filter((one) => one !== entity)];
  const fills = kind === 'insert' || kind === 'update';
  const policies = (roles?.policies ?? []).filter(
    ({ entity: on, command }) =>
      asked.some(({ id }) => id === on) && (command === 'all' || command === 'select' || command === kind),
  );
  return [
    ...asked.flatMap(({ definition }) => definition ?? []),
    ...policies.map(({ sql }) => sql),
    ...asked.flatMap(({ id, fields }) =>
      fills
        ? [
            ...fields.flatMap((field) => field.default ?? []),
            ...(rules?.rules ?? []).filter((rule) => rule.entity === id).map(({ sql }) => sql),
          ]
        : [],
    ),
  ];
}

/**
 * Returns ids of rules. A new or changed row can violate its own rules, and a deleted row the rules of rows that refer
 * to it.
 */
function rulesBrokenBy(kind: Kind, entity: Entity, { rules, entities }: Chapters): string[] {
  const all = rules?.rules ?? [];
  if (kind === 'insert' || kind === 'update')
    return all.filter((rule) => rule.entity === entity.id).map(({ id }) => id);
  if (kind !== 'delete') return [];
  const pointing = (entities?.relations ?? []).filter(
    ({ to, on_delete }) =>
      to.schema === entity.schema &&
      to.entity === entity.name &&
      (on_delete === 'no action' || on_delete === 'restrict'),
  );
  return pointing
    .flatMap(({ name, from }) => {
      const source = entities?.entities.find((one) => one.schema === from.schema && one.name === from.entity);
      return all.filter((rule) => rule.kind === 'reference' && rule.entity === source?.id && rule.name === name);
    })
    .map(({ id }) => id);
}

/** Returns ids of the state machines that check a write. */
const machinesOf = (kind: Kind, entity: Entity, { states }: Chapters): string[] =>
  kind === 'insert' || kind === 'update'
    ? (states?.machines ?? []).filter((machine) => machine.entity === entity.id).map(({ id }) => id)
    : [];

/** Returns true if a trigger runs the function with an id such as public.refuse(). */
const runs = (trigger: string, id: string): boolean =>
  trigger.includes(` FUNCTION ${id.slice(0, id.lastIndexOf('('))}(`);
