import { limits } from '../../../contract/limits.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AccessTokenClaims } from '../../identity/access-token.ts';
import { rolesOfChange } from '../../identity/resolve.ts';
import { callHook } from '../../jobs/call-hook.ts';
import { hookFailure } from '../../jobs/hook-failure.ts';
import type { AuthContext } from '../context.ts';
import { claimProblems } from './claim-schema.ts';

/**
 * Claims that name the account, the session, its assurance and its application. The hook cannot change them, because
 * checks of sessions read them.
 */
const FIXED = ['sub', 'session_id', 'iat', 'aal', 'client_id'] as const;

/**
 * Lets the hook custom_access_token change the claims of a token (https://supabase.com/docs/guides/auth/auth-hooks/custom-access-token-hook).
 * The hook cannot change the account, the session, its assurance or its application, make the token valid for longer, or give it a role that the app's tokens may
 * not have.
 *
 * @param method How the member signed in, or `token_refresh`.
 * @throws What `callHook` throws; unexpected_failure for claims that are not allowed, hook_payload_over_size_limit.
 */
export async function customClaims(
  context: AuthContext,
  address: string,
  claims: AccessTokenClaims,
  method: string,
): Promise<AccessTokenClaims> {
  const payload = { user_id: claims.sub, claims, authentication_method: method };
  const answer = await callHook(context, { name: 'custom_access_token', address, payload });
  if (answer?.claims === undefined) throw hookFailure('output claims field is missing');
  const given = answer.claims;
  const problems = claimProblems(given);
  if (problems.length > 0) throw nonconforming(problems);
  const changed = given as AccessTokenClaims;
  const refused = [
    ...[...FIXED, ...(claims.client_id === undefined ? [] : (['scope'] as const))]
      .filter((name) => changed[name] !== claims[name])
      .map((name) => `${name}: Cannot be changed by a hook`),
    ...(changed.exp > claims.exp ? ['exp: Cannot be later than the setting jwt_exp allows'] : []),
    ...((await mayHaveRole(context, claims, changed)) ? [] : ['role: Is not a role that tokens of the app may have']),
  ];
  if (refused.length > 0) throw nonconforming(refused);
  if (Buffer.byteLength(JSON.stringify(changed)) > limits.hookClaimsBytes.default) {
    throw new NinefoldError('hook_payload_over_size_limit', {
      message: `The claims of the hook exceed ${limits.hookClaimsBytes.default} bytes`,
      limit: 'hookClaimsBytes',
    });
  }
  return changed;
}

/** Returns GoTrue's error for claims that do not conform to the schema. */
const nonconforming = (problems: readonly string[]): NinefoldError =>
  hookFailure(
    `output claims do not conform to the expected schema: \n${problems.map((problem) => `- ${problem}\n`).join('')}`,
  );

/** Roles that every app's tokens may have. */
const COMMON_ROLES: ReadonlySet<string> = new Set(['anon', 'authenticated']);

async function mayHaveRole(context: AuthContext, before: object, after: object): Promise<boolean> {
  const roles = rolesOfChange(context.app.ref, context.roleClaimKey, before, after);
  if (roles === null) return false;
  const own = roles.filter((role) => !COMMON_ROLES.has(role));
  if (own.length === 0) return true;
  // The app's login role can switch only to roles of this app, so this query finds no roles of another app.
  const [result] = await runAsAuthAdmin(context.database, [
    [
      `select pg_catalog.count(*) from pg_catalog.pg_roles r
       where r.rolname in (select pg_catalog.jsonb_array_elements_text($1::jsonb)) and pg_catalog.pg_has_role(session_user, r.oid, 'SET') and not r.rolsuper`,
      [JSON.stringify(own)],
    ],
  ]);
  return Number(result?.rows[0]?.[0]?.toString('utf8')) === new Set(own).size;
}
