import { sqlName } from '../../catalog/names.ts';
import type { Rename } from './renames.ts';

/** Splits a text that PostgreSQL or a chapter printed into names, strings, numbers and other characters. */
const token = /"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|'(?:[^']|'')*'|\d+|\s+|./gsu;
const tokensOf = (text: string): string[] => text.match(token) ?? [];

/** Returns the parts of a qualified name in SQL notation. */
export const partsOf = (id: string): string[] => tokensOf(id.replace(/\(.*$/s, '')).filter((part) => part !== '.');

/** Returns a name without the quotes of SQL. */
export const plainName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

const isQualified = ({ kind }: Rename): boolean => ['entity', 'sequence', 'function', 'type'].includes(kind);

/** The object that a text belongs to, and the objects that it reads. */
export interface TextScope {
  /** Id of an entity; empty for a text without an entity. */
  readonly entity: string;
  /** Returns true for an entity whose fields the entity shows: for a view, the tables of its query. */
  readonly shows: (entity: string) => boolean;
}

/** Decides whether texts of two versions differ only by renames. */
export class NamesInText {
  readonly #byPair = new Map<string, Rename[]>();
  readonly #parts: Set<string>;
  readonly #fieldNames: ReadonlySet<string>;
  /** The renames that moved an object to another schema. */
  readonly #moved: readonly Rename[];
  readonly #policies: Map<string, string>;
  /** Older names that belong to another object in the newer version. */
  readonly #reused: ReadonlySet<string>;
  readonly #renames: readonly Rename[];
  /** The renames of objects whose older or newer name is not a single word. */
  readonly #odd: readonly Rename[];

  constructor(renames: readonly Rename[]) {
    this.#renames = renames;
    for (const rename of renames) for (const pair of spellingsOf(rename)) this.#add(pair, rename);
    this.#parts = new Set([...this.#byPair.keys()].flatMap((pair) => pair.split('\0')));
    const ofFields = renames.filter(({ kind }) => kind === 'field');
    this.#fieldNames = new Set(ofFields.flatMap(({ before, after }) => [sqlName(before), sqlName(after)]));
    this.#odd = renames.filter(
      (one) => !isQualified(one) && [one.before, one.after].some((name) => tokensOf(name).length > 1),
    );
    this.#moved = renames.filter((one) => isQualified(one) && partsOf(one.before)[0] !== partsOf(one.after)[0]);
    const policies = renames.filter(({ kind }) => kind === 'policy');
    this.#policies = new Map(
      policies.flatMap(({ before, after }) => [
        [before, after],
        [sqlName(before), sqlName(after)],
      ]),
    );
    const names = new Set(renames.map(({ kind, of, after }) => `${kind}\0${of}\0${after}`));
    const reused = renames.filter(({ kind, of, before }) => names.has(`${kind}\0${of}\0${before}`));
    this.#reused = new Set(reused.flatMap(({ before }) => partsOf(before).slice(-1)));
  }

  #add(pair: string, rename: Rename): void {
    this.#byPair.set(pair, [...(this.#byPair.get(pair) ?? []), rename]);
  }

  /**
   * Returns the text in a form in which renamed names are replaced. Two texts that differ only by renames have the same
   * form.
   */
  shapeOf(text: string): string {
    const names = this.#odd.flatMap(({ before, after }) => [before, after]).sort((a, b) => b.length - a.length);
    const plain = names.reduce((shown, name) => shown.replaceAll(asWhole(name), '□'), text);
    const parts = tokensOf(plain).map((part) => (this.#parts.has(part) ? '□' : part));
    return (this.#policies.size > 0 ? parts.sort() : parts).join('');
  }

  /** Returns true for the older name of a renamed policy. */
  isPolicy(name: string): boolean {
    return this.#policies.has(name);
  }

  /**
   * Returns the renames that turn the older text into the newer one; null if the texts also differ in something else.
   */
  between(before: string, after: string, scope: TextScope): Rename[] | null {
    const found = this.#aligned(tokensOf(before), tokensOf(after), scope);
    if (found !== null) return found;
    const [plain, now] = [this.#withoutColumnNames(before), this.#withoutColumnNames(after)];
    if (plain !== before || now !== after) {
      const shown = this.#aligned(tokensOf(plain), tokensOf(now), scope);
      if (shown !== null) return shown;
    }
    return this.#withQuotedNames(before, after, scope) ?? this.#withoutSchemas(before, after, scope);
  }

  /** Returns the renames as `between` does, but first puts names of several words in quotes, so that each is one token. */
  #withQuotedNames(before: string, after: string, scope: TextScope): Rename[] | null {
    const used = this.#odd.filter((one) => before.includes(one.before) && after.includes(one.after));
    if (used.length === 0) return null;
    const was = used.reduce((text, one) => text.replaceAll(asWhole(one.before), () => `"${one.before}"`), before);
    const is = used.reduce((text, one) => text.replaceAll(asWhole(one.after), () => `"${one.after}"`), after);
    return this.#aligned(tokensOf(was), tokensOf(is), scope);
  }

  /**
   * Removes column aliases that follow from a rename: after the column `owner` of a table was renamed to `keeper`,
   * PostgreSQL prints `t.keeper AS owner` in a view.
   */
  #withoutColumnNames(text: string): string {
    return text.replaceAll(/ AS ("(?:[^"]|"")*"|[\w$\u0080-\uffff]+)/g, (all, name: string) =>
      this.#fieldNames.has(name) ? '' : all,
    );
  }

  /**
   * Returns the renames as `between` does, but first removes the schemas of objects that moved to another schema.
   * Sentences omit the schema public, so after a move to or from public only one of the two texts contains a schema.
   */
  #withoutSchemas(before: string, after: string, scope: TextScope): Rename[] | null {
    const bare = (id: string) => partsOf(id)[1] ?? id;
    const used = this.#moved.filter((one) => before.includes(bare(one.before)) && after.includes(bare(one.after)));
    if (used.length === 0) return null;
    const was = used.reduce((text, one) => text.replaceAll(one.before, bare(one.before)), before);
    const is = used.reduce((text, one) => text.replaceAll(one.after, bare(one.after)), after);
    const found = this.#aligned(tokensOf(was), tokensOf(is), scope);
    return found && [...new Set([...used, ...found])];
  }

  /** Returns true if the two texts name the same policies in another order, because their names changed. */
  inAnyOrder(before: string, after: string): boolean {
    if (this.#policies.size === 0) return false;
    const words = (text: string) => text.match(/[\p{L}\p{N}_]+/gu) ?? [];
    const now = words(before).map((name) => this.#policies.get(name) ?? name);
    return now.sort().join(' ') === words(after).sort().join(' ');
  }

  #aligned(before: readonly string[], after: readonly string[], scope: TextScope): Rename[] | null {
    if (before.length !== after.length) return null;
    const aliases = aliasesIn(after);
    const used: Rename[] = [];
    for (const [i, was] of before.entries()) {
      const is = after[i] ?? '';
      if (was === is) continue;
      const isRegclass = was.startsWith("'") && is.startsWith("'") && (after[i + 3] ?? '') === 'regclass';
      const found = isRegclass
        ? this.#aligned(tokensOf(was.slice(1, -1)), tokensOf(is.slice(1, -1)), scope)
        : this.#explained(before, after, i, scope, aliases);
      if (found === null) return null;
      used.push(...found);
    }
    return used;
  }

  #explained(
    before: readonly string[],
    after: readonly string[],
    at: number,
    scope: TextScope,
    aliases: ReadonlyMap<string, string>,
  ): Rename[] | null {
    const candidates = this.#byPair.get(`${before[at]}\0${after[at]}`) ?? [];
    const found = candidates.find((rename) =>
      isQualified(rename) ? fitsQualified(rename, before, after, at) : fitsPart(rename, after, at, scope, aliases),
    );
    return found ? [found] : null;
  }

  /**
   * Returns the older text with the newer names, where they can be resolved. Does this only if the text contains a name
   * that another object has in the newer version, because such a text may mean something else although it looks the
   * same. Returns any other text unchanged.
   */
  resolved(text: string, { entity }: TextScope): string {
    if (this.#reused.size === 0) return text;
    const parts = tokensOf(text);
    if (!parts.some((part) => this.#reused.has(part))) return text;
    const relations = new Map(this.#renames.flatMap((one) => (one.kind === 'entity' ? [[one.before, one.after]] : [])));
    const fields = new Map(
      this.#renames.flatMap((one) =>
        one.kind === 'field' && one.of === entity ? [[sqlName(one.before), sqlName(one.after)]] : [],
      ),
    );
    return parts
      .map((part, i) => {
        const id = parts[i - 1] === '.' ? relations.get(`${parts[i - 2]}.${part}`) : undefined;
        if (id !== undefined) return partsOf(id)[1] ?? part;
        return parts[i - 1] === '.' ? part : (fields.get(part) ?? part);
      })
      .join('');
  }
}

/** Returns the notations in which a text may contain the two names of an object, as pairs separated by \0. */
function spellingsOf(rename: Rename): Set<string> {
  const { kind, before, after } = rename;
  const written = kind === 'label' ? [literal] : [sqlName, (name: string) => `"${name}"`];
  const spelled = isQualified(rename)
    ? qualifiedPairs(rename)
    : [[before, after], ...written.map((write) => [write(before), write(after)])];
  const pairs = [...spelled, ...spelled.map((pair) => pair.map(capital))];
  return new Set(pairs.filter(([was, is]) => was !== is).map((pair) => pair.join('\0')));
}

/** Matches a name that is not a part of a longer word, with or without quotes. */
const asWhole = (name: string): RegExp =>
  new RegExp(`"?(?<![\\p{L}\\p{N}_])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}_])"?`, 'gu');

const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

function qualifiedPairs({ before, after }: Rename): string[][] {
  const is = partsOf(after);
  const changed = partsOf(before).flatMap((part, i): [string, string][] =>
    part === is[i] ? [] : [[part, is[i] ?? '']],
  );
  const plain = changed.map((pair) => pair.map(plainName));
  // The last pair finds names in the ids of rules, where the complete name of a type is a single quoted part.
  return [...changed, ...plain, [sqlName(before), sqlName(after)]];
}

/**
 * Returns true if a qualified name can mean the renamed object: the object's schema precedes its name, or a renamed
 * schema precedes the name of one of its objects.
 */
function fitsQualified(rename: Rename, before: readonly string[], after: readonly string[], at: number): boolean {
  const [[schema = '', name = ''], [newSchema = '', newName = '']] = [partsOf(rename.before), partsOf(rename.after)];
  if (before[at + 1] === '.' && before[at + 2] === name && after[at + 2] === newName) {
    return before[at] === schema && after[at] === newSchema;
  }
  if (before[at] === sqlName(rename.before)) return true;
  if (plainName(before[at] ?? '').toLowerCase() !== plainName(name).toLowerCase()) return false;
  return before[at - 1] !== '.' || (before[at - 2] === schema && after[at - 2] === newSchema);
}

/**
 * Returns true if a name before a dot refers to the table of the renamed field: to the entity of the text, to an entity
 * that the text names, or to an alias of that entity.
 */
function fitsPart(
  { kind, of }: Rename,
  after: readonly string[],
  at: number,
  { entity, shows }: TextScope,
  aliases: ReadonlyMap<string, string>,
): boolean {
  const holder = after[at - 1] === '.' ? aliases.get(after[at - 2] ?? '') : undefined;
  if (holder !== undefined) return holder === of;
  if (kind === 'label' || of === '' || entity === of || shows(of)) return true;
  const [schema, name] = partsOf(of);
  return after.some((part, i) => part === name && (after[i - 1] !== '.' || after[i - 2] === schema || i === at - 2));
}

/** Returns the relations that a query reads by their aliases: `public.tickets t`. */
function aliasesIn(parts: readonly string[]): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const [i, part] of parts.entries()) {
    if (part !== '.' || !isName(parts[i - 1]) || !isName(parts[i + 1]) || parts[i + 2] !== ' ') continue;
    const at = parts[i + 3] === 'AS' ? i + 5 : i + 3;
    const alias = parts[at];
    if (alias !== undefined && isName(alias)) aliases.set(alias, `${parts[i - 1]}.${parts[i + 1]}`);
  }
  return aliases;
}

const isName = (part = ''): boolean => /^["A-Za-z_\u0080-\uffff]/.test(part);
