import type { ViewForeignKey } from '../../../../../contract/specification-entities.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { ConstraintFact } from '../../../../catalog/constraints.ts';
import type { FieldFact } from '../../../../catalog/entities.ts';
import { compareText, entityId } from '../../../../catalog/names.ts';
import { viewKeys } from '../../../../catalog/relationships.ts';
import { nameKey } from '../../../../catalog/schema-cache.ts';
import type { ConstraintFact as KeyFact, ViewFact } from '../../../../catalog/schema-cache-queries.ts';

/** The keys of base tables that exposed views show. */
export interface ShownKeys {
  keys: ViewForeignKey[];
  /** The names of a primary key's fields in each view that shows all of them, by the id of the view. */
  primary: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the foreign keys that calls can follow through views (PostgREST docs, "Foreign Key Joins on Views"). A view
 * must show all fields of one end, and calls must reach the other end. Pure.
 */
export function shownKeys({ facts, relations, fields }: Lookup): ShownKeys {
  const isExposed = (schema: string) => facts.exposedSchemas.includes(schema);
  const seen = new Set([...facts.exposedSchemas, ...facts.extraSearchPath]);
  const views = facts.view_trees.flatMap(({ view, tree }): ViewFact[] => {
    const relation = relations.get(view);
    if (!relation || !seen.has(relation.schema)) return [];
    const names = (fields.get(view) ?? []).map(({ number, name }) => [String(number), name]);
    return [[view, relation.schema, relation.name, Object.fromEntries(names), tree]];
  });
  const foreign = facts.constraints.filter(({ kind, special }) => kind === 'f' && !special?.period);
  const primary = facts.constraints.filter(({ kind }) => kind === 'p');
  const shown = viewKeys(views, [...primary, ...foreign].map(keyFact), isExposed);
  const keys = foreign.flatMap((key): ViewForeignKey[] => {
    const [from, to] = [relations.get(key.relation), relations.get(key.target)];
    if (!from || !to) return [];
    const one = `${key.relation} ${key.name}`;
    const ends = { from: shown.foreign.get(one) ?? [], to: shown.referenced.get(one) ?? [] };
    const isReached = {
      from: isExposed(from.schema) || ends.from.length > 0,
      to: isExposed(to.schema) || ends.to.length > 0,
    };
    return (['from', 'to'] as const).flatMap((end) =>
      (isReached[end === 'from' ? 'to' : 'from'] ? ends[end] : []).map(({ view, columns }) => ({
        view: entityId(view.schema, view.name),
        side: end,
        name: key.name,
        fields: columns.map((names) => [...names].sort(compareText)),
        from: { schema: from.schema, entity: from.name, fields: namesOf(fields.get(from.oid), key.fields) },
        to: { schema: to.schema, entity: to.name, fields: namesOf(fields.get(to.oid), key.target_fields) },
      })),
    );
  });
  return {
    keys: keys.sort(byView),
    primary: new Map(
      views.map(([, schema, name]) => [entityId(schema, name), shown.primary.get(nameKey({ schema, name })) ?? []]),
    ),
  };
}

/** Returns a constraint in the form of the schema cache. Names are empty because `viewKeys` does not use them. */
const keyFact = ({ kind, name, relation, fields, target, target_fields }: ConstraintFact): KeyFact =>
  kind === 'f'
    ? ['f', name, relation, ['', ''], fields, [], target, ['', ''], target_fields, [], true]
    : ['p', name, relation, ['', ''], fields, [], null, null, null, null, true];

const namesOf = (fields: readonly FieldFact[] | undefined, numbers: readonly number[]): string[] =>
  numbers.map((number) => fields?.find((field) => field.number === number)?.name ?? String(number));

const byView = (a: ViewForeignKey, b: ViewForeignKey): number =>
  compareText(a.view, b.view) ||
  compareText(a.side, b.side) ||
  compareText(a.from.schema, b.from.schema) ||
  compareText(a.from.entity, b.from.entity) ||
  compareText(a.name, b.name);
