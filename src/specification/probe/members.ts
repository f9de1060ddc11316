import { defaultAuthSettings } from '../../../contract/settings-auth.ts';
import type { Access } from '../../access/access.ts';
import { accountJson } from '../../accounts/run-as-auth-admin.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import { groupBy } from '../../catalog/group.ts';
import type { Executor } from '../../database/database.ts';
import type { Expression, Operand, Subquery } from '../../sql-reader/tree.ts';

/** A member that the probe uses as a caller. The member has an account, or is a stranger to every row. */
export interface Member {
  id: string;
  /** The claims of the member's token, without `sub`. */
  claims: Readonly<Record<string, unknown>>;
}

/**
 * The ids of two members that no app has. They serve as callers who own no row. If a row must reference them, the probe
 * creates their accounts in its transaction.
 */
export const syntheticMembers = [
  '0bad0000-0000-4000-8000-00000000000a',
  '0bad0000-0000-4000-8000-00000000000b',
] as const;

/** Returns a member without an account. */
export const stranger = (id: string): Member => ({
  id,
  claims: {
    aud: 'authenticated',
    role: 'authenticated',
    email: `${id}@probe.invalid`,
    app_metadata: {},
    user_metadata: {},
    is_anonymous: false,
  },
});

/** Returns the claims of an invented session, so that the probe can act as a member without signing in. */
function sessionFrom(now: Date): Accounts['session'] {
  const iat = Math.floor(now.getTime() / 1000);
  const amr = [{ method: 'password', timestamp: iat }];
  return { iat, exp: iat + defaultAuthSettings.jwt_exp, aal: 'aal1', amr, session_id: NO_SESSION };
}
const NO_SESSION = '0bad0000-0000-4000-8000-0000000000ff';

/** Some accounts of the app: the first ones, and members with member roles. */
export interface Accounts {
  members: Member[];
  /**
   * The claims about a session that the token of every caller contains. They look as if the member had just signed in.
   */
  session: Readonly<Record<string, unknown>>;
  /** The ids of the members who have each member role, by the role. */
  withRole: ReadonlyMap<string, readonly string[]>;
}

const ACCOUNTS = `with first as (
  (select id from auth.users order by created_at limit $1::int)
  union
  select r.user_id from ninefold.roles o cross join lateral (
    select m.user_id from ninefold.member_roles m where m.role = o.name order by m.user_id limit 2) r)
select pg_catalog.json_build_object(
  'members', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('id', u.id, 'claims', pg_catalog.json_build_object(
      'aud', coalesce(u.aud, 'authenticated'), 'role', coalesce(u.role, 'authenticated'), 'email', u.email, 'phone', u.phone,
      'app_metadata', coalesce(u.raw_app_meta_data, '{}'), 'user_metadata', coalesce(u.raw_user_meta_data, '{}'),
      'is_anonymous', u.is_anonymous)) order by u.created_at, u.id), '[]')
    from auth.users u join first using (id) where u.role is not distinct from 'authenticated' or u.role is null),
  'roles', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(m.role, m.user_id) order by m.role, m.user_id), '[]')
    from ninefold.member_roles m join first on first.id = m.user_id))`;

/**
 * Reads some accounts, with the privileges of the auth calls.
 * @param count The number of accounts to read, in addition to the members with member roles.
 * @throws Errors of `executor.run`, and `database_refused` if metadata is nested too deeply.
 */
export async function readAccounts(executor: Executor, count: number): Promise<Accounts> {
  const results = await executor.run([
    {
      text: `select pg_catalog.set_config('role', 'supabase_auth_admin', true), pg_catalog.set_config('search_path', '', true),
        pg_catalog.set_config('lock_timeout', '0', true), pg_catalog.set_config('max_parallel_workers_per_gather', '0', true)`,
      params: [],
    },
    { text: ACCOUNTS, params: [String(count)] },
  ]);
  const read = accountJson<{ members: Member[]; roles: [string, string][] }>(results[1]);
  return accountsOf(read?.members ?? [], read?.roles ?? []);
}

/** Builds the accounts from members and from pairs of a member role and a member. */
export function accountsOf(members: Member[], roles: readonly (readonly [role: string, member: string])[]): Accounts {
  const having = groupBy(roles, ([role]) => role);
  const withRole = new Map([...having].map(([role, pairs]) => [role, pairs.map(([, id]) => id)]));
  return { members, session: sessionFrom(new Date()), withRole };
}

/** A field that contains members' ids, in the relation itself or in a relation that its policies read. */
export interface MemberField {
  schema: string;
  name: string;
  field: string;
}

/** Returns the fields that a relation's policies compare with the id of the caller. */
export function memberFields(access: Access, relation: RelationFact): MemberField[] {
  const found = new Map<string, MemberField>();
  const add = (schema: string, name: string, field: string) =>
    found.set(`${schema}\0${name}\0${field}`, { schema, name, field });
  for (const policy of access.policies.of(relation.oid)) {
    for (const text of [policy.using, policy.check]) {
      if (text === null) continue;
      walk(access.policies.parsed(policy, text), null, (field, query) => {
        if (field.qualifier === null || field.qualifier === relation.name)
          add(relation.schema, relation.name, field.name);
        else if (query) for (const [schema, name] of relationOf(field, query)) add(schema, name, field.name);
      });
    }
  }
  return [...found.values()];
}

type FieldOperand = Extract<Operand, { kind: 'field' }>;

/**
 * Returns the relation that a field of a query belongs to, found by the alias of the relation. If the query is not
 * understood, returns its first relation.
 */
function relationOf({ qualifier }: FieldOperand, { sources, from }: Subquery): (readonly [string, string])[] {
  if (sources === null) return from.slice(0, 1);
  return sources.flatMap((source) =>
    source.kind === 'relation' && source.alias === qualifier ? [[source.schema, source.name] as const] : [],
  );
}

/**
 * Finds the fields that a condition compares with the id of the caller.
 * @param query The innermost query around the condition; null outside queries.
 */
function walk(
  expression: Expression,
  query: Subquery | null,
  onOwner: (field: FieldOperand, query: Subquery | null) => void,
): void {
  switch (expression.kind) {
    case 'and':
    case 'or':
      for (const item of expression.items) walk(item, query, onOwner);
      break;
    case 'not':
    case 'is':
    case 'named':
      walk(expression.item, query, onOwner);
      break;
    case 'exists':
    case 'in':
      walk(expression.query.where, expression.query, onOwner);
      break;
    case 'compare': {
      const { left, right, operator } = expression;
      if (operator !== '=') break;
      if (left.kind === 'user-id' && right.kind === 'field') onOwner(right, query);
      if (right.kind === 'user-id' && left.kind === 'field') onOwner(left, query);
      break;
    }
    default:
  }
}
