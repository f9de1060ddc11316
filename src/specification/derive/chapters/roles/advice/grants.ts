import { operations, privilegeOf, type RowOperation } from '../../../../../access/operations.ts';
import type { RelationFact } from '../../../../../catalog/entities.ts';
import { type Advice, type AdviceContext, idOf, listed, revoke } from './advice-context.ts';

/**
 * Advises on privileges of anonymous callers that no policy allows to use. With such privileges, a single policy that
 * is too broad would open the table to everyone.
 */
export function idleGrants(context: AdviceContext): Advice[] {
  const { access, roles, exposed, cells } = context;
  const anon = roles.find((role) => role.name === 'anon');
  if (!anon) return [];
  const looked = lookedInto(context);
  const verdicts = new Map<string, string>(
    cells.filter((cell) => cell.role === 'anon').map((cell) => [`${cell.entity} ${cell.operation}`, cell.verdict]),
  );
  return exposed.flatMap((relation) => {
    const guarded = (relation.kind === 'r' || relation.kind === 'p') && relation.row_security;
    if (!guarded || access.policies.of(relation.oid).length === 0) return [];
    const idle = operations.filter(
      (operation) =>
        // A policy of another table may read this table with the caller's privileges. It would fail without the
        // privilege to read, so this privilege is not idle.
        (operation !== 'select' || !looked.has(relation.oid)) &&
        access.privileges.fields(anon.caller.oid, relation, privilegeOf[operation]).length > 0 &&
        verdicts.get(`${idOf(relation)} ${operation}`) === 'never',
    );
    if (idle.length === 0) return [];
    return [
      {
        about: 'idle grant',
        severity: 'unused',
        on: idOf(relation),
        words: `anon holds ${listed(idle)} and no policy lets a call without a session do it. Without the grant such a call is refused, and no policy that is added later opens it unawares.`,
        sql: takeFromAnon(context, relation, idle),
      },
    ];
  });
}

/** Returns the oids of the relations that policies and security_invoker views read. */
function lookedInto({ facts, look }: AdviceContext): Set<number> {
  const views = facts.relations.filter(({ kind, security_invoker }) => kind === 'v' && security_invoker);
  return new Set([
    ...facts.policies.flatMap(({ reads }) => reads.map(({ relation }) => relation)),
    ...views.flatMap((view) => look.views.base(view).map(({ oid }) => oid)),
  ]);
}

/**
 * Returns SQL that revokes privileges from anon, and from PUBLIC and the other roles through which anon has them. The
 * other roles of calls get direct grants instead.
 */
function takeFromAnon(context: AdviceContext, relation: RelationFact, idle: readonly RowOperation[]): string {
  const { roles, access } = context;
  const wanted = idle.map((operation) => operation.toUpperCase());
  const fields = access.privileges.fieldsOf.get(relation.oid) ?? [];
  const grants = [...relation.grants, ...fields.flatMap((field) => field.grants ?? [])].filter(([, privilege]) =>
    wanted.includes(privilege),
  );
  const anon = roles.find((role) => role.name === 'anon');
  const has = anon ? access.privileges.membership.privilegesOf(anon.caller.oid) : new Set<number>();
  const through = [...new Set(grants.map(([grantee]) => grantee))].filter((oid) => oid === 0 || has.has(oid));
  const names = through.map((oid) =>
    oid === 0 ? 'public' : (access.privileges.membership.role(oid)?.name ?? String(oid)),
  );
  const isShared = names.some((name) => name !== 'anon');
  return revoke(context, relation, names, idle, (role) => isShared && role.name !== 'anon');
}
