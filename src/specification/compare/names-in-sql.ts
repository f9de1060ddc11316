import { sqlName } from '../../catalog/names.ts';
import { isQualified, namesOf, partsOf, plainName, type Rename, tokensOf } from './object-names.ts';

/** The number of names up to which it is faster to look for each of them before SQL is split. */
const FEW = 50;

const isName = (part = ''): boolean => /^["A-Za-z_\u0080-\uffff]/.test(part);
const isString = (part = ''): boolean => part.startsWith("'");
const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const plainString = (part: string): string => part.slice(1, -1).replaceAll("''", "'");

/** Returns the part of a name before the first character that SQL doubles. */
const withoutSigns = (name: string): string => name.split(/["'\\]/)[0] ?? '';

/** Replaces the older names of renamed objects in SQL. */
export class SqlNames {
  /** The newer ids of renamed relations, sequences, functions and types, by the older name `schema.name`. */
  readonly #qualified = new Map<string, string>();
  /** The newer names of these objects, by the older name without its schema. */
  readonly #bare = new Map<string, string>();
  /** The newer names of parts of an object, by `<newer id of the object>\0<older name>`. */
  readonly #parts = new Map<string, string>();
  readonly #labels = new Map<string, string>();
  /** The renames by the two spellings of a name: `<older>\0<newer>`. */
  readonly #spellings = new Map<string, Rename[]>();
  readonly #fieldNames: ReadonlySet<string>;
  readonly #olderNames: readonly string[];

  constructor(renames: readonly Rename[]) {
    for (const rename of renames) {
      const { kind, of, before, after } = rename;
      if (isQualified(kind)) {
        const id = partsOf(before).join('.');
        this.#qualified.set(id, partsOf(after).join('.'));
        this.#bare.set(partsOf(before)[1] ?? id, partsOf(after)[1] ?? id);
      } else (kind === 'label' ? this.#labels : this.#parts).set(`${of}\0${before}`, after);
      for (const pair of spellingsOf(rename)) this.#spellings.set(pair, [...(this.#spellings.get(pair) ?? []), rename]);
    }
    // A part of a name with quotes is a shorter text that the SQL also contains.
    this.#olderNames = renames
      .map(({ kind, before }) => (isQualified(kind) ? namesOf(before).name : before))
      .map(withoutSigns);
    this.#fieldNames = new Set(
      renames.flatMap(({ kind, before, after }) => (kind === 'field' ? [sqlName(before), sqlName(after)] : [])),
    );
  }

  /**
   * Returns older SQL of an object with the newer names.
   * @param now The newer SQL of the same object, if there is one. PostgreSQL prints it with the newer names, so it is
   * the result if the two differ only by renames.
   * @param entity The newer id of the relation that the SQL belongs to; empty for none.
   */
  follow(before: string, now: unknown, entity: string): string {
    if (before === now) return before;
    const renamed = this.replace(before, entity);
    return typeof now === 'string' && renamed !== now && this.#differByRenames(before, now) ? now : renamed;
  }

  /**
   * Returns older SQL with the newer names of the objects that it names.
   * @param isWritten True for SQL that a person wrote, which may leave out the schemas.
   */
  replace(sql: string, entity: string, isWritten = false): string {
    if (this.#olderNames.length <= FEW && !this.#olderNames.some((name) => sql.includes(name))) return sql;
    const parts = tokensOf(sql);
    const relations = this.#relationsIn(parts);
    return parts.map((part, i) => this.#replaced(parts, i, part, { entity, relations, isWritten })).join('');
  }

  /** Returns the newer name of a part of an object, such as a field of a relation. */
  part(of: string, name: string): string {
    return this.#parts.get(`${of}\0${name}`) ?? name;
  }

  #replaced(
    parts: readonly string[],
    i: number,
    part: string,
    { entity, relations, isWritten }: { entity: string; relations: ReadonlyMap<string, string>; isWritten: boolean },
  ): string {
    if (isString(part)) return this.#string(parts, i, part, entity);
    if (!isName(part)) return part;
    const [before, next] = [
      parts[i - 1] === '.' ? parts[i - 2] : undefined,
      parts[i + 1] === '.' ? parts[i + 2] : undefined,
    ];
    const [newSchema] = (next === undefined ? undefined : this.#qualified.get(`${part}.${next}`))?.split('.') ?? [];
    if (before === undefined && newSchema !== undefined) return newSchema;
    if (before !== undefined) {
      const id = this.#qualified.get(`${before}.${part}`);
      if (id !== undefined) return partsOf(id)[1] ?? part;
      const holder = parts[i - 3] === '.' ? this.#newId(`${parts[i - 4]}.${before}`) : relations.get(before);
      return holder === undefined ? part : this.#named(holder, part);
    }
    const isQualifier = next !== undefined && relations.has(part);
    const bare = isQualifier || isWritten ? this.#bare.get(part) : undefined;
    if (bare !== undefined) return bare;
    const holders = [entity, ...relations.values()];
    return holders.map((one) => this.#named(one, part)).find((name) => name !== part) ?? part;
  }

  /** Returns the newer name of a part in the spelling of the older one. */
  #named(of: string, part: string): string {
    const name = this.#parts.get(`${of}\0${plainName(part)}`);
    return name === undefined ? part : sqlName(name);
  }

  /** Returns a string that is the value of an enum, or the name of a relation. */
  #string(parts: readonly string[], i: number, part: string, entity: string): string {
    if (parts[i + 1] !== ':' || parts[i + 2] !== ':') return part;
    if (parts[i + 3] === 'regclass') return literal(this.replace(plainString(part), entity));
    const type = this.#newId([parts[i + 3], parts[i + 5]].join('.'));
    const label = this.#labels.get(`${type}\0${plainString(part)}`);
    return label === undefined ? part : literal(label);
  }

  #newId(id: string): string {
    return this.#qualified.get(id) ?? id;
  }

  /** Returns the newer ids of the relations that SQL names, by their names and aliases: `public.tickets t`. */
  #relationsIn(parts: readonly string[]): Map<string, string> {
    const found = new Map<string, string>();
    for (const [i, part] of parts.entries()) {
      if (part !== '.' || !isName(parts[i - 1]) || !isName(parts[i + 1])) continue;
      const id = this.#newId(`${parts[i - 1]}.${parts[i + 1]}`);
      found.set(parts[i + 1] ?? '', id);
      const alias = parts[i + 2] === ' ' ? parts[parts[i + 3] === 'AS' ? i + 5 : i + 3] : undefined;
      if (alias !== undefined && isName(alias)) found.set(alias, id);
    }
    return found;
  }

  /** Returns true if SQL of two versions differs only in names of renamed objects. */
  #differByRenames(before: string, after: string): boolean {
    if (this.#isAligned(tokensOf(before), tokensOf(after))) return true;
    const [plain, now] = [before, after].map((sql) => this.#withoutColumnNames(sql));
    return this.#isAligned(tokensOf(plain ?? ''), tokensOf(now ?? ''));
  }

  /**
   * Removes column aliases that follow from a rename: after the column `owner` of a table was renamed to `keeper`,
   * PostgreSQL prints `t.keeper AS owner` in a view.
   */
  #withoutColumnNames(sql: string): string {
    return sql.replaceAll(/ AS ("(?:[^"]|"")*"|[\w$\u0080-\uffff]+)/g, (all, name: string) =>
      this.#fieldNames.has(name) ? '' : all,
    );
  }

  #isAligned(before: readonly string[], after: readonly string[]): boolean {
    const relations = this.#relationsIn(after);
    return (
      before.length === after.length &&
      before.every((was, i) => {
        const is = after[i] ?? '';
        if (was === is) return true;
        if (isString(was) && isString(is) && after[i + 3] === 'regclass') {
          return this.#isAligned(tokensOf(plainString(was)), tokensOf(plainString(is)));
        }
        const holder = after[i - 1] === '.' ? relations.get(after[i - 2] ?? '') : undefined;
        const candidates = this.#spellings.get(`${was}\0${is}`) ?? [];
        return candidates.some((one) => one.kind !== 'field' || holder === undefined || holder === one.of);
      })
    );
  }
}

/** Returns the spellings in which SQL may contain the parts of the two names of an object, as pairs. */
function spellingsOf(rename: Rename): Set<string> {
  const { kind, before, after } = rename;
  const write = kind === 'label' ? literal : sqlName;
  const [old, fresh] = isQualified(kind)
    ? [partsOf(before), partsOf(after)]
    : [
        [before, write(before)],
        [after, write(after)],
      ];
  return new Set(old.flatMap((was, i) => (was === fresh[i] ? [] : [`${was}\0${fresh[i]}`])));
}
