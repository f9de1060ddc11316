import type { AccessFacts } from './access.ts';
import type { EntityFacts, FieldFact } from './entities.ts';
import { groupBy } from './group.ts';
import { viewColumnOrigins } from './view-columns.ts';

/** The bits of pg_relation_is_updatable for INSERT, UPDATE and DELETE together. */
const anyWrite = 28;
/** The bit of pg_trigger.tgtype for INSTEAD OF triggers. */
const instead = 64;

/**
 * Returns the fields, and marks the fields of views that are identity or generated columns of a base table. A statement
 * may not set such a field through a view either (428C9). Views with INSTEAD OF triggers are excluded, because a
 * trigger can use any value.
 * @param earlier An earlier result. If a marked field is unchanged since then, the result contains the same object.
 */
export function withGeneratedViewFields(
  {
    fields,
    relations,
    triggers,
    view_trees,
    view_uses,
  }: Pick<EntityFacts, 'fields' | 'relations' | 'triggers' | 'view_trees'> & Pick<AccessFacts, 'view_uses'>,
  earlier: readonly FieldFact[] = [],
): FieldFact[] {
  const made = new Map<string, Pick<FieldFact, 'identity' | 'computed'>>();
  const found = new Set<number>();
  const keyOf = (relation: number, number: number) => `${relation} ${number}`;
  for (const { relation, number, identity, generated } of fields) {
    if (identity !== 'a' && generated === '') continue;
    made.set(keyOf(relation, number), { identity: identity === 'a' ? 'a' : '', computed: generated !== '' });
    found.add(relation);
  }
  const replaced = new Set(triggers.flatMap(({ relation, events }) => ((events & instead) === 0 ? [] : [relation])));
  const written = new Set(
    relations.flatMap(({ oid, kind, updatable }) =>
      kind === 'v' && (updatable & anyWrite) !== 0 && !replaced.has(oid) ? [oid] : [],
    ),
  );
  const tables = new Set(found);
  const users = groupBy(
    view_uses.filter(({ view }) => written.has(view)),
    ({ relation }) => relation,
  );
  const trees = new Map(view_trees.map(({ view, tree }) => [view, tree]));
  for (const oid of found) {
    for (const view of new Set(users.get(oid)?.map((use) => use.view))) {
      for (const { column, table, tableColumn } of viewColumnOrigins(trees.get(view) ?? '')) {
        const base = table === oid ? made.get(keyOf(oid, tableColumn)) : undefined;
        if (!base) continue;
        made.set(keyOf(view, column), base);
        found.add(view);
      }
    }
  }
  if (found.size === tables.size) return fields;
  const known = new Map(earlier.filter((field) => field.made).map((field) => [JSON.stringify(field), field]));
  return fields.map((field) => {
    const isShown = found.has(field.relation) && !tables.has(field.relation);
    const base = isShown ? made.get(keyOf(field.relation, field.number)) : undefined;
    if (!base) return field;
    const marked: FieldFact = { ...field, ...base, computed: field.computed || base.computed, made: true };
    return known.get(JSON.stringify(marked)) ?? marked;
  });
}
