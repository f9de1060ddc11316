import { chapters as allChapters } from '../../../contract/chapters.ts';
import { groupBy } from '../../catalog/group.ts';
import { entityId } from '../../catalog/names.ts';
import { isObject, items, type JsonObject, sentence, text, texts } from '../derive/words/sentence-parts.ts';
import type { DescribedChange } from './describer.ts';
import { identityOf } from './differences.ts';
import { NamesInText, partsOf, plainName, type TextScope } from './names-in-text.ts';
import { RenameSentences } from './rename-sentences.ts';
import type { Rename, RenameKind } from './renames.ts';

/**
 * Returns the older chapters with the newer names of all renamed objects, so that only other changes remain. Also
 * returns the sentences that report the renames, by chapter. Walks through both versions in parallel. Replaces a name
 * that identifies an object by the newer name of that object. Replaces any other text by the newer text at the same
 * path if the two differ only by renames. Pure.
 */
export function followRenames(
  before: JsonObject,
  after: JsonObject,
  renames: readonly Rename[],
): { before: JsonObject; described: Map<string, DescribedChange[]> } {
  const described = new Map<string, DescribedChange[]>();
  if (renames.length === 0) return { before, described };
  const known: KnownNames = {
    exact: new Map(renames.map((rename) => [keyOf(rename.kind, rename.of, rename.before), rename])),
    inText: new NamesInText(renames),
    shows: shownBy(after),
  };
  const followed: Record<string, unknown> = { ...before };
  for (const { key } of allChapters) {
    const [was, is] = [before[key], after[key]];
    if (!isObject(was) || !isObject(is)) continue;
    const walk = new ChapterWalk(known, new RenameSentences(key, after));
    followed[key] = walk.object(was, is, '', '');
    described.set(key, walk.sentences.all());
  }
  return { before: followed, described };
}

interface KnownNames {
  /** The renames by `keyOf`. */
  exact: ReadonlyMap<string, Rename>;
  inText: NamesInText;
  /** Returns a function for a view. That function returns true for a relation that the view's query reads. */
  shows: (view: string) => (entity: string) => boolean;
}

const keyOf = (kind: RenameKind, of: string, name: string): string => `${kind}\0${of}\0${name}`;

function shownBy(after: JsonObject): KnownNames['shows'] {
  const entities = items(after.entities, 'entities');
  const definitions = new Map(entities.map((one) => [text(one, 'id'), text(one, 'definition')]));
  return (view) => (entity) => entity !== '' && (definitions.get(view) ?? '').includes(` ${entity}`);
}

/** Members whose whole text is the id of an entity or a function. */
const idMembers: ReadonlySet<string> = new Set([
  ...['id', 'entity', 'on', 'through', 'view', 'from', 'to', 'origin', 'function'],
]);

/** For each member name of a list item, the kind of object that the member names. */
const namedIn: Readonly<Record<string, RenameKind>> = {
  fields: 'field',
  triggers: 'trigger',
  policies: 'policy',
  rules: 'constraint',
  relations: 'constraint',
  view_foreign_keys: 'constraint',
  roles: 'role',
};

/** Follows the renames in one chapter of both versions. */
class ChapterWalk {
  readonly sentences: RenameSentences;
  readonly #known: KnownNames;

  constructor(known: KnownNames, sentences: RenameSentences) {
    this.#known = known;
    this.sentences = sentences;
  }

  /**
   * @param list The name of the member that contains the object or its list.
   * @param outer The id of the entity that contains the object.
   */
  object(before: JsonObject, after: unknown, list: string, outer: string): JsonObject {
    const named = this.#identified(before, list, outer);
    const entity = this.#entityIn(before) || outer;
    const other = isObject(after) ? after : {};
    // Objects that depend on several policies list their names sorted. A rename can change this order. A cell of a view
    // does not name its policies.
    const isSorted = list === 'cells' || texts(before, 'policies').some((name) => this.#known.inText.isPolicy(name));
    return Object.fromEntries(
      Object.entries(named).map(([key, value]) => {
        const isDone = value !== before[key] || isWritten(before, key) || (isDefined(before) && key !== 'roles');
        if (isDone) return [key, value];
        const now = other[key];
        const isSame = isSorted && typeof value === 'string' && typeof now === 'string';
        return [key, isSame && this.#known.inText.inAnyOrder(value, now) ? now : this.#value(value, now, key, entity)];
      }),
    );
  }

  /** Returns the object in which the members that identify it have the newer names. */
  #identified(before: JsonObject, list: string, outer: string): JsonObject {
    const named: Record<string, unknown> = { ...before };
    for (const [key, value] of Object.entries(before)) {
      if (idMembers.has(key) && typeof value === 'string' && !isDefined(before)) named[key] = this.#id(value);
    }
    const target = this.#newName('entity', '', entityId(text(before, 'schema'), text(before, 'entity')));
    if (target) [named.schema, named.entity] = namesOf(target.after);
    if (list === 'entities' && named.id !== before.id) [named.schema, named.name] = namesOf(String(named.id));
    const kind = namedIn[list];
    const isNamed = kind !== undefined && (kind !== 'field' || before.nullable !== undefined);
    const holder = isObject(before.from) ? before.from : before;
    const of = kind === 'role' ? '' : this.#entityIn(holder) || outer;
    const rename = isNamed ? this.#newName(kind, of, text(before, 'name')) : undefined;
    if (!rename) return named;
    this.sentences.announce(rename, list, named);
    return { ...named, name: rename.after };
  }

  #newName(kind: RenameKind, of: string, name: string): Rename | undefined {
    const rename = this.#known.exact.get(keyOf(kind, of, name));
    if (rename) this.sentences.use(rename);
    return rename;
  }

  /**
   * Returns the id that the entity of an older object has in the newer version; an empty string if the object belongs
   * to no entity.
   */
  #entityIn(before: JsonObject): string {
    const id = entityIn(before);
    return this.#known.exact.get(keyOf('entity', '', id))?.after ?? id;
  }

  #id(value: string): string {
    return (this.#newName('entity', '', value) ?? this.#newName('function', '', value))?.after ?? value;
  }

  #value(before: unknown, after: unknown, key: string, entity: string): unknown {
    if (typeof before === 'string') return this.#text(before, after, key, entity);
    if (isObject(before)) return this.object(before, after, key, entity);
    if (!Array.isArray(before)) return before;
    const others: readonly unknown[] = Array.isArray(after) ? after : [];
    return before.every(isObject) && others.every(isObject)
      ? this.#items(before, others, key, entity)
      : this.#elements(before, others, key, entity);
  }

  /**
   * Returns the items of a list with the newer names. If a rename changed the key of an item, the items are in the
   * order of the newer list.
   */
  #items(before: readonly JsonObject[], after: readonly JsonObject[], key: string, entity: string): JsonObject[] {
    const named = before.map((item) => this.#identified(item, key, entity));
    const keyIn = identityOf(named, after);
    const byKey = new Map(after.map((item) => [keyIn(item), item]));
    const keys = named.map((item, i) => {
      const [own, was] = [keyIn(item), keyIn(before[i] ?? {})];
      const scope = this.#scope(this.#entityIn(before[i] ?? {}) || entity);
      return { key: own === was ? this.#known.inText.resolved(own, scope) : own, scope };
    });
    const partners = this.#partners(keys, [...byKey.keys()]);
    const followed = before.map((item, i) => {
      const partner = partners[i] ?? '';
      return { key: partner, item: this.object(item, byKey.get(partner), key, entity) };
    });
    const isSame = before.every((item, i) => keyIn(item) === followed[i]?.key);
    if (isSame) return followed.map(({ item }) => item);
    const order = new Map([...byKey.keys()].map((each, i) => [each, i]));
    const place = (each: string) => order.get(each) ?? order.size;
    return followed.sort((a, b) => place(a.key) - place(b.key)).map(({ item }) => item);
  }

  /** For each key in the older list, returns the key of the same item in the newer list. */
  #partners(before: readonly { key: string; scope: TextScope }[], after: readonly string[]): (string | undefined)[] {
    const { inText } = this.#known;
    const there = new Set(after);
    const taken = new Set(before.flatMap(({ key }) => (there.has(key) ? [key] : [])));
    const free = after.filter((key) => !taken.has(key));
    const byShape = groupBy(free, (key) => inText.shapeOf(key));
    return before.map(({ key, scope }) => {
      if (taken.has(key)) return key;
      return byShape
        .get(inText.shapeOf(key))
        ?.find((other) => inText.between(key, other, scope) !== null || inText.inAnyOrder(key, other));
    });
  }

  /** Returns the elements of a list of names, or of lists of names. */
  #elements(before: readonly unknown[], after: readonly unknown[], key: string, entity: string): unknown[] {
    const followed = before.map((element, i) => {
      if (typeof element !== 'string') return this.#value(element, after[i], key, entity);
      const others = after.filter((other) => typeof other === 'string' && !before.includes(other));
      for (const other of [after[i], ...others]) {
        const now = this.#text(element, other, key, entity);
        if (now !== element) return now;
      }
      return element;
    });
    const isRenamed = followed.some((element, i) => element !== before[i]);
    const inOrder = (list: readonly unknown[]) => JSON.stringify([...list].map((one) => JSON.stringify(one)).sort());
    return isRenamed && inOrder(followed) === inOrder(after) ? [...after] : followed;
  }

  #text(before: string, after: unknown, key: string, entity: string): string {
    const role = roleMembers.has(key) ? this.#known.exact.get(keyOf('role', '', before)) : undefined;
    if (role && role.after === after) {
      this.sentences.use(role);
      return role.after;
    }
    // The name of a policy may consist of several words, so a list of policies is not compared as text.
    const policy = key === 'policies' ? this.#newName('policy', entity, before) : undefined;
    if (policy) return policy.after;
    const { inText } = this.#known;
    const scope = this.#scope(entity);
    if (before === after || typeof after !== 'string') return inText.resolved(before, scope);
    const found = this.#inPlaceOf(before, after, key, scope);
    if (found === null) return inText.resolved(before, scope);
    for (const rename of found) this.sentences.use(rename);
    if (key === 'path' || key === 'route') this.sentences.moveAddress(found, before, after);
    return after;
  }

  #inPlaceOf(before: string, after: string, key: string, scope: TextScope): Rename[] | null {
    const { inText, exact } = this.#known;
    if (key === 'path' || key === 'route') return inAddress([...exact.values()], before, after);
    const inWords = key === 'title' ? inTitle([...exact.values()], before, after) : null;
    return inWords ?? inText.between(before, after, scope);
  }

  #scope(entity: string): TextScope {
    return { entity, shows: this.#known.shows(entity) };
  }
}

/** Members that contain names of roles. */
const roleMembers: ReadonlySet<string> = new Set(['role', 'roles', 'member_role']);

const namesOf = (id: string): string[] => partsOf(id).map(plainName);

const NAME = '(?:"(?:[^"]|"")*"|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
const entityAtStart = new RegExp(`^(?:(?:rule|rest|transition)\\.)?(${NAME}\\.${NAME})`);

/** Returns the id of the entity that an object belongs to; an empty string if the object belongs to no entity. */
function entityIn(value: JsonObject): string {
  const [schema, named] = [text(value, 'schema'), text(value, 'entity')];
  if (named !== '') return schema === '' ? named : entityId(schema, named);
  const from = isObject(value.from) ? entityIn(value.from) : '';
  const idText = (name: string) => entityAtStart.exec(text(value, name))?.[1] ?? '';
  return text(value, 'view') || from || text(value, 'on') || text(value, 'through') || idText('origin') || idText('id');
}

/** Returns true for a screen that a builder defined. A rename does not change the names in its texts. */
const isDefined = (value: JsonObject): boolean => text(value, 'origin').startsWith('defined');

/**
 * Returns true for a member whose text a person wrote. PostgreSQL does not update such a text when an object is
 * renamed.
 */
function isWritten(holder: JsonObject, key: string): boolean {
  // PostgreSQL prints a compiled body with the current names of objects. It stores every other body as it was sent.
  if (key === 'body') return !/^\s*(RETURN|BEGIN ATOMIC)\b/.test(text(holder, 'body'));
  if (key === 'meaning') return holder.bypasses_row_level_security !== undefined;
  return ['comment', 'message', 'hint'].includes(key);
}

/**
 * Finds the renames that explain the change of an address. A relation, a function or a field is one part of the
 * address.
 */
function inAddress(renames: readonly Rename[], before: string, after: string): Rename[] | null {
  const [was, is] = [before, after].map((address) => address.split('/').map(decoded));
  if (was?.length !== is?.length) return null;
  const found = was?.flatMap((part, i) => (part === is?.[i] ? [] : [renames.find(leads(part, is?.[i] ?? ''))]));
  return found?.every((rename) => rename !== undefined) ? found : null;
}

const leads =
  (was: string, is: string) =>
  ({ kind, before, after }: Rename): boolean => {
    if (kind === 'field') return was === `:${before}` && is === `:${after}`;
    const isThing = kind === 'entity' || kind === 'function';
    return isThing && namesOf(before)[1] === was && namesOf(after)[1] === is;
  };

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Finds the renames that explain the change of a screen's title, which contains the name of the entity in words: "One
 * row of order lines".
 */
function inTitle(renames: readonly Rename[], before: string, after: string): Rename[] | null {
  const label = (id: string) => (namesOf(id)[1] ?? '').replaceAll(/[_\s]+/g, ' ').trim();
  const found = renames.find((rename) => {
    if (rename.kind !== 'entity') return false;
    const [was, is] = [label(rename.before), label(rename.after)];
    const atStart = before.startsWith(sentence(was)) && after === sentence(is) + before.slice(was.length);
    return atStart || (before.endsWith(` ${was}`) && after === before.slice(0, -was.length) + is);
  });
  return found ? [found] : null;
}
