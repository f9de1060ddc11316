import { type Column, representationKey, type SchemaCache } from '../../catalog/schema-cache.ts';
import { columnField, shownField, typedField, unknownField } from './fields.ts';
import type { PlannedSelect } from './plan.ts';
import type { Draft } from './read-draft.ts';

/**
 * Plans the columns of each relation (PostgREST docs, "Vertical Filtering", "Aggregate Functions", "Domain
 * Representations").
 */

/**
 * Sets `select` of a draft and its embedded relations. `*` is expanded to single columns if they must be grouped,
 * collected in arrays, or converted by a domain representation.
 * @param grouped True if a relation that embeds this one has an aggregate.
 */
export function planSelect(schemaCache: SchemaCache, draft: Draft, grouped = false): void {
  const groups = grouped || draft.items.some((item) => item.aggregate !== null) || draft.spread === 'many';
  const columns = draft.table?.columns;
  const expand = groups || (schemaCache.representations.size > 0 && showsPresented(schemaCache, columns));
  const select: PlannedSelect[] = [];
  for (const item of draft.items) {
    const { alias, cast, aggregate, aggregateCast } = item;
    const isStar = item.field.name === '*' && item.field.path.length === 0;
    if (isStar && aggregate === null && expand) {
      for (const column of columns?.values() ?? []) {
        const field = shownField(schemaCache, columnField(column));
        select.push({ field, alias, cast, aggregate, aggregateCast });
      }
    } else if (isStar && aggregate === 'count' && draft.spread && expand) {
      const field = { ...unknownField('*'), wholeRow: true };
      select.push({ field, alias, cast, aggregate, aggregateCast });
    } else {
      const field = shownField(schemaCache, typedField(draft.table, item.field));
      select.push({ field, alias, cast, aggregate, aggregateCast });
    }
  }
  draft.select = select.map((item) => (item.alias === null ? { ...item, alias: impliedAlias(item, draft) } : item));
  for (const child of draft.children) planSelect(schemaCache, child, groups);
}

function showsPresented(schemaCache: SchemaCache, columns: ReadonlyMap<string, Column> | undefined): boolean {
  for (const column of columns?.values() ?? []) {
    if (schemaCache.representations.has(representationKey(column.type, 'json'))) return true;
  }
  return false;
}

/**
 * Returns the default name of an item: the last key of a JSON path, the name of a converted column, or the function of
 * an aggregate in a spread relation.
 */
function impliedAlias(item: PlannedSelect, draft: Draft): string | null {
  if (item.aggregate !== null) return draft.spread ? item.aggregate : null;
  const { path, name, transform } = item.field;
  if (path.length > 0) return path.findLast((step) => step.kind === 'key')?.value ?? name;
  return transform ? name : null;
}
