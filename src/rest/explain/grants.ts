import type { AccessTargetKind, ExplainedGrant, ExplainedRowSecurity } from '../../../contract/access.ts';
import type { ArgumentAccess } from '../../access/argument-access.ts';
import type { RelationAccess, RelationRights, RoutineAccess } from '../../access/role-access.ts';
import { unboundReason } from '../../access/row-security.ts';
import type { Need } from './needs.ts';

/** Converts privileges from the catalog to the entries of an explanation. Pure. */

/** Returns the kind of a relation in words. */
export const kindOf = (relation: RelationRights): AccessTargetKind => kinds[relation.kind];

const kinds = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
} as const;

/** Returns the entry for USAGE on a schema. */
export const schemaGrant = (schema: string, usage: RelationAccess['schema_usage']): ExplainedGrant => ({
  privilege: 'USAGE',
  on: `schema ${schema}`,
  needed: 'to name what is in the schema',
  held: usage.held,
  missing_columns: [],
  through: usage.through,
});

/** Returns the entry for EXECUTE on a function. */
export const executeGrant = ({ signature, execute }: RoutineAccess): ExplainedGrant => ({
  privilege: 'EXECUTE',
  on: `function ${signature}`,
  needed: 'to call',
  held: execute.held,
  missing_columns: [],
  through: execute.through,
});

/** Returns the entry for a privilege that an argument of a function needs. */
export const argumentGrant = ({ argument, because, kind, name, held, through }: ArgumentAccess): ExplainedGrant => ({
  privilege: kind === 'function' ? 'EXECUTE' : 'USAGE',
  on: `${kind} ${name}`,
  needed: `for the ${because} of ${argument}`,
  held,
  missing_columns: [],
  through,
});

/**
 * Returns the entry for a privilege on a relation. The privilege counts as granted if it is granted on the complete
 * relation or on each needed column.
 */
export function tableGrant(relation: RelationRights, { privilege, columns, purpose }: Need): ExplainedGrant {
  const on = `${kindOf(relation)} ${relation.schema}.${relation.name}`;
  const grants = relation.grants.filter((grant) => grant.privilege === privilege);
  const through = (named: typeof grants) => [...new Set(named.map((grant) => grant.grantee))].sort();
  const shown = { privilege, on, needed: purpose, missing_columns: [] };
  if (relation.privileges.includes(privilege)) {
    return { ...shown, held: true, through: through(grants.filter((grant) => grant.column === null)) };
  }
  const covered = relation.columns.filter((column) => column.privileges.includes(privilege)).map(({ name }) => name);
  const wanted = relation.columns
    .map(({ name }) => name)
    .filter((name) => columns.includes('*') || columns.includes(name));
  const missing = wanted.filter((name) => !covered.includes(name));
  const held = covered.length > 0 && missing.length === 0;
  const used = grants.filter(
    (grant) => grant.column !== null && (wanted.length === 0 || wanted.includes(grant.column)),
  );
  // If no column is granted, the entry reports the privilege on the complete relation as missing.
  return { ...shown, held, missing_columns: covered.length > 0 ? missing : [], through: through(used) };
}

/** Returns the state of row-level security; null for kinds of relations without it. */
export function rowSecurityOf(relation: RelationRights): ExplainedRowSecurity | null {
  if (relation.kind !== 'r' && relation.kind !== 'p') return null;
  const reason = unboundBecause(relation);
  return {
    enabled: relation.row_security,
    forced: relation.force_row_security,
    binds: reason === null,
    reason,
    policies: relation.policies,
  };
}

function unboundBecause(relation: RelationRights): string | null {
  const { as_role: role, policies } = relation;
  switch (unboundReason(relation, relation)) {
    case 'off':
      return `row-level security is off${policies.length === 0 ? '' : ', so that its policies have no effect'}`;
    case 'bypasses':
      return `the role ${role} bypasses row-level security`;
    case 'owner':
      return `the role ${role} has the rights of the owner, whom row-level security does not bind`;
    case null:
      return null;
  }
}
