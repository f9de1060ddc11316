import { settingsOfEach } from './setting.ts';

/** One auth hook: a function of the app or an address that `/auth/v1` calls at a fixed step. */
interface HookEntry {
  readonly title: string;
  /** The value of `metadata.name` in the hook's payloads (GoTrue, `v0hooks.Name`). */
  readonly event: string;
  /** Describes what the hook does while it is enabled. */
  readonly effect: string;
}

/** The hooks, by the names of GoTrue's settings (https://supabase.com/docs/guides/auth/auth-hooks). */
export const hooks = {
  custom_access_token: {
    title: 'Custom access token',
    event: 'customize-access-token',
    effect: 'Changes the claims of every access token. Without its answer no token is issued.',
  },
  before_user_created: {
    title: 'Before user created',
    event: 'before-user-created',
    effect: 'Refuses new accounts of members. Builders can always create accounts.',
  },
  password_verification_attempt: {
    title: 'Password attempt',
    event: 'password-verification',
    effect: 'Sees each sign-in with a password, right or wrong, and can refuse it or end the account’s sessions.',
  },
  mfa_verification_attempt: {
    title: 'Second-factor attempt',
    event: 'mfa-verification',
    effect: 'Sees each answer of a second factor, right or wrong. A refusal ends the account’s sessions.',
  },
  send_email: {
    title: 'Send mail',
    event: 'send-email',
    effect: 'Sends the mails of sign-in in place of the mail server. It gets the links and codes.',
  },
  send_sms: {
    title: 'Send SMS',
    event: 'send-sms',
    effect: 'Sends the text messages of sign-in in place of a provider. It gets the codes.',
  },
} as const satisfies Record<string, HookEntry>;

export type HookName = keyof typeof hooks;

export const hookNames = Object.keys(hooks) as readonly HookName[];

/** Matches the address of a hook. Like GoTrue, accepts http only for an address of the node's own machine. */
const URI =
  /^(?:pg-functions:\/\/[\w.-]*\/[A-Za-z_]\w{0,62}\/[A-Za-z_]\w{0,62}|https:\/\/[^\s/?#@][^\s@]*|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?][^\s@]*)?)$/;

/** Matches a symmetric secret of Standard Webhooks: 24 to 65 bytes in Base64. */
const SECRET = 'v1,whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?';

const SECRETS = new RegExp(String.raw`^${SECRET}(?:\|${SECRET}){0,9}$`);

/** The settings of all hooks, by key. */
export const hookSettings = settingsOfEach('hook_', hookNames, (name) => ({
  _enabled: {
    kind: 'boolean',
    default: false,
    meaning: `Whether the auth hook “${hooks[name].title}” is on. ${hooks[name].effect}`,
  },
  _uri: {
    kind: 'text',
    default: null,
    format: 'pg-functions://postgres/<schema>/<function>, an https address, an http address of this machine, or null',
    pattern: URI,
    meaning: `The function or the address that the auth hook “${hooks[name].title}” calls.`,
  },
}));

/** The secrets of all hooks that are called at an address, by key. */
export const hookSecrets = settingsOfEach('hook_', hookNames, (name) => ({
  _secrets: {
    format: 'v1,whsec_ and 24 to 65 bytes in Base64, up to ten with | between, or null for none',
    pattern: SECRETS,
    meaning: `The secrets that sign requests of the auth hook “${hooks[name].title}” (Standard Webhooks); they are never shown.`,
  },
}));

/** A function of the app that a hook can call, and whether `/auth/v1` has the privilege to execute it. */
export interface HookFunction {
  schema: string;
  name: string;
  /** True if supabase_auth_admin may execute the function. */
  is_executable: boolean;
}

/**
 * The functions of an app that a hook can call: those with one argument (json or jsonb) and the result json, jsonb or
 * void.
 */
export interface HookFunctions {
  functions: HookFunction[];
}

/**
 * Returns the SQL that lets only the role of `/auth/v1` execute a function, and revokes the privilege from the API
 * roles and PUBLIC.
 */
export const grantOfHook = (schema: string, name: string): string =>
  [
    `grant usage on schema ${quoted(schema)} to supabase_auth_admin;`,
    `grant execute on function ${quoted(schema)}.${quoted(name)} to supabase_auth_admin;`,
    `revoke execute on function ${quoted(schema)}.${quoted(name)} from anon, authenticated, public;`,
  ].join('\n');

const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

/** Returns the address of a function in the syntax of the hook settings. */
export const hookUriOf = (schema: string, name: string): string => `pg-functions://postgres/${schema}/${name}`;

/** Returns the function that the address in a hook setting refers to; null for an address that is not a function. */
export function functionOfHook(uri: string): { schema: string; name: string } | null {
  const [, schema, name] = /^pg-functions:\/\/[^/]*\/([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  return schema && name ? { schema, name } : null;
}
