import { sqlName } from '../names.ts';
import type { Rename } from './renames.ts';

/** Names, strings, numbers and everything else of a text that PostgreSQL or a chapter printed. */
const token = /"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|'(?:[^']|'')*'|\d+|\s+|./gsu;
const tokensOf = (text: string): string[] => text.match(token) ?? [];

/** The parts of a qualified name, as SQL writes them. */
export const partsOf = (id: string): string[] => tokensOf(id.replace(/\(.*$/s, '')).filter((part) => part !== '.');

/** A name without the quotes of SQL. */
export const plainName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

const isQualified = ({ kind }: Rename): boolean => ['entity', 'sequence', 'function', 'type'].includes(kind);

/** The object that a text belongs to, and what that object reads. */
export interface TextScope {
  /** Id of an entity; empty for a text of no entity. */
  readonly entity: string;
  /** True for an entity whose fields the entity shows: of a view the tables of its query. */
  readonly shows: (entity: string) => boolean;
}

/** Decides whether a text of the older version says the same as a text of the newer one, apart from renames. */
export class NamesInText {
  readonly #byPair = new Map<string, Rename[]>();
  readonly #parts: Set<string>;
  readonly #fieldNames: ReadonlySet<string>;
  /** With another schema. */
  readonly #moved: readonly Rename[];
  readonly #policies: Map<string, string>;
  /** Names that another object has in the newer version. */
  readonly #reused: ReadonlySet<string>;
  readonly #renames: readonly Rename[];

  constructor(renames: readonly Rename[]) {
    this.#renames = renames;
    for (const rename of renames) for (const pair of spellingsOf(rename)) this.#add(pair, rename);
    this.#parts = new Set([...this.#byPair.keys()].flatMap((pair) => pair.split('\0')));
    const ofFields = renames.filter(({ kind }) => kind === 'field');
    this.#fieldNames = new Set(ofFields.flatMap(({ before, after }) => [sqlName(before), sqlName(after)]));
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

  /** Returns a text that is the same for two texts which differ by renames at most. */
  shapeOf(text: string): string {
    const parts = tokensOf(text).map((part) => (this.#parts.has(part) ? '□' : part));
    return (this.#policies.size > 0 ? parts.sort() : parts).join('');
  }

  /** True for the older name of a policy that was renamed. */
  isPolicy(name: string): boolean {
    return this.#policies.has(name);
  }

  /** Returns the renames that make the older text the newer one; null if they differ in something else. */
  between(before: string, after: string, scope: TextScope): Rename[] | null {
    const found = this.#aligned(tokensOf(before), tokensOf(after), scope);
    if (found !== null) return found;
    const [plain, now] = [this.#withoutColumnNames(before), this.#withoutColumnNames(after)];
    if (plain !== before || now !== after) {
      const shown = this.#aligned(tokensOf(plain), tokensOf(now), scope);
      if (shown !== null) return shown;
    }
    return this.#withoutSchemas(before, after, scope);
  }

  /** PostgreSQL prints `t.keeper AS owner` in a view after the column owner of its table was renamed. */
  #withoutColumnNames(text: string): string {
    return text.replaceAll(/ AS ("(?:[^"]|"")*"|[\w$\u0080-\uffff]+)/g, (all, name: string) =>
      this.#fieldNames.has(name) ? '' : all,
    );
  }

  /** Sentences leave the schema public out: a table that moved has its schema on one side only. */
  #withoutSchemas(before: string, after: string, scope: TextScope): Rename[] | null {
    const bare = (id: string) => partsOf(id)[1] ?? id;
    const used = this.#moved.filter((one) => before.includes(bare(one.before)) && after.includes(bare(one.after)));
    if (used.length === 0) return null;
    const was = used.reduce((text, one) => text.replaceAll(one.before, bare(one.before)), before);
    const is = used.reduce((text, one) => text.replaceAll(one.after, bare(one.after)), after);
    const found = this.#aligned(tokensOf(was), tokensOf(is), scope);
    return found && [...new Set([...used, ...found])];
  }

  /** True if the two texts say the same of policies whose order changed with their names. */
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
   * Returns the older text in the newer names as far as they can be resolved, if it has a name that now is another object's: such a text
   * may mean something else although it reads the same. Returns any other text as it is.
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

/** The ways in which the two names of an object stand for each other in a text, each as a pair with \0 between. */
function spellingsOf(rename: Rename): Set<string> {
  const { kind, before, after } = rename;
  const written = kind === 'label' ? [literal] : [sqlName, (name: string) => `"${name}"`];
  const spelled = isQualified(rename)
    ? qualifiedPairs(rename)
    : [[before, after], ...written.map((write) => [write(before), write(after)])];
  const pairs = [...spelled, ...spelled.map((pair) => pair.map(capital))];
  return new Set(pairs.filter(([was, is]) => was !== is).map((pair) => pair.join('\0')));
}

const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

function qualifiedPairs({ before, after }: Rename): string[][] {
  const is = partsOf(after);
  const changed = partsOf(before).flatMap((part, i): [string, string][] =>
    part === is[i] ? [] : [[part, is[i] ?? '']],
  );
  const plain = changed.map((pair) => pair.map(plainName));
  // The id of a rule has the whole name of a type as one of its parts.
  return [...changed, ...plain, [sqlName(before), sqlName(after)]];
}

/** A name with a schema must have the right one; a schema must have one of its objects behind it. */
function fitsQualified(rename: Rename, before: readonly string[], after: readonly string[], at: number): boolean {
  const [[schema = '', name = ''], [newSchema = '', newName = '']] = [partsOf(rename.before), partsOf(rename.after)];
  if (before[at + 1] === '.' && before[at + 2] === name && after[at + 2] === newName) {
    return before[at] === schema && after[at] === newSchema;
  }
  if (before[at] === sqlName(rename.before)) return true;
  if (plainName(before[at] ?? '').toLowerCase() !== plainName(name).toLowerCase()) return false;
  return before[at - 1] !== '.' || (before[at - 2] === schema && after[at - 2] === newSchema);
}

/** A part belongs to the entity of the text, to one that the text names, or to the one that its alias stands for. */
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

/** What a query calls the relations that it reads: `public.tickets t`. */
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
