import { operations, privilegeOf } from '../../../../../access/operations.ts';
import type { RelationFact } from '../../../../../catalog/entities.ts';
import { sqlName } from '../../../../../catalog/names.ts';
import { type Advice, type AdviceContext, idOf, isBound, listed, revoke } from './advice-context.ts';

/**
 * Returns the roles of calls that row-level security applies to and that have a privilege on a table and on its schema.
 */
const grantees = ({ access, roles }: AdviceContext, relation: RelationFact) =>
  roles.filter(
    (role) =>
      isBound(role) &&
      !access.privileges.owns(role.caller.oid, relation) &&
      access.privileges.usesSchema(role.caller.oid, relation.schema) &&
      operations.some(
        (operation) => access.privileges.fields(role.caller.oid, relation, privilegeOf[operation]).length > 0,
      ),
  );

/** Advises on tables of /rest/v1 without row-level security, where a privilege gives access to every row. */
export function tablesWithoutRowSecurity(context: AdviceContext): Advice[] {
  return context.exposed.flatMap((relation) => {
    if (!isTable(relation) || relation.row_security) return [];
    const open = grantees(context, relation);
    if (open.length === 0) return [];
    const policies = context.access.policies.of(relation.oid).map((policy) => policy.name);
    const who = listed(open.map((role) => role.name));
    const then =
      policies.length > 0
        ? 'Once it is on, its policies decide.'
        : 'Once it is on, only the secret key reaches its rows until a policy lets others through.';
    return [
      {
        about: 'no row-level security',
        severity: 'security',
        on: idOf(relation),
        policies,
        words: `Row-level security is off: ${who} may do with every row what the grants allow. ${then}`,
        sql: `alter table ${idOf(relation)} enable row level security;`,
      },
    ];
  });
}

/**
 * Advises on tables with row-level security but without a policy: only roles that bypass it reach rows, although other
 * roles have privileges.
 */
export function tablesWithoutPolicy(context: AdviceContext): Advice[] {
  return context.exposed.flatMap((relation) => {
    if (!isTable(relation) || !relation.row_security || context.access.policies.of(relation.oid).length > 0) return [];
    const shut = grantees(context, relation).map((role) => role.name);
    if (shut.length === 0) return [];
    const owner = ownerField(context, relation);
    const words = `Row-level security is on and there is no policy: ${listed(shut)} hold grants and reach no row.`;
    if (owner === null) {
      return [
        {
          about: 'no policy',
          severity: 'unused',
          on: idOf(relation),
          words: `${words} If that is meant, take the grants away: a call is then refused instead of finding nothing. Else write a policy.`,
          sql: revokeAll(context, relation, shut),
        },
      ];
    }
    const own = `(select auth.uid()) = ${sqlName(owner)}`;
    const index = isIndexed(context, relation, owner) ? '' : `\ncreate index on ${idOf(relation)} (${sqlName(owner)});`;
    return [
      {
        about: 'no policy',
        severity: 'unused',
        on: idOf(relation),
        words: `${words} The policy here opens to each member the rows whose ${owner} is the member.`,
        sql: `create policy "own rows" on ${idOf(relation)} to authenticated\n  using (${own}) with check (${own});${index}`,
      },
    ];
  });
}

const isTable = (relation: RelationFact): boolean => relation.kind === 'r' || relation.kind === 'p';

/** Returns the field that names the member to whom a row belongs: the first field with a foreign key to auth.users. */
function ownerField({ facts, access }: AdviceContext, relation: RelationFact): string | null {
  const users = facts.relations.find(({ schema, name }) => schema === 'auth' && name === 'users')?.oid;
  const key = facts.constraints.find(
    ({ kind, relation: on, target, fields }) =>
      kind === 'f' && on === relation.oid && target === users && fields.length === 1,
  );
  const field = access.privileges.fieldsOf.get(relation.oid)?.find((one) => one.number === key?.fields[0]);
  return field?.name ?? null;
}

const isIndexed = ({ facts, access }: AdviceContext, relation: RelationFact, field: string): boolean => {
  const number = access.privileges.fieldsOf.get(relation.oid)?.find((one) => one.name === field)?.number;
  return facts.indexes.some((index) => index.relation === relation.oid && index.fields[0] === number);
};

/** Returns SQL that revokes all privileges from roles, and from PUBLIC if privileges were granted to it. */
function revokeAll(context: AdviceContext, relation: RelationFact, names: readonly string[]): string {
  const fields = context.access.privileges.fieldsOf.get(relation.oid) ?? [];
  const grants = [...relation.grants, ...fields.flatMap((field) => field.grants ?? [])];
  const isPublic = grants.some(([grantee]) => grantee === 0);
  const from = isPublic ? ['public', ...names] : names;
  return revoke(context, relation, from, operations, (role) => isPublic && !names.includes(role.name));
}
