import { sqlName } from '../names.ts';
import { thing } from './words/values.ts';

/** Names as an entity or a field had them and has them now. */
export interface RenamedEntity {
  readonly kind: string;
  readonly before: EntityName;
  readonly after: EntityName;
}

export interface EntityName {
  readonly id: string;
  readonly schema: string;
  readonly name: string;
}

export interface RenamedField {
  /** As it is called now. */
  readonly entity: EntityName;
  readonly before: string;
  readonly after: string;
}

const NAME = '(?:"(?:[^"]|"")*"|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
const namePattern = new RegExp(NAME, 'g');
/** A string of SQL, which may name a relation; or names with dots between them. */
const pattern = new RegExp(`'((?:[^']|'')*)'(::regclass)?|${NAME}(?:\\.${NAME})*`, 'g');

/**
 * A text with each chain of names, `public.plain` or `plain.note`, given to `rename`. What stands in single quotes is a value,
 * and left alone unless PostgreSQL printed it as the name of a relation.
 */
function withNames(text: string, rename: (names: string[], at: number) => void): string {
  return text.replaceAll(
    pattern,
    (all: string, quoted: string | undefined, isRelation: string | undefined, at: number) => {
      if (quoted !== undefined) return isRelation === undefined ? all : `'${withNames(quoted, rename)}'::regclass`;
      const names = all.match(namePattern) ?? [];
      rename(names, at);
      return names.join('.');
    },
  );
}

/** The schema and the name at the start of an id: `public.plain` of `public.plain.note`; empty where there are none. */
export const entityPart = (id: string): string =>
  new RegExp(`^(?:(?:rule|rest|transition)\\.)?(${NAME}\\.${NAME})`).exec(id)?.[1] ?? '';

/** Renames entities in text, by their ids and by what `bare` has them called without their schema; with the renamings that it took. */
export function withEntities(
  text: string,
  ids: ReadonlyMap<string, RenamedEntity>,
  bare: ReadonlyMap<string, RenamedEntity>,
): [text: string, of: RenamedEntity[]] {
  const of: RenamedEntity[] = [];
  const renamed = withNames(text, (names) => {
    for (let i = 0; i + 1 < names.length; i++) {
      const rename = ids.get(`${names[i]}.${names[i + 1]}`);
      if (!rename) continue;
      of.push(rename);
      names.splice(i, 2, rename.after.id);
      return;
    }
    const rename = bare.get(names[0] ?? '');
    if (!rename) return;
    of.push(rename);
    names[0] = names.length === 1 ? thing(rename.after.id) : sqlName(rename.after.name);
  });
  return [renamed, of];
}

/** Renames a field in text about its entity: where it stands alone, or behind the entity's name or a trigger's `old` and `new`. */
export function withField(text: string, { entity, before, after }: RenamedField): string {
  const holders = new Set([sqlName(entity.name), 'old', 'new']);
  const capital = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1);
  return withNames(text, (names, at) => {
    for (const [i, name] of names.entries()) {
      if (name === sqlName(before) && (i === 0 || holders.has(names[i - 1] ?? ''))) names[i] = sqlName(after);
      else if (at === 0 && i === 0 && name === capital(before)) names[i] = capital(after);
    }
  });
}

/**
 * Renames a field in text about another entity, as PostgreSQL prints it: behind the names that a query gives its entity, and among the
 * fields that a foreign key points to.
 *
 * @param isAlone where the query reads nothing else, so that names stand by themselves
 */
export function withFieldElsewhere(text: string, { entity, before, after }: RenamedField, isAlone: boolean): string {
  const id = [entity.schema, entity.name].map(sqlName).join('.');
  const parts = text.split(id);
  if (parts.length === 1) return text;
  const aliases = parts.slice(1).flatMap((part) => new RegExp(`^ (?:AS )?(${NAME})`).exec(part)?.[1] ?? []);
  const holders = new Set([sqlName(entity.name), ...aliases]);
  const renamed = withNames(text, (names) => {
    for (const [i, name] of names.entries()) {
      const isHeld = i > 0 ? holders.has(names[i - 1] ?? '') : isAlone;
      if (name === sqlName(before) && isHeld) names[i] = sqlName(after);
    }
  });
  const listed = (list: string) =>
    list
      .split(', ')
      .map((name) => (name === sqlName(before) ? sqlName(after) : name))
      .join(', ');
  return renamed
    .split(id)
    .map((part, i, all) => {
      const target = i === 0 ? part : part.replace(/^\(([^()]*)\)/, (_, list: string) => `(${listed(list)})`);
      return i === all.length - 1
        ? target
        : target.replace(/(?<= the )((?:(?! the ).)*)(?= of a row in $)/, (list) => listed(list));
    })
    .join(id);
}

/** Without the names that a query gives to what it reads under a name that has changed: `t.keeper AS owner`. */
export const withoutColumnNames = (text: string, rename: RenamedField): string =>
  text.replaceAll(new RegExp(`(?<![\\w"])(${inPattern(rename.after)})${columnName(rename)}`, 'g'), '$1');

/** Without any name that a query gives to a column under either name: it is a view whose own column is called otherwise. */
export const withoutOwnColumnNames = (text: string, rename: RenamedField): string =>
  text.replaceAll(new RegExp(columnName(rename), 'g'), '');

const columnName = ({ before, after }: RenamedField): string =>
  ` AS (?:${inPattern(before)}|${inPattern(after)})(?![\\w"])`;

const inPattern = (name: string): string => sqlName(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The default of a serial column, whose sequence goes with its table from one schema to another. */
export const withSequencesOf = (before: string, after: string, value: string): string => {
  const start = `nextval('${sqlName(before)}.`;
  return value.startsWith(start)
    ? `nextval('${after === '' ? '' : `${sqlName(after)}.`}${value.slice(start.length)}`
    : value;
};
