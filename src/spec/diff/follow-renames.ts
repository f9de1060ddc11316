import type { ChapterKey } from '../../../contract/chapters.ts';
import { entityId, sqlName } from '../names.ts';
import { isObject, type JsonObject } from './differences.ts';
import {
  entityPart,
  type RenamedEntity,
  type RenamedField,
  withEntities,
  withField,
  withFieldElsewhere,
  withoutColumnNames,
  withoutOwnColumnNames,
  withSequencesOf,
} from './renamed-text.ts';
import { renamedEntities, renamedFields } from './renames.ts';
import type { Told } from './teller.ts';
import { type RenamesOfChapter, renameWords } from './words/renames.ts';
import { items, sentence, text } from './words/values.ts';

/** Chapters that speak of entities by their names. */
const chapters: readonly ChapterKey[] = [
  'screens',
  'entities',
  'states',
  'rules',
  'roles',
  'calls',
  'errors',
  'limits',
];

/**
 * The chapters before, with the names that entities and fields have after: what then still differs is what else has changed.
 * A text takes another name only where that makes it one that stands after, so that nothing that changed beside a name is hidden.
 * `told` are the sentences that say so, by the chapter that has the names. Pure.
 */
export function followRenames(
  before: JsonObject,
  after: JsonObject,
): { before: JsonObject; told: Map<string, Told[]> } {
  const entities = renamedEntities(before, after);
  const used = new Map(chapters.map((key): [string, RenamesOfChapter] => [key, noRenames()]));
  const moved = rewritten(
    before,
    after,
    entities.length > 0 ? (key) => entityNames(after[key], entities, used.get(key)) : null,
  );
  const fields = renamedFields(moved, after);
  const followed = rewritten(
    moved,
    after,
    fields.length > 0
      ? (key) => fieldNames(after[key], fields, used.get(key), key === 'roles' ? viewsOf(after, fields) : undefined)
      : null,
  );
  return { before: followed, told: new Map([...used].map(([key, renames]) => [key, renameWords(key, renames)])) };
}

/** Views of the entities whose fields have other names, by their ids: what they let through is told with the fields beneath. */
const viewsOf = (after: JsonObject, fields: readonly RenamedField[]): ReadonlyMap<string, RenamedField> =>
  new Map(
    items(after.entities, 'entities').flatMap((view) => {
      const rename = fields.find(({ entity }) => text(view, 'definition').includes(` ${entity.id}`));
      return rename ? [[text(view, 'id'), rename] as const] : [];
    }),
  );

const noRenames = (): RenamesOfChapter => ({ entities: new Set(), fields: new Set(), addresses: new Map() });

/** How the walk through a chapter rewrites it; `scope` is what the objects around a text have said of where it belongs. */
interface Names<Scope> {
  text(value: string, key: string, scope: Scope): string;
  object(value: JsonObject, scope: Scope): [JsonObject, Scope];
  outermost: Scope;
}

function rewritten<Scope>(
  before: JsonObject,
  after: JsonObject,
  namesOf: ((key: ChapterKey) => Names<Scope>) | null,
): JsonObject {
  if (namesOf === null) return before;
  const there = chapters.filter((key) => before[key] !== undefined && after[key] !== undefined);
  return {
    ...before,
    ...Object.fromEntries(
      there.map((key) => {
        const names = namesOf(key);
        return [key, walk(before[key], '', names.outermost, names)];
      }),
    ),
  };
}

function walk<Scope>(value: unknown, key: string, scope: Scope, names: Names<Scope>): unknown {
  if (typeof value === 'string') return names.text(value, key, scope);
  if (Array.isArray(value)) return value.map((each) => walk(each, key, scope, names));
  if (!isObject(value) || isDefined(value)) return value;
  const [renamed, inner] = names.object(value, scope);
  return Object.fromEntries(
    Object.entries(renamed).map(([name, each]) => [
      name,
      isWritten(value, name) ? each : walk(each, name, inner, names),
    ]),
  );
}

/** The texts of a chapter, each with its scope. */
function gather<Scope>(
  value: unknown,
  scope: Scope,
  names: { scope: (value: JsonObject, outer: Scope) => Scope; text: (value: string, scope: Scope) => void },
): void {
  if (typeof value === 'string') names.text(value, scope);
  else if (Array.isArray(value)) for (const each of value) gather(each, scope, names);
  else if (isObject(value) && !isDefined(value)) {
    const inner = names.scope(value, scope);
    for (const each of Object.values(value)) gather(each, inner, names);
  }
}

/** A screen that somebody defined names what it shows as it was called then. */
const isDefined = (value: JsonObject): boolean => text(value, 'origin').startsWith('defined');

/** What people wrote: PostgreSQL changes none of it where a name changes. */
function isWritten(holder: JsonObject, key: string): boolean {
  if (key === 'words') return holder.commented === true;
  // As PostgreSQL prints what it compiled; it keeps all else as it was sent.
  if (key === 'body') return !/^\s*(RETURN|BEGIN ATOMIC)\b/.test(text(holder, 'body'));
  if (key === 'meaning') return holder.bypasses_row_level_security !== undefined;
  return ['comment', 'message', 'hint'].includes(key);
}

function entityNames(
  after: unknown,
  entities: readonly RenamedEntity[],
  used: RenamesOfChapter = noRenames(),
): Names<null> {
  const ids = new Map(entities.map((rename) => [rename.before.id, rename]));
  const bare = new Map(entities.map((rename) => [sqlName(rename.before.name), rename]));
  const stands = new Set<string>();
  gather(after, null, { text: (value) => void stands.add(value), scope: () => null });
  const use = (of: Iterable<RenamedEntity>): void => {
    for (const rename of of) used.entities.add(rename);
  };
  return {
    outermost: null,
    text: (value, key) => {
      if (stands.has(value)) return value;
      if (key === 'default') {
        const moved = entities.map(({ before, after }) => withSequencesOf(before.schema, after.schema, value));
        const found = moved.find((one) => one !== value && stands.has(one));
        if (found !== undefined) return found;
      }
      const isAddress = key === 'path' || key === 'route';
      const [whole, of] = isAddress
        ? withAddress(value, entities)
        : key === 'title'
          ? withTitle(value, entities)
          : withEntities(value, ids, bare);
      if (!stands.has(whole)) return value;
      if (isAddress) used.addresses.set(value, whole);
      use(of);
      return whole;
    },
    object: (value) => {
      const entity = ids.get(text(value, 'id'));
      const reference = ids.get(entityId(text(value, 'schema'), text(value, 'entity')));
      if (entity) {
        use([entity]);
        return [{ ...value, ...entity.after }, null];
      }
      if (!reference) return [value, null];
      use([reference]);
      return [{ ...value, schema: reference.after.schema, entity: reference.after.name }, null];
    },
  };
}

/** An address has the name of an entity as one of its parts. */
function withAddress(address: string, entities: readonly RenamedEntity[]): [string, RenamedEntity[]] {
  const parts = address.split('/');
  const rename = entities.find(({ before }) => parts.includes(encodeURIComponent(before.name)));
  if (!rename) return [address, []];
  parts[parts.indexOf(encodeURIComponent(rename.before.name))] = encodeURIComponent(rename.after.name);
  return [parts.join('/'), [rename]];
}

/** The title of a screen has it in words: "One row of order lines". */
function withTitle(title: string, entities: readonly RenamedEntity[]): [string, RenamedEntity[]] {
  const label = (name: string) => name.replaceAll(/[_\s]+/g, ' ').trim();
  for (const rename of entities) {
    const [was, is] = [label(rename.before.name), label(rename.after.name)];
    const [capitalWas, capitalIs] = [sentence(was), sentence(is)];
    if (title.startsWith(capitalWas)) return [capitalIs + title.slice(capitalWas.length), [rename]];
    if (title.endsWith(` ${was}`)) return [title.slice(0, -was.length) + is, [rename]];
  }
  return [title, []];
}

function fieldNames(
  after: unknown,
  fields: readonly RenamedField[],
  used: RenamesOfChapter = noRenames(),
  views: ReadonlyMap<string, RenamedField> = new Map(),
): Names<RenamedField | null> {
  // Each with a scope of its own, as a view may keep the name for what it shows.
  const copies = new Map([...views].map(([id, rename]) => [id, { ...rename }]));
  const told = new Map([...copies].map(([id, copy]) => [copy, views.get(id) ?? copy]));
  const byEntity = new Map([...copies, ...fields.map((rename) => [rename.entity.id, rename] as const)]);
  const stands = new Map([...byEntity.values()].map((rename) => [rename, new Set<string>()]));
  const scope = (value: JsonObject, outer: RenamedField | null) => scopeOf(value, outer, byEntity);
  const plainly = (value: string) => fields.reduce(withoutColumnNames, value);
  const anywhere = new Map<string, string>();
  gather<RenamedField | null>(after, null, {
    scope,
    text: (value, of) => {
      if (of) stands.get(of)?.add(value);
      anywhere.set(value, value);
      const plain = plainly(value);
      if (!anywhere.has(plain)) anywhere.set(plain, value);
    },
  });
  /** What it has become where it names a field of another entity, beside those of its own. */
  const elsewhere = (value: string, own: string): string => {
    if (anywhere.get(value) === value) return value;
    for (const isAlone of [false, true]) {
      const moved = fields.filter((rename) => withFieldElsewhere(own, rename, isAlone) !== own);
      const renamed = moved.reduce((all, rename) => withFieldElsewhere(all, rename, isAlone), own);
      const found = moved.length === 0 ? undefined : anywhere.get(plainly(renamed));
      if (found === undefined) continue;
      for (const rename of moved) used.fields.add(rename);
      return found;
    }
    return value;
  };
  const use = (rename: RenamedField, value: string): string => {
    used.fields.add(told.get(rename) ?? rename);
    return value;
  };
  return {
    outermost: null,
    text: (value, key, rename) => {
      if (rename === null) return elsewhere(value, value);
      if (stands.get(rename)?.has(value)) return value;
      const renamed = value === rename.before ? rename.after : withField(value, rename);
      if (renamed !== value && stands.get(rename)?.has(renamed)) return use(rename, renamed);
      if (key === 'definition') {
        const asked = withoutOwnColumnNames(value, rename);
        const found = [...(stands.get(rename) ?? [])].find((one) => withoutOwnColumnNames(one, rename) === asked);
        if (found !== undefined) return use(rename, found);
      }
      return elsewhere(value, renamed);
    },
    object: (value, outer) => {
      const inner = scope(value, outer);
      // The field itself, whatever else of the entity has that name.
      const isField = inner !== null && value.name === inner.before && value.nullable !== undefined;
      return [isField ? { ...value, name: use(inner, inner.after) } : value, inner];
    },
  };
}

/** The renaming that texts in an object are about: of the entity that the object says it belongs to, else of the one around it. */
function scopeOf(
  value: JsonObject,
  outer: RenamedField | null,
  byEntity: ReadonlyMap<string, RenamedField>,
): RenamedField | null {
  const named = text(value, 'entity');
  const schema = text(value, 'schema');
  const own =
    (named !== '' && schema !== '' ? entityId(schema, named) : named) ||
    text(value, 'on') ||
    entityPart(text(value, 'origin')) ||
    entityPart(text(value, 'id'));
  return own === '' ? outer : (byEntity.get(own) ?? null);
}
