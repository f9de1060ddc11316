import type { RelationFact } from '../../../../../catalog/entities.ts';
import { type Advice, type AdviceContext, idOf, isBound, listed } from './advice-context.ts';

/**
 * Advises on views that read with the privileges of their owner and so show rows that row-level security would hide
 * from the caller. A view with security_barrier is meant to do so: it is itself the security of its rows (PostgreSQL
 * manual, CREATE VIEW).
 */
export function viewsAsOwner(context: AdviceContext): Advice[] {
  const { look, access, roles, exposed } = context;
  const guarded = (view: RelationFact, seen: Set<number>): RelationFact[] =>
    look.views.base(view).flatMap((used) => {
      if (seen.has(used.oid)) return [];
      seen.add(used.oid);
      if (used.kind === 'v') return used.security_invoker ? guarded(used, seen) : [];
      return used.row_security && !access.policies.rows(view.owner, used, 'select').bound ? [used] : [];
    });
  return exposed.flatMap((view) => {
    if (view.kind !== 'v' || view.security_invoker || view.security_barrier || view.extension !== null) return [];
    const readers = roles.filter(
      (role) =>
        isBound(role) &&
        access.privileges.usesSchema(role.caller.oid, view.schema) &&
        access.privileges.fields(role.caller.oid, view, 'SELECT').length > 0,
    );
    const tables = [...new Set(guarded(view, new Set()).map(idOf))].sort();
    if (readers.length === 0 || tables.length === 0) return [];
    return [
      {
        about: 'view as its owner',
        severity: 'security',
        on: idOf(view),
        words: `The view reads ${listed(tables)} with the rights of its owner, whom row-level security does not bind: ${listed(readers.map((role) => role.name))} may read every row that it shows. With the caller’s rights, the policies of ${listed(tables)} decide, and the caller needs grants on them. If the view is meant to show these rows, set security_barrier.`,
        sql: `alter view ${idOf(view)} set (security_invoker = true);`,
      },
    ];
  });
}
