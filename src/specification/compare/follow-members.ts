import { chapters as allChapters } from '../../../contract/chapters.ts';
import { entityId } from '../../catalog/names.ts';
import { isObject, type JsonObject, text } from '../derive/words/sentence-parts.ts';
import { identityOf } from './differences.ts';
import { SqlNames } from './names-in-sql.ts';
import { namesOf, type Rename, type RenameKind } from './object-names.ts';
import { namedIn, type RenameSentences } from './rename-sentences.ts';

/**
 * Returns the older chapters with the newer names in members that contain a name or SQL. Sentences stay unchanged, so a
 * sentence that contains an older name counts as changed. For two versions of one app, `renameFacts` replaces most names
 * in the facts before. Pure.
 * @param sentences The sentences of each chapter, which note the renames that the chapter contains.
 */
export function followMembers(
  before: JsonObject,
  after: JsonObject,
  renames: readonly Rename[],
  sentences: ReadonlyMap<string, RenameSentences>,
): JsonObject {
  if (renames.length === 0) return before;
  const names = new SqlNames(renames);
  const exact = new Map(renames.map((rename) => [keyOf(rename.kind, rename.of, rename.before), rename]));
  const followed: Record<string, unknown> = { ...before };
  for (const { key } of allChapters) {
    const [was, is, noted] = [before[key], after[key], sentences.get(key)];
    if (isObject(was) && isObject(is) && noted)
      followed[key] = new MemberWalk(names, exact, noted).object(was, is, '', '');
  }
  return followed;
}

const keyOf = (kind: RenameKind, of: string, name: string): string => `${kind}\0${of}\0${name}`;

/** Members that contain the id of an entity, a function, a rule or a call, or SQL. */
const idMembers: ReadonlySet<string> = new Set([
  ...['id', 'entity', 'on', 'through', 'view', 'from', 'to', 'origin', 'function'],
]);
const sqlMembers: ReadonlySet<string> = new Set([
  ...['sql', 'definition', 'default', 'using', 'check', 'type', 'numbering'],
]);
/** Lists of names of fields. */
const fieldMembers: ReadonlySet<string> = new Set(['fields', 'columns', 'primary_key', 'unique_keys', 'delete_fields']);
const roleMembers: ReadonlySet<string> = new Set(['role', 'roles', 'member_role']);

/** Follows the renames in one chapter of both versions. */
class MemberWalk {
  readonly #names: SqlNames;
  readonly #exact: ReadonlyMap<string, Rename>;
  readonly #sentences: RenameSentences;

  constructor(names: SqlNames, exact: ReadonlyMap<string, Rename>, sentences: RenameSentences) {
    this.#names = names;
    this.#exact = exact;
    this.#sentences = sentences;
  }

  /**
   * @param list The name of the member that contains the object or its list.
   * @param outer The newer id of the entity that contains the object.
   */
  object(before: JsonObject, after: JsonObject, list: string, outer: string): JsonObject {
    const entity = this.#entityIn(before) || outer;
    const isDefined = text(before, 'origin').startsWith('defined');
    const followed = Object.entries(this.#identified(before, list, entity)).map(([key, value]) => {
      const isFollowed = value !== before[key] || (isDefined && key !== 'roles');
      return [key, isFollowed ? value : this.#value(value, after[key], key, entity)];
    });
    return Object.fromEntries(followed);
  }

  /** Returns the object in which the members that identify it have the newer names. */
  #identified(before: JsonObject, list: string, entity: string): JsonObject {
    const named: Record<string, unknown> = { ...before };
    const isDefined = text(before, 'origin').startsWith('defined');
    for (const [key, value] of Object.entries(before)) {
      if (idMembers.has(key) && typeof value === 'string' && !isDefined) named[key] = this.#id(value);
      if (list === 'cells' && key === 'role') named[key] = this.#newName('role', '', text(before, key));
    }
    const id = entityId(text(before, 'schema'), text(before, list === 'entities' ? 'name' : 'entity'));
    const moved = namesOf(this.#id(id));
    if (list === 'entities') Object.assign(named, moved);
    else if (moved.name !== text(before, 'entity') && before.schema !== undefined) {
      Object.assign(named, { schema: moved.schema, entity: moved.name });
    }
    const kind = namedIn[list];
    if (kind === undefined || (kind === 'field' && before.nullable === undefined)) return named;
    const holder = isObject(before.from) ? this.#entityIn(before.from) : entity;
    const rename = this.#exact.get(keyOf(kind, kind === 'role' ? '' : holder, text(before, 'name')));
    if (!rename) return named;
    this.#sentences.use(rename);
    this.#sentences.announce(rename, list, named);
    return { ...named, name: rename.after };
  }

  #newName(kind: RenameKind, of: string, name: string): string {
    const rename = this.#exact.get(keyOf(kind, of, name));
    if (rename) this.#sentences.use(rename);
    return rename?.after ?? name;
  }

  #id(id: string): string {
    const name = this.#newName('entity', '', this.#newName('function', '', id));
    if (name !== id) return name;
    const replaced = this.#names.replace(id, '');
    if (replaced !== id) this.#noteNames(replaced);
    return replaced;
  }

  /** Notes the renamed objects in an id such as `rest.public.tickets.select` or `public.tickets.title_length`. */
  #noteNames(id: string): void {
    for (const rename of this.#exact.values()) {
      if (id.includes(rename.of) && id.includes(rename.after)) this.#sentences.use(rename);
    }
  }

  /** Returns the newer id of the entity that an older object belongs to; an empty string for none. */
  #entityIn(before: JsonObject): string {
    const [schema, named, view] = ['schema', 'entity', 'view'].map((name) => text(before, name));
    const from = isObject(before.from) ? this.#entityIn(before.from) : '';
    const id = named ? (schema ? entityId(schema, named) : named) : view || from || text(before, 'id');
    return this.#exact.get(keyOf('entity', '', id ?? ''))?.after ?? id ?? '';
  }

  #value(before: unknown, after: unknown, key: string, entity: string): unknown {
    if (typeof before === 'string') return this.#text(before, after, key, entity);
    if (isObject(before)) return this.object(before, isObject(after) ? after : {}, key, entity);
    if (!Array.isArray(before)) return before;
    const others: readonly unknown[] = Array.isArray(after) ? after : [];
    if (before.every(isObject) && others.every(isObject)) return this.#items(before, others, key, entity);
    const followed = before.map((one, i) => this.#element(one, others, i, key, entity));
    const isRenamed = followed.some((one, i) => one !== before[i]);
    const sorted = (list: readonly unknown[]) => JSON.stringify([...list].map((one) => JSON.stringify(one)).sort());
    return isRenamed && sorted(followed) === sorted(others) ? [...others] : followed;
  }

  /** Returns the items of a list. If the name of an item changed, they are in the order of the newer list. */
  #items(before: readonly JsonObject[], after: readonly JsonObject[], key: string, entity: string): JsonObject[] {
    const named = before.map((item) => this.#identified(item, key, this.#entityIn(item) || entity));
    const keyIn = identityOf(named, after);
    const byKey = new Map(after.map((item, i) => [keyIn(item), { item, i }]));
    const isRenamed = named.some((item, i) => keyIn(item) !== keyIn(before[i] ?? {}));
    const place = (i: number) => byKey.get(keyIn(named[i] ?? {}))?.i ?? after.length;
    const order = before.map((_, i) => i);
    if (isRenamed) order.sort((a, b) => place(a) - place(b));
    return order.map((i) => this.object(before[i] ?? {}, byKey.get(keyIn(named[i] ?? {}))?.item ?? {}, key, entity));
  }

  #element(one: unknown, others: readonly unknown[], i: number, key: string, entity: string): unknown {
    if (typeof one !== 'string') return this.#value(one, others[i], key, entity);
    const kind = fieldMembers.has(key) ? 'field' : roleMembers.has(key) ? 'role' : key === 'policies' ? 'policy' : null;
    const rename = kind && this.#exact.get(keyOf(kind, kind === 'role' ? '' : entity, one));
    if (!rename || others.includes(one) || !others.includes(rename.after)) return one;
    this.#sentences.use(rename);
    return rename.after;
  }

  #text(before: string, after: unknown, key: string, entity: string): string {
    if (roleMembers.has(key)) {
      return this.#exact.get(keyOf('role', '', before))?.after === after ? this.#newName('role', '', before) : before;
    }
    return sqlMembers.has(key) ? this.#names.follow(before, after, entity) : before;
  }
}
