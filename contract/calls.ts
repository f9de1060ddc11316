import type { ErrorCode } from './errors.ts';
import generatedAuthCalls from './generated/auth-calls.json' with { type: 'json' };
import generatedRealtimeCalls from './generated/realtime-calls.json' with { type: 'json' };
import generatedStorageCalls from './generated/storage-calls.json' with { type: 'json' };
import type { AuthSettings } from './settings-auth.ts';
import type { CallEntry, CallParameter } from './specification-calls.ts';

/** One call of `/auth/v1`, as GoTrue names it (https://supabase.com/docs/reference/self-hosting-auth). */
export interface AuthCall {
  /** Stable name of the call: "auth.signup". */
  id: `auth.${string}`;
  method: CallEntry['method'];
  /** Path below /apps/<ref>. A name in braces, such as `{user_id}`, is the place of a value. */
  path: string;
  summary: string;
  /** The caller: anyone with the publishable key, a member with an access token, or the holder of the secret key. */
  caller: 'anyone' | 'member' | 'secret-key';
  /** The call works only while all of these settings have these values. */
  settings: Partial<
    Pick<
      AuthSettings,
      | 'disable_signup'
      | 'external_email_enabled'
      | 'external_anonymous_users_enabled'
      | 'external_phone_enabled'
      | 'security_manual_linking_enabled'
      | 'passkey_enabled'
      | 'oauth_server_enabled'
      | 'oauth_server_allow_dynamic_registration'
    >
  >;
  parameters: CallParameter[];
  returns: string;
  /** An example body for the snippets; null for a call without a body. */
  example: Readonly<Record<string, string | boolean>> | null;
  /** The call with supabase-js, as an expression that uses `supabase`; null if supabase-js has no such call. */
  supabase_js: string | null;
  /** The codes that the call can return, without those of `codesOfEveryCall`. */
  errors: ErrorCode[];
}

/**
 * Every call of `/auth/v1`, in the order in which an app uses them. `src/auth` defines the calls, and a test of it
 * writes them to the file, because neither the specification nor the web applications can import `src/auth`.
 */
export const authCalls = generatedAuthCalls as readonly AuthCall[];

/** A privilege that a call of `/storage/v1` needs on a table of schema storage: "insert objects". */
export type StorageRight = `${'select' | 'insert' | 'update' | 'delete'} ${'objects' | 'buckets'}`;

/** One call of `/storage/v1`. */
export interface StorageCall {
  /** Stable name of the call, which policies read with `storage.operation()`: "storage.object.upload". */
  id: `storage.${string}`;
  method: CallEntry['method'];
  /** Path below /apps/<ref>. The name `path` in braces is the rest of the path; another name is one segment. */
  path: string;
  summary: string;
  /** `key`: a key or a token, and policies decide. `link`: the token of a signed URL. */
  caller: 'anyone' | 'key' | 'link';
  /** The privileges and policies that decide about the call; empty if none does. */
  needs: StorageRight[];
  parameters: CallParameter[];
  returns: string;
  /** An example body for the snippets; null for a call without a body. */
  example: Readonly<Record<string, string | number | boolean | readonly string[]>> | null;
  /** The call with supabase-js, as an expression that uses `supabase`; null if supabase-js has no such call. */
  supabase_js: string | null;
  /** The codes that the call can return, without those of `codesOfEveryCall`. */
  errors: ErrorCode[];
}

/**
 * Every call of `/storage/v1`, in the order in which an app uses them. A test of `src/storage` writes them to the file,
 * as one of `src/auth` does with `authCalls`.
 */
export const storageCalls = generatedStorageCalls as readonly StorageCall[];

/** One call of `/realtime/v1`. */
export interface RealtimeCall {
  /** Stable name of the call: "realtime.broadcast". */
  id: `realtime.${string}`;
  method: CallEntry['method'];
  /** Path below /apps/<ref>. A name in braces is the place of a value. */
  path: string;
  summary: string;
  parameters: readonly CallParameter[];
  returns: string;
  /** An example body for the snippets; null for a call without a body. */
  example: Readonly<Record<string, unknown>> | null;
  /** The codes that the call can return, without those of `codesOfEveryCall`. */
  errors: readonly ErrorCode[];
}

/** Every call of `/realtime/v1`. A test of `src/realtime` writes them to the file. */
export const realtimeCalls = generatedRealtimeCalls as readonly RealtimeCall[];

/** Codes that every call to an app can return, of any of its APIs. */
export const codesOfEveryCall: readonly ErrorCode[] = [
  'internal',
  'bad_request',
  'misdirected_request',
  'headers_too_large',
  'request_timeout',
  'expectation_failed',
  'body_too_large',
  'script_refused',
  'method_not_allowed',
  'too_many_requests',
  'key_unknown',
  'key_revoked',
  'session_revoked',
  'role_reserved',
  'database_unavailable',
  'outcome_unknown',
  'database_busy',
  'disk_full',
  'app_moving',
  'app_outdated',
  'app_damaged',
  'app_limit_exceeded',
];
