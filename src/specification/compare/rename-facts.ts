import type { PagePart } from '../../../contract/description.ts';
import type { PageFact, ScreenFact } from '../../catalog/description.ts';
import type { Facts } from '../../catalog/facts.ts';
import { entityId } from '../../catalog/names.ts';
import { routeOf } from '../derive/chapters/screens/screens.ts';
import { isObject, type JsonObject, text } from '../derive/words/sentence-parts.ts';
import { sameJson } from './differences.ts';
import { SqlNames } from './names-in-sql.ts';
import { isQualified, namesOf, type Rename, type RenameKind } from './object-names.ts';

/** See `renameFacts`. */
interface OtherFacts {
  after: Facts | null;
  unchanged: Facts;
}

/** Facts with the newer names. */
export interface RenamedFacts {
  facts: Facts;
  /**
   * The original text of each text that a person wrote: code of functions and commands of jobs. PostgreSQL does not
   * update them when an object is renamed. In `facts` they have the newer names, because they meant these objects.
   */
  written: ReadonlyMap<string, string>;
  /** The screens of the older facts, by the route that the screen has in `facts`. */
  screens: ReadonlyMap<string, ScreenFact>;
}

/**
 * Returns older facts with the newer names of all renamed objects, so that a specification derived from them differs
 * from the newer one only by other changes. Finds the objects by their ids. Rows without a changed name stay the same
 * objects.
 * @param others `after`: the newer facts, whose SQL has the newer names; null to replace each name in SQL. `unchanged`:
 * facts whose rows contain no name to replace, if they are the same objects.
 */
export function renameFacts(before: Facts, others: OtherFacts, renames: readonly Rename[]): RenamedFacts {
  const renamer = new FactRenamer(before, others, renames);
  const lists = Object.entries(before).map(([list, value]): [string, unknown] => [list, renamer.list(list, value)]);
  const { exposedSchemas, extraSearchPath, preRequest } = before;
  const facts: Facts = {
    ...(Object.fromEntries(lists) as unknown as Facts),
    exposedSchemas: exposedSchemas.map(renamer.schema),
    extraSearchPath: extraSearchPath.map(renamer.schema),
    preRequest: preRequest && renamer.names.replace(preRequest, ''),
  };
  const routeNow = renamedRoutes(before, facts);
  return {
    facts: {
      ...facts,
      screens: before.screens.map((screen) => renamer.screen(screen, routeNow(screen))),
      pages: before.pages.map(renamer.page),
      menus: before.menus.map((menu) => ({
        ...menu,
        home: menu.home && routeNow({ route: menu.home }),
        groups: menu.groups.map((group) => ({ ...group, routes: group.routes.map((route) => routeNow({ route })) })),
      })),
      screen_refusals: before.screen_refusals.map((one) => ({ ...one, route: routeNow(one) })),
    },
    written: renamer.written,
    screens: new Map(before.screens.map((screen) => [routeNow(screen), screen])),
  };
}

/** The kind of the objects of a list of facts. */
const kinds: Readonly<Record<string, RenameKind>> = {
  relations: 'entity',
  sequences: 'sequence',
  routines: 'function',
  types: 'type',
  fields: 'field',
  constraints: 'constraint',
  partition_constraints: 'constraint',
  unique_indexes: 'constraint',
  policies: 'policy',
  triggers: 'trigger',
};

/** Lists without names that PostgreSQL updates, and lists whose names `followMembers` replaces. */
const keptLists: ReadonlySet<string> = new Set([
  ...[
    'comments',
    'description',
    'file_fields',
    'labels',
    'menus',
    'pages',
    'screens',
    'screen_refusals',
    'server_settings',
    'role_settings',
  ],
  ...['connection_limits', 'roles', 'member_roles', 'exposedSchemas', 'extraSearchPath', 'preRequest', 'database'],
]);

/** Members that contain SQL as PostgreSQL prints it. */
const inSql: ReadonlySet<string> = new Set([
  ...['definition', 'expression', 'default', 'using', 'check', 'sql', 'condition', 'key', 'keys', 'partition_key'],
  ...['bound', 'arguments', 'result', 'type', 'base_name', 'part', 'partition', 'domain', 'function', 'from', 'to'],
  ...['body', 'heirs'],
]);

/** Facts whose members are read by their names. */
type FactLists = Readonly<Record<string, readonly JsonObject[] | undefined>>;

class FactRenamer {
  readonly names: SqlNames;
  readonly written = new Map<string, string>();
  readonly #after: FactLists;
  readonly #unchanged: FactLists;
  /** True if no newer SQL is known. Then names in written code stay, because nothing shows them. */
  readonly #isMarking: boolean;
  readonly #renames: ReadonlyMap<string, Rename>;
  /** The newer ids of relations by their numbers. */
  readonly #entities: ReadonlyMap<unknown, string>;
  readonly #schemas: ReadonlyMap<string, string>;

  constructor(before: Facts, { after, unchanged }: OtherFacts, renames: readonly Rename[]) {
    this.names = new SqlNames(renames);
    this.#after = { ...after } as unknown as FactLists;
    this.#isMarking = after === null;
    this.#unchanged = unchanged as unknown as FactLists;
    this.#renames = new Map(renames.map((rename) => [`${rename.kind} ${rename.id}`, rename]));
    this.#entities = new Map(
      before.relations.map(({ oid, schema, name }) => [
        oid,
        this.#renames.get(`entity ${oid}`)?.after ?? entityId(schema, name),
      ]),
    );
    const schemas = new Map(after?.schemas.map(({ oid, name }) => [oid, name]));
    this.#schemas = new Map(before.schemas.map(({ oid, name }) => [name, schemas.get(oid) ?? name]));
  }

  readonly schema = (name: string): string => this.#schemas.get(name) ?? name;

  /** Returns a list of facts with the newer names, in the order of the newer list if a name has changed. */
  list(list: string, rows: unknown): unknown {
    if (keptLists.has(list) || !Array.isArray(rows) || !rows.every(isObject)) return rows;
    const others: readonly JsonObject[] = this.#after[list] ?? [];
    const now = new Map(others.map((row, i) => [keyOf(row), { row, i }]));
    const unchanged = new Set(this.#unchanged[list]);
    const renamed = rows.map((row) =>
      unchanged.has(row) ? this.#withWrittenNames(list, row) : this.#row(list, row, now.get(keyOf(row))?.row),
    );
    const place = (row: JsonObject) => now.get(keyOf(row))?.i ?? others.length;
    if (renamed.some((row, i) => row.name !== rows[i]?.name || row.schema !== rows[i]?.schema)) {
      renamed.sort((a, b) => place(a) - place(b));
    }
    const equals = (list: readonly unknown[]) =>
      renamed.length === list.length && renamed.every((row, i) => row === list[i]);
    return [rows, others].find(equals) ?? renamed;
  }

  #row(list: string, row: JsonObject, now: JsonObject | undefined): JsonObject {
    const entity = this.#entities.get(list === 'relations' ? row.oid : (row.relation ?? row.view)) ?? '';
    const isWritten = row.bound === false;
    const renamed: Record<string, unknown> = Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        isWritten && key === 'body' ? value : this.#value(key, value, now?.[key], entity),
      ]),
    );
    Object.assign(renamed, this.#nameOf(list, row, now, entity));
    if (list === 'types') renamed.labels = this.#labels(row);
    if (Object.entries(row).every(([key, value]) => value === renamed[key])) return this.#withWrittenNames(list, row);
    const followed = this.#withWrittenNames(list, renamed);
    // The newer row itself, so that what is derived from it is not derived again.
    return now && sameJson(followed, now) ? now : followed;
  }

  /** Returns the members of a row that name the object itself. */
  #nameOf(list: string, row: JsonObject, now: JsonObject | undefined, entity: string): object {
    const kind = kinds[list];
    const id = kind && isQualified(kind) ? row.oid : `${row.relation}.${row.oid ?? row.number}`;
    const rename = kind && this.#renames.get(`${kind} ${id}`);
    if (rename) return kind === 'type' || !('schema' in row) ? { name: rename.after } : namesOf(rename.after);
    const name = text(row, 'name');
    switch (list) {
      case 'schemas':
        return { name: this.schema(name) };
      case 'types':
        return { name: this.names.follow(name, now?.name, '') };
      case 'restricted_functions':
        return { name: this.names.replace(name, '') };
      case 'write_functions':
        return { name: this.names.part(entity, name) };
      default:
        return kind === undefined && typeof row.schema === 'string' ? { schema: this.schema(row.schema) } : {};
    }
  }

  #value(key: string, value: unknown, now: unknown, entity: string): unknown {
    if (typeof value === 'string') return inSql.has(key) ? this.names.follow(value, now, entity) : value;
    if (Array.isArray(value)) {
      const others: readonly unknown[] = Array.isArray(now) ? now : [];
      const renamed = value.map((item, i) =>
        key === 'fields' && typeof item === 'string'
          ? this.names.part(entity, item)
          : this.#value(key, item, others[i], entity),
      );
      return renamed.some((item, i) => item !== value[i]) ? renamed : value;
    }
    if (!isObject(value)) return value;
    const other = isObject(now) ? now : {};
    const entries = Object.entries(value).map(([name, member]) => [
      name,
      this.#value(name, member, other[name], entity),
    ]);
    return entries.some(([name, member]) => member !== value[name as string]) ? Object.fromEntries(entries) : value;
  }

  #labels({ oid, labels, label_oids: numbers }: JsonObject): unknown {
    if (!Array.isArray(labels) || !Array.isArray(numbers)) return labels;
    const renamed = labels.map((label, i) => this.#renames.get(`label ${oid}.${numbers[i]}`)?.after ?? label);
    return renamed.some((label, i) => label !== labels[i]) ? renamed : labels;
  }

  /** Returns a row with the newer names in code that a person wrote. */
  #withWrittenNames(list: string, row: JsonObject): JsonObject {
    const member = list === 'jobs' ? 'command' : list === 'routines' && row.bound === false ? 'body' : null;
    if (member === null || this.#isMarking) return row;
    const value = text(row, member);
    const renamed = this.names.replace(value, '', true);
    if (renamed === value) return row;
    this.written.set(renamed, value);
    return { ...row, [member]: renamed };
  }

  /** Returns a defined screen with the newer names of its entity, fields and functions. */
  screen(screen: ScreenFact, route: string): ScreenFact {
    const replaced = (name: string) => this.names.replace(name, '');
    const entity = replaced(screen.entity);
    const part = (name: string) => this.names.part(entity, name);
    const within = (text: string | null) => text && this.names.replace(text, entity);
    return {
      ...screen,
      route,
      entity,
      columns: screen.columns?.map(part) ?? null,
      filter: within(screen.filter),
      order_by: within(screen.order_by),
      group_by: screen.group_by && part(screen.group_by),
      related: screen.related?.map(replaced) ?? null,
      actions: screen.actions?.map(replaced) ?? null,
      ...{ starts: screen.starts && part(screen.starts), ends: screen.ends && part(screen.ends) },
      picture: screen.picture && part(screen.picture),
    };
  }

  readonly page = (page: PageFact): PageFact => ({ ...page, parts: page.parts.map((part) => this.#pagePart(part)) });

  #pagePart(part: PagePart): PagePart {
    if (part.kind === 'text' || part.kind === 'buttons') return part;
    const entity = this.names.replace(part.entity, '');
    const columns =
      'columns' in part && part.columns ? { columns: part.columns.map((name) => this.names.part(entity, name)) } : {};
    const named = Object.entries(part).filter(([key]) => key === 'of' || key === 'by' || key === 'over');
    const asked = Object.entries(part).filter(([key]) => key === 'filter' || key === 'order_by');
    return {
      ...part,
      ...Object.fromEntries(named.map(([key, name]) => [key, this.names.part(entity, String(name))])),
      ...Object.fromEntries(asked.map(([key, sql]) => [key, this.names.replace(String(sql), entity)])),
      ...columns,
      entity,
    };
  }
}

/**
 * Returns a function that returns the route of a defined screen. A route below the one of a renamed entity gets the
 * newer name, as the derived route does.
 */
function renamedRoutes(before: Facts, renamed: Facts): (screen: Pick<ScreenFact, 'route'>) => string {
  const now = new Map(renamed.relations.map((one) => [one.oid, one]));
  const bases = before.relations.flatMap((one) => {
    const [from, to] = [routeOf(one, before), routeOf(now.get(one.oid) ?? one, renamed)];
    return from === to ? [] : [{ from, to }];
  });
  return ({ route }) => {
    const base = bases.find(({ from }) => route === from || route.startsWith(`${from}/`));
    return base ? base.to + route.slice(base.from.length) : route;
  };
}

/** Returns a key of a row by the numbers of its objects. */
const keyOf = ({ relation, view, type, oid, number, sequence, routine, name }: JsonObject): string =>
  `${relation ?? view ?? type ?? ''}.${oid ?? number ?? sequence ?? routine ?? name ?? ''}`;
