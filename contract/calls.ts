import type { AuthSettings } from './settings-auth.ts';
import type { CallEntry, CallParameter } from './specification-calls.ts';

/** One call of `/auth/v1`, as GoTrue names it (https://supabase.com/docs/reference/self-hosting-auth). */
export interface AuthCall {
  /** Stable name: "auth.signup". */
  id: `auth.${string}`;
  method: CallEntry['method'];
  /** Below /apps/<ref>; `{user_id}` and the like stand for a value. */
  path: string;
  summary: string;
  /** Who may call: anyone who has the publishable key, a member with an access token, or the holder of the secret key. */
  caller: 'anyone' | 'member' | 'secret-key';
  /** The call is answered while all of these settings have these values. */
  settings: Partial<
    Pick<AuthSettings, 'disable_signup' | 'external_email_enabled' | 'external_anonymous_users_enabled'>
  >;
  parameters: CallParameter[];
  returns: string;
  /** A body that the call takes, for the snippets; null where it has none. */
  example: Readonly<Record<string, string | boolean>> | null;
  /** The call with supabase-js, as an expression over `supabase`; null where supabase-js has none. */
  supabase_js: string | null;
}

const body = (name: string, type: string, required: boolean, meaning: string): CallParameter => ({
  name,
  in: 'body',
  type,
  required,
  meaning,
});

const query = (name: string, type: string, required: boolean, meaning: string): CallParameter => ({
  name,
  in: 'query',
  type,
  required,
  meaning,
});

const session = 'access_token, refresh_token, expires_in, expires_at, token_type, user';
const someone = '00000000-0000-0000-0000-000000000000';

/** Every call of the core of `/auth/v1`, in the order in which an app meets them. */
export const authCalls: readonly AuthCall[] = [
  {
    id: 'auth.signup',
    method: 'POST',
    path: '/auth/v1/signup',
    summary:
      'Makes an account with an e-mail address and a password, and signs in unless the address must be confirmed first.',
    caller: 'anyone',
    settings: { disable_signup: false, external_email_enabled: true },
    parameters: [
      body('email', 'text', true, 'The e-mail address.'),
      body('password', 'text', true, 'The password.'),
      body('data', 'object', false, 'User metadata, which the member may change later.'),
    ],
    returns: `a session: ${session}; or the user alone while the address awaits confirmation`,
    example: { email: 'ada@example.org', password: 'a long password' },
    supabase_js: "supabase.auth.signUp({ email: 'ada@example.org', password: 'a long password' })",
  },
  {
    id: 'auth.signup.anonymous',
    method: 'POST',
    path: '/auth/v1/signup',
    summary: 'Makes an account without an address or a password, and signs in.',
    caller: 'anyone',
    settings: { disable_signup: false, external_anonymous_users_enabled: true },
    parameters: [body('data', 'object', false, 'User metadata, which the member may change later.')],
    returns: `a session: ${session}`,
    example: {},
    supabase_js: 'supabase.auth.signInAnonymously()',
  },
  {
    id: 'auth.token.password',
    method: 'POST',
    path: '/auth/v1/token?grant_type=password',
    summary: 'Signs in with an e-mail address and a password.',
    caller: 'anyone',
    settings: { external_email_enabled: true },
    parameters: [
      query('grant_type', 'text', true, 'password'),
      body('email', 'text', true, 'The e-mail address.'),
      body('password', 'text', true, 'The password.'),
    ],
    returns: `a session: ${session}`,
    example: { email: 'ada@example.org', password: 'a long password' },
    supabase_js: "supabase.auth.signInWithPassword({ email: 'ada@example.org', password: 'a long password' })",
  },
  {
    id: 'auth.token.refresh_token',
    method: 'POST',
    path: '/auth/v1/token?grant_type=refresh_token',
    summary: 'Exchanges a refresh token for a new session. Each refresh token is good for one exchange.',
    caller: 'anyone',
    settings: {},
    parameters: [
      query('grant_type', 'text', true, 'refresh_token'),
      body('refresh_token', 'text', true, 'The refresh token of the session.'),
    ],
    returns: `a session: ${session}`,
    example: { refresh_token: 'the refresh token of a session' },
    supabase_js: "supabase.auth.refreshSession({ refresh_token: 'the refresh token of a session' })",
  },
  {
    id: 'auth.user',
    method: 'GET',
    path: '/auth/v1/user',
    summary: 'The account of the member who calls.',
    caller: 'member',
    settings: {},
    parameters: [],
    returns: 'the user: id, email, app_metadata, user_metadata, identities, created_at …',
    example: null,
    supabase_js: 'supabase.auth.getUser()',
  },
  {
    id: 'auth.user.update',
    method: 'PUT',
    path: '/auth/v1/user',
    summary: 'Changes the account of the member who calls.',
    caller: 'member',
    settings: {},
    parameters: [
      body('email', 'text', false, 'The new e-mail address.'),
      body('password', 'text', false, 'The new password.'),
      body('data', 'object', false, 'User metadata, merged with what is there.'),
    ],
    returns: 'the user after the change',
    example: { password: 'another long password' },
    supabase_js: "supabase.auth.updateUser({ password: 'another long password' })",
  },
  {
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/v1/logout',
    summary: 'Ends sessions of the member who calls. Their access tokens stop working within a second.',
    caller: 'member',
    settings: {},
    parameters: [
      query(
        'scope',
        'global, local or others',
        false,
        'Every session, this one, or every other one; global when not given.',
      ),
    ],
    returns: '204, no body',
    example: null,
    supabase_js: 'supabase.auth.signOut()',
  },
  {
    id: 'auth.settings',
    method: 'GET',
    path: '/auth/v1/settings',
    summary: 'Which ways to sign in the app has switched on.',
    caller: 'anyone',
    settings: {},
    parameters: [],
    returns: 'external, disable_signup, mailer_autoconfirm …',
    example: null,
    supabase_js: null,
  },
  {
    id: 'auth.health',
    method: 'GET',
    path: '/auth/v1/health',
    summary: 'Whether sign-in is at work.',
    caller: 'anyone',
    settings: {},
    parameters: [],
    returns: 'name, version, description',
    example: null,
    supabase_js: null,
  },
  {
    id: 'auth.jwks',
    method: 'GET',
    path: '/auth/v1/.well-known/jwks.json',
    summary: 'The public keys that access tokens are signed with (RFC 7517).',
    caller: 'anyone',
    settings: {},
    parameters: [],
    returns: 'keys: a list of JSON Web Keys',
    example: null,
    supabase_js: null,
  },
  {
    id: 'auth.admin.users.list',
    method: 'GET',
    path: '/auth/v1/admin/users',
    summary: 'Lists accounts, the newest first.',
    caller: 'secret-key',
    settings: {},
    parameters: [
      query('page', 'integer', false, 'Which page, from 1.'),
      query('per_page', 'integer', false, 'Accounts on a page; 50 when not given.'),
    ],
    returns: 'users: a list of users',
    example: null,
    supabase_js: 'supabase.auth.admin.listUsers()',
  },
  {
    id: 'auth.admin.users.create',
    method: 'POST',
    path: '/auth/v1/admin/users',
    summary: 'Makes an account, also while sign-up is switched off.',
    caller: 'secret-key',
    settings: {},
    parameters: [
      body('email', 'text', false, 'The e-mail address.'),
      body('password', 'text', false, 'The password.'),
      body('email_confirm', 'boolean', false, 'Whether the address counts as confirmed.'),
      body('user_metadata', 'object', false, 'User metadata, which the member may change later.'),
      body('app_metadata', 'object', false, 'Metadata that only the secret key may change.'),
    ],
    returns: 'the user',
    example: { email: 'ada@example.org', password: 'a long password', email_confirm: true },
    supabase_js:
      "supabase.auth.admin.createUser({ email: 'ada@example.org', password: 'a long password', email_confirm: true })",
  },
  {
    id: 'auth.admin.users.get',
    method: 'GET',
    path: '/auth/v1/admin/users/{user_id}',
    summary: 'One account.',
    caller: 'secret-key',
    settings: {},
    parameters: [],
    returns: 'the user',
    example: null,
    supabase_js: `supabase.auth.admin.getUserById('${someone}')`,
  },
  {
    id: 'auth.admin.users.update',
    method: 'PUT',
    path: '/auth/v1/admin/users/{user_id}',
    summary: 'Changes an account, bans it or lifts a ban.',
    caller: 'secret-key',
    settings: {},
    parameters: [
      body('email', 'text', false, 'The new e-mail address.'),
      body('password', 'text', false, 'The new password.'),
      body('ban_duration', 'text', false, 'How long the account is banned: 24h; none lifts the ban.'),
      body('user_metadata', 'object', false, 'User metadata, merged with what is there.'),
      body('app_metadata', 'object', false, 'Metadata that only the secret key may change, merged with what is there.'),
    ],
    returns: 'the user after the change',
    example: { ban_duration: '24h' },
    supabase_js: `supabase.auth.admin.updateUserById('${someone}', { ban_duration: '24h' })`,
  },
  {
    id: 'auth.admin.users.delete',
    method: 'DELETE',
    path: '/auth/v1/admin/users/{user_id}',
    summary: 'Deletes an account with its sessions.',
    caller: 'secret-key',
    settings: {},
    parameters: [],
    returns: 'an empty object',
    example: null,
    supabase_js: `supabase.auth.admin.deleteUser('${someone}')`,
  },
];
