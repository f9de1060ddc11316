import type { AuthSettings } from '../settings-auth.ts';
import type { CallEntry, CallParameter } from '../specification-calls.ts';

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
}

/** A call as its file defines it. A missing member has the value of `unset`. */
type CallDefinition = Omit<AuthCall, 'id' | 'method' | 'path' | keyof typeof unset> &
  Partial<AuthCall> & { call: `${AuthCall['method']} /auth/v1/${string}` };

const unset = { settings: {}, parameters: [], example: null, supabase_js: null };

/** Returns calls by their ids, in the order of their definition. */
export const defineCalls = (calls: Readonly<Record<AuthCall['id'], CallDefinition>>): AuthCall[] =>
  Object.entries(calls).map(([id, { call, ...rest }]) => {
    const [method, path] = call.split(' ');
    return { ...unset, ...rest, id, method, path } as AuthCall;
  });

export const body = (name: string, type: string, required: boolean, meaning: string): CallParameter => ({
  name,
  in: 'body',
  type,
  required,
  meaning,
});

export const query = (name: string, type: string, required: boolean, meaning: string): CallParameter => ({
  name,
  in: 'query',
  type,
  required,
  meaning,
});

/** The parameters that prove the presence of a member. */
export const presence: CallParameter[] = [
  body('nonce', 'text', false, 'The code of GET /reauthenticate, for a session that is older than a day.'),
  body('current_password', 'text', false, 'The current password, in place of the code.'),
];

export const session = 'access_token, refresh_token, expires_in, expires_at, token_type, user';
export const someone = '00000000-0000-0000-0000-000000000000';
