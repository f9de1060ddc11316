import { chapters } from '../../../contract/chapters.ts';
import { groupBy } from '../../catalog/group.ts';
import type { JsonObject } from '../derive/words/sentence-parts.ts';
import { fewWords, items, text, thing, within } from '../derive/words/sentence-parts.ts';
import { entityWords, memberOf } from './chapters/relation-changes.ts';
import type { DescribedChange } from './describer.ts';
import { namesOf, type Rename, type RenameKind } from './object-names.ts';

const places: Readonly<Record<string, string>> = {
  screens: 'In the screens',
  entities: 'In the entities',
  states: 'In the states',
  rules: 'In the rules',
  roles: 'Where it says who may do what',
  calls: 'In the calls',
  errors: 'In the errors',
  limits: 'In the limits',
};

/**
 * The chapter that reports the rename of an object, by the kind of the object. The other chapters report nothing about
 * the rename, except the name that they use.
 */
const homes: Readonly<Partial<Record<RenameKind, string>>> = {
  entity: 'entities',
  field: 'entities',
  function: 'calls',
  role: 'roles',
};

/** For each list of a chapter, the kind of object that the member `name` of its items names. */
export const namedIn: Readonly<Record<string, RenameKind>> = {
  fields: 'field',
  triggers: 'trigger',
  policies: 'policy',
  rules: 'constraint',
  relations: 'constraint',
  view_foreign_keys: 'constraint',
  roles: 'role',
};

/** Returns empty notes for each chapter. */
export const notesOf = (after: JsonObject): ReadonlyMap<string, RenameSentences> =>
  new Map(chapters.map(({ key }) => [key, new RenameSentences(key, after)]));

/** Collects the renames in a chapter, and describes each in one sentence. */
export class RenameSentences {
  readonly #chapter: string;
  readonly #after: JsonObject;
  readonly #used = new Set<Rename>();
  /** For each rename that changed addresses of calls or screens, the newer address by the older address. */
  readonly #addresses = new Map<Rename, Map<string, string>>();
  /**
   * Sentences with which a chapter reports a rename as the rename of one of its items. They replace the general
   * sentence about the rename.
   */
  readonly #announced = new Map<Rename, string>();

  constructor(chapter: string, after: JsonObject) {
    this.#chapter = chapter;
    this.#after = after;
  }

  use(rename: Rename): void {
    if (!rename.isDisplaced) this.#used.add(rename);
  }

  moveAddress(rename: Rename, before: string, after: string): void {
    this.#addresses.set(rename, (this.#addresses.get(rename) ?? new Map()).set(before, after));
  }

  /** Records that an item of the chapter was renamed, if the list of the item has a sentence for this. */
  announce(rename: Rename, list: string, item: JsonObject): void {
    const isOwn = namedIn[list] === rename.kind && !rename.isDisplaced;
    const words = isOwn && !this.#announced.has(rename) ? itemWords(rename, list, item) : null;
    if (words !== null) this.#announced.set(rename, words);
  }

  /** Returns one sentence for each kind of object, or for each object in the chapter that describes it. */
  all(): DescribedChange[] {
    const rest = [...this.#used]
      .filter((rename) => !this.#announced.has(rename) && !this.#followsTable(rename))
      .sort((a, b) => Number(a.kind === 'field') - Number(b.kind === 'field'));
    const own = rest.filter(({ kind }) => homes[kind] === this.#chapter);
    const others = rest.filter((rename) => !own.includes(rename));
    return [
      ...own.map((rename, i) => {
        const moved = own.slice(i + 1).some(({ kind }) => kind === rename.kind) ? '' : this.#moved(own, rename.kind);
        return described(`${this.#ownWords(rename)}${moved}.`, [rename]);
      }),
      ...[...groupBy(others, ({ kind }) => kindTogether(kind)).values()].map((group) => {
        const moved = group.reduce((all, { kind }) => all || this.#moved(group, kind), '');
        const place = places[this.#chapter] ?? 'Here';
        return described(`${place}, ${fewWords(group.map(nowWords))}${moved}.`, group);
      }),
      ...[...this.#announced].map(([rename, words]) => described(words, [rename])),
    ];
  }

  /** Returns true for the sequence of a serial column, which moves to the schema of its table. */
  #followsTable({ kind, before, after }: Rename): boolean {
    const schemas = (was: string, is: string) => `${namesOf(was).schema} ${namesOf(is).schema}`;
    const moves = (one: Rename) => one.kind === 'entity' && schemas(one.before, one.after) === schemas(before, after);
    return kind === 'sequence' && namesOf(before).name === namesOf(after).name && [...this.#used].some(moves);
  }

  #ownWords({ kind, of, before, after }: Rename): string {
    switch (kind) {
      case 'entity':
        return `In place of the ${this.#kindOf(after)} ${thing(before)} there is ${thing(after)}, the same but for its name`;
      case 'field':
        return `In place of the field ${before} of ${thing(of)} there is ${after}, the same but for its name`;
      case 'role':
        return `In place of the role ${before} of members there is ${after}, the same but for its name`;
      default:
        return `In place of the ${kind} ${thing(before)} there is ${thing(after)}, the same but for its name`;
    }
  }

  #kindOf(id: string): string {
    const entity = items(this.#after.entities, 'entities').find((one) => text(one, 'id') === id);
    return text(entity, 'kind') || 'table';
  }

  #moved(renames: readonly Rename[], kind: RenameKind): string {
    const moved = renames.filter((one) => one.kind === kind).flatMap((one) => [...(this.#addresses.get(one) ?? [])]);
    return moved.length === 0 ? '' : `: ${fewWords(moved.map(([was, is]) => `${is} (before: ${was})`))}`;
  }
}

/** For each kind of object, the list of a chapter that contains such objects. */
const lists: Readonly<Record<RenameKind, string>> = {
  entity: 'entities',
  sequence: 'sequences',
  field: 'fields',
  function: 'functions',
  type: 'types',
  label: 'values',
  constraint: 'constraints',
  policy: 'policies',
  trigger: 'triggers',
  role: 'roles',
};

/** Renames of entities and of fields share a sentence, so both count as the kind `entity` here. */
const kindTogether = (kind: RenameKind): string => (kind === 'field' ? 'entity' : kind);

function nowWords({ kind, of, before, after }: Rename): string {
  switch (kind) {
    case 'entity':
      return `${thing(before)} is now ${thing(after)}`;
    case 'field':
      return `the field ${before} of ${thing(of)} is now ${after}`;
    case 'role':
      return `the role ${before} of members is now ${after}`;
    case 'label':
      return `the value ${before} of the type ${thing(of)} is now ${after}`;
    case 'constraint':
      return `the rule ${before}${of === '' ? '' : ` of ${thing(of)}`} is now ${after}`;
    default:
      return `the ${kind} ${thing(before)} is now ${thing(after)}`;
  }
}

/** The older item. All names in it are the newer ones, except the name of the item itself. */
function itemWords({ of, before, after }: Rename, list: string, item: JsonObject): string | null {
  switch (list) {
    case 'triggers':
      return `The trigger ${before} on ${thing(of)} is now called ${after}.`;
    case 'policies':
      return `The policy ${before} of ${thing(of)} is now called ${after}.`;
    case 'relations':
      return `The key by which rows of ${entityWords(memberOf(item, 'from'))} refer to a row of ${entityWords(memberOf(item, 'to'))} is now called ${after} (before: ${before}).`;
    case 'rules':
      return `The rule for ${thing(of)}, ${within(text(item, 'words'))}, is now called ${after} (before: ${before}).`;
    default:
      return null;
  }
}

const described = (words: string, renames: readonly Rename[]): DescribedChange => ({
  words,
  of: renames.map(({ kind, of, before, after }) => ({
    path: [...(of === '' ? [] : ['entities', `[${of}]`]), lists[kind], `[${after}]`],
    kind: 'changed',
    before,
    after,
  })),
});
