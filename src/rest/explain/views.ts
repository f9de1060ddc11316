import type { RelationRights } from '../../access/role-access.ts';
import { type ViewColumnOrigin, viewColumnOrigins } from '../../catalog/view-columns.ts';
import type { MutatePlan, ReadPlan } from '../plan/plan.ts';
import { kindOf, rowSecurityOf } from './grants.ts';
import type { Need, Needs } from './needs.ts';

/** Finds the privileges that a request on a view needs on the underlying relations. Pure. */

type Write = 'insert' | 'update' | 'delete';

/** Bits of pg_relation_is_updatable. */
const bits: Readonly<Record<Write, number>> = { update: 4, insert: 8, delete: 16 };

const privileges = { insert: 'INSERT', update: 'UPDATE', delete: 'DELETE' } as const;

const verbs = { insert: 'insert into', update: 'update', delete: 'delete from' } as const;

/** Returns the writes that a request makes: an upsert may also update. */
function writesOf({ operation }: Needs, plan: ReadPlan | MutatePlan): Write[] {
  if (operation === 'select') return [];
  if (operation !== 'upsert') return [operation];
  const merges = plan.kind === 'mutate' && plan.onConflict?.resolution === 'merge-duplicates';
  return merges ? ['insert', 'update'] : ['insert'];
}

/**
 * Returns the reason why PostgreSQL can write no row of the relation, or not a column that the request sets, regardless
 * of the caller; null if PostgreSQL can write.
 */
export function unwritableBecause(relation: RelationRights, plan: ReadPlan | MutatePlan, needs: Needs): string | null {
  const given = plan.kind === 'mutate' ? plan.columns.map(({ name }) => name) : [];
  const name = `${kindOf(relation)} ${relation.schema}.${relation.name}`;
  for (const write of writesOf(needs, plan)) {
    // An UPDATE without columns is sent as a read.
    if ((write === 'update' && given.length === 0) || relation.instead.includes(write)) continue;
    if ((relation.updatable & bits[write]) === 0) {
      const how =
        relation.kind === 'v'
          ? ': its query is not updatable, and no INSTEAD OF trigger or rule handles the write'
          : '';
      return `PostgreSQL cannot ${verbs[write]} the ${name}${how}.`;
    }
    const fixed = relation.columns.filter((column) => !column.writable && given.includes(column.name));
    if (write !== 'delete' && fixed.length > 0) {
      const columns = fixed.map((column) => column.name).join(', ');
      return `PostgreSQL cannot write ${columns} of the ${name}: the view computes ${fixed.length === 1 ? 'this column' : 'these columns'}.`;
    }
  }
  return null;
}

/**
 * Returns the privileges that a request needs on each relation under a view. PostgreSQL requires SELECT on every column
 * that the query of a view reads, also if the request does not use the column. It requires the privilege of a write on
 * the columns of the table into which the view writes.
 * @param relations The view, followed by the underlying relations.
 */
export function needsBeneath(
  relations: readonly RelationRights[],
  plan: ReadPlan | MutatePlan,
  needs: Needs,
): ReadonlyMap<RelationRights, readonly Need[]> {
  const [top, ...others] = relations;
  const written = new Map<RelationRights, Need[]>();
  for (const write of writesOf(needs, plan)) {
    let columns: readonly string[] = plan.kind === 'mutate' ? plan.columns.map(({ name }) => name) : [];
    for (let at = top; at?.kind === 'v' && !at.instead.includes(write); ) {
      const [origins, view] = [viewColumnOrigins(at.tree ?? ''), at];
      const base = others.find(({ oid, depth }) => depth === view.depth + 1 && oid === origins[0]?.table);
      if (!base) break;
      columns = columns.flatMap((name) => mapped(view, base, origins, name));
      const need: Need = {
        privilege: privileges[write],
        columns: write === 'delete' ? [] : columns,
        purpose: 'to write through the view',
      };
      written.set(base, [...(written.get(base) ?? []), need]);
      at = base;
    }
  }
  const isInsertOnly = needs.operation === 'insert' && needs.reads === null;
  return new Map(
    others.map((relation): [RelationRights, readonly Need[]] => {
      const own = written.get(relation) ?? [];
      // An INSERT that returns nothing does not run the query of the view, but a view may read further tables in its columns.
      const reads = isInsertOnly
        ? []
        : [{ privilege: 'SELECT' as const, columns: relation.columns_read, purpose: 'for the query of the view' }];
      return [relation, [...own, ...reads]];
    }),
  );
}

function mapped(
  view: RelationRights,
  base: RelationRights,
  origins: readonly ViewColumnOrigin[],
  name: string,
): string[] {
  const number = view.columns.find((column) => column.name === name)?.number;
  const origin = origins.find(({ column, table }) => column === number && table === base.oid);
  return base.columns.flatMap((column) => (column.number === origin?.tableColumn ? [column.name] : []));
}

/**
 * Returns true if a view may show other rows to other callers: a query depends on the caller, or policies bind the owner of a view,
 * which then also bind the service role.
 */
export const dependsOnCaller = (relations: readonly RelationRights[], role: string): boolean =>
  relations.some(
    (relation) => relation.depends_on_caller || (relation.as_role !== role && rowSecurityOf(relation)?.binds === true),
  );
