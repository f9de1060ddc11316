import { groupBy } from '../group.ts';
import { entityId, sqlName } from '../names.ts';
import { canonical, isObject, type JsonObject } from './differences.ts';
import {
  type EntityName,
  type RenamedEntity,
  type RenamedField,
  withEntities,
  withSequencesOf,
} from './renamed-text.ts';
import { items, text } from './words/values.ts';

/**
 * Entities that went and came again under another name. No number that would tell survives from one app to another, so it is what
 * they are that tells: one that is gone and one that is new, alike in fields, rules, policies and query, with nothing else like
 * either. Where names or schemas alone could be meant, one that keeps its name comes first; one that does may also come within the
 * reach of clients, or out of it. Pure.
 */
export function renamedEntities(before: JsonObject, after: JsonObject): RenamedEntity[] {
  const [gone, come] = [entitiesWithout(before, after), entitiesWithout(after, before)];
  if (gone.length === 0 || come.length === 0) return [];
  const [old, fresh] = [likenesses(before, gone), likenesses(after, come)];
  const likeness = (one: JsonObject, side: Side): Likeness => (side === 'gone' ? old : fresh).get(one) ?? unlike;
  const moved = pairs(gone, come, (one, side) => {
    const { itself, held } = likeness(one, side);
    return [text(one, 'name'), itself, held].join('\0');
  });
  const rest = without([gone, come], moved);
  // Only of one side do clients reach it, and only there are its policies told.
  const reached = pairs(...rest, (one, side) => [text(one, 'name'), likeness(one, side).itself].join('\0')).filter(
    ([one, other]) => one.exposed !== other.exposed,
  );
  const renamed = pairs(...without(rest, reached), (one, side) => {
    const { itself, held } = likeness(one, side);
    return [itself, held].join('\0');
  });
  return [...moved, ...reached, ...renamed].map(([one, other]) => ({
    kind: text(other, 'kind') || 'table',
    before: nameOf(one),
    after: nameOf(other),
  }));
}

/** Fields of the same entity that differ in their names alone and stand in the same place, where one is gone and one is new. */
export function renamedFields(before: JsonObject, after: JsonObject): RenamedField[] {
  const old = new Map(items(before.entities, 'entities').map((entity) => [text(entity, 'id'), entity]));
  return items(after.entities, 'entities').flatMap((entity): RenamedField[] => {
    const was = old.get(text(entity, 'id'));
    if (was === undefined || was === entity) return [];
    const [fields, others] = [items(was, 'fields'), items(entity, 'fields')];
    const [gone, come] = [withoutNamesOf(fields, others), withoutNamesOf(others, fields)];
    const [one, other] = [gone[0], come[0]];
    if (!one || !other || gone.length > 1 || come.length > 1) return [];
    if (fields.indexOf(one) !== others.indexOf(other)) return [];
    if (canonical({ ...one, name: '' }) !== canonical({ ...other, name: '' })) return [];
    return [{ entity: nameOf(entity), before: text(one, 'name'), after: text(other, 'name') }];
  });
}

const nameOf = (entity: JsonObject): EntityName => ({
  id: text(entity, 'id'),
  schema: text(entity, 'schema'),
  name: text(entity, 'name'),
});

/** Entities of one side that the other has not, with a name that can be followed. */
function entitiesWithout(chapters: JsonObject, other: JsonObject): JsonObject[] {
  const ids = new Set(items(other.entities, 'entities').map((entity) => text(entity, 'id')));
  return items(chapters.entities, 'entities').filter((entity) => {
    const { id, schema, name } = nameOf(entity);
    return id !== '' && schema !== '' && name !== '' && !ids.has(id) && items(entity, 'fields').length > 0;
  });
}

function withoutNamesOf(fields: readonly JsonObject[], others: readonly JsonObject[]): JsonObject[] {
  const names = new Set(others.map((field) => text(field, 'name')));
  return fields.filter((field) => text(field, 'name') !== '' && !names.has(text(field, 'name')));
}

type Side = 'gone' | 'come';
type Sides = readonly [gone: readonly JsonObject[], come: readonly JsonObject[]];

const without = ([gone, come]: Sides, pairs: readonly [JsonObject, JsonObject][]): Sides => {
  const paired = new Set(pairs.flat());
  return [gone.filter((one) => !paired.has(one)), come.filter((one) => !paired.has(one))];
};

/** Each pair whose key nothing else on either side has. */
function pairs(
  gone: readonly JsonObject[],
  come: readonly JsonObject[],
  keyOf: (entity: JsonObject, side: Side) => string,
): [JsonObject, JsonObject][] {
  const fresh = groupBy(come, (one) => keyOf(one, 'come'));
  return [...groupBy(gone, (one) => keyOf(one, 'gone'))].flatMap(
    ([key, [one, ...more]]): [JsonObject, JsonObject][] => {
      const [other, ...others] = fresh.get(key) ?? [];
      return one && other && more.length + others.length === 0 ? [[one, other]] : [];
    },
  );
}

const nameless: EntityName = { id: '', schema: '', name: '' };

/** What an entity is, and the policies that it holds. */
interface Likeness {
  itself: string;
  held: string;
}

const unlike: Likeness = { itself: '', held: '' };

/**
 * What each entity is but for its name, and for the names of all others that may have changed too. Names of policies and what somebody
 * wrote may hold the word that is the name, and are left out, or left as they are.
 */
function likenesses(chapters: JsonObject, entities: readonly JsonObject[]): Map<JsonObject, Likeness> {
  const renameOf = (entity: JsonObject): RenamedEntity => ({ kind: '', before: nameOf(entity), after: nameless });
  const ids = new Map(entities.map((entity) => [text(entity, 'id'), renameOf(entity)]));
  const rules = groupBy(items(chapters.rules, 'rules'), (rule) => text(rule, 'entity'));
  const policies = groupBy(items(chapters.roles, 'policies'), (policy) => text(policy, 'entity'));
  return new Map(
    entities.map((entity): [JsonObject, Likeness] => {
      const own = new Map([[sqlName(text(entity, 'name')), renameOf(entity)]]);
      const blur = (value: unknown): unknown => blurred(value, ids, own, text(entity, 'schema'));
      const [id, { kind, fields, definition }] = [text(entity, 'id'), entity];
      const ruled = (rules.get(id) ?? []).map((rule) =>
        canonical([rule.kind, rule.fields, rule.applies_to, blur(rule.sql)]),
      );
      const held = (policies.get(id) ?? []).map(({ entity: _, name, words: __, sql: ___, ...policy }) =>
        canonical([name, blur(policy)]),
      );
      return [
        entity,
        { itself: canonical([kind, blur(fields), blur(definition), ruled.sort()]), held: canonical(held.sort()) },
      ];
    }),
  );
}

/** A value without the names of some entities. A text that is a name and no more may be one of a field, and stays. */
function blurred(
  value: unknown,
  ids: ReadonlyMap<string, RenamedEntity>,
  own: ReadonlyMap<string, RenamedEntity>,
  schema: string,
): unknown {
  if (typeof value === 'string') {
    return own.has(value) ? value : withSequencesOf(schema, '', withEntities(value, ids, own)[0]);
  }
  if (Array.isArray(value)) return value.map((each) => blurred(each, ids, own, schema));
  if (!isObject(value)) return value;
  const isOne = ids.has(entityId(text(value, 'schema'), text(value, 'entity')));
  return Object.fromEntries(
    Object.entries(isOne ? { ...value, schema: '', entity: '' } : value).map(([key, each]) => [
      key,
      // A comment may hold the word that is the name.
      key === 'comment' ? each : blurred(each, ids, own, schema),
    ]),
  );
}
