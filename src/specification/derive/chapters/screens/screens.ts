import type { GivenProperty, Screen, ScreenKind, ScreensChapter } from '../../../../../contract/description.ts';
import { labelFields } from '../../../../../contract/label-fields.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { RoleCell, RolesChapter } from '../../../../../contract/specification-roles.ts';
import type { Machine } from '../../../../../contract/states.ts';
import type { ScreenFact } from '../../../../catalog/description.ts';
import type { Facts } from '../../../../catalog/facts.ts';
import { groupBy } from '../../../../catalog/group.ts';
import { compareText, entityId, restName } from '../../../../catalog/names.ts';
import type { ScreenRefusal } from '../../../../catalog/screen-refusals.ts';
import type { Entries, EntryLookup } from '../../entries.ts';
import { idOf, lostNames, namesAskedBy } from './defined-names.ts';
import { labelsIn } from './labels.ts';
import { menusOf, pagesOf } from './pages.ts';
import { computedIn, missingPrivileges, type ScreenUse } from './screen-rights.ts';

/** The data from which the screens of an entity are derived. */
interface Origin {
  entity: Entity;
  /** The first state machine of the entity. */
  machine: Machine | undefined;
  /** Returns the roles that may perform one of the operations on some rows, in the order of chapter 6. */
  roles: (...operations: ('select' | 'insert' | 'update')[]) => string[];
  /**
   * The fields that some role other than service_role may use; the fields of service_role if there is no other role.
   */
  granted: Record<'select' | 'insert' | 'update', ReadonlySet<string>>;
}

/** Builds chapter 2: the screens derived from the entities, the defined screens, the pages and the menus. */
export function screensChapter(
  entries: Entries,
  entities: readonly Entity[],
  machines: readonly Machine[],
  roles: RolesChapter,
): ScreensChapter {
  const { facts } = entries;
  const cells = groupBy(roles.cells, (cell) => cell.entity);
  const names = roles.roles.map((role) => role.name);
  const cellsOf = (id: string) => cells.get(id) ?? [];
  const machineOf = (id: string) => machines.find((one) => one.entity === id);
  const refusals = groupBy(facts.screen_refusals, ({ route }) => route);
  const functions = new Set(facts.routines.map(({ schema, name }) => entityId(schema, name)));
  const exposed = new Map(entities.filter((entity) => entity.exposed).map((entity) => [entity.id, entity]));
  const derived = new Map(
    [...exposed.values()]
      .flatMap((entity) => {
        const { id } = entity;
        return entries.of(screensOf, id, entity, machineOf(id), cellsOf(id), names, routeOf(entity, facts));
      })
      .map((screen) => [screen.route, screen]),
  );
  const origin = (id: string): Origin | undefined => {
    const entity = exposed.get(id);
    return entity && originOf(entity, machineOf(id), cellsOf(id), names);
  };
  const known = new Set([
    ...roles.roles.map((role) => role.name),
    ...facts.member_roles.map((role) => role.name),
    ...facts.roles.map((role) => role.name),
  ]);
  const defined = facts.screens.map((fact) =>
    definedScreen(
      fact,
      origin(idOf(fact.entity)),
      derived.has(fact.route),
      entities,
      known,
      cellsOf(idOf(fact.entity)),
      refusals.get(fact.route) ?? [],
      { functions, pages: new Set(facts.pages.map(({ route }) => route)) },
    ),
  );
  const replaced = new Set([...facts.screens, ...facts.pages].map((one) => one.route));
  const pages = pagesOf(facts.pages, {
    entities: new Map(entities.map((one) => [one.id, one])),
    roles: known,
    cellsOf,
  });
  const screens = [...[...derived.values()].filter((screen) => !replaced.has(screen.route)), ...defined].sort((a, b) =>
    compareText(a.route, b.route),
  );
  return {
    screens,
    ...(pages.length > 0 && { pages }),
    ...(facts.menus.length > 0 && { menus: menusOf(facts.menus, screens, pages) }),
    ...(facts.labels.length > 0 && { labels: labelsIn(facts.labels, idOf) }),
    sources: [
      { kind: 'catalog', label: 'the entities that clients reach, with chapters 4 and 6' },
      {
        kind: 'catalog',
        label: 'ninefold.screens, set by ninefold.define_screen',
        sql: 'select * from ninefold.screens order by route',
      },
      ...(facts.pages.length > 0
        ? [
            {
              kind: 'catalog' as const,
              label: 'ninefold.pages, set by ninefold.define_page',
              sql: 'select * from ninefold.pages order by route',
            },
          ]
        : []),
    ],
  };
}

function grantedFields(entity: Entity, cells: readonly RoleCell[]): ReadonlySet<string> {
  const members = cells.filter((cell) => cell.role !== 'service_role');
  const able = members.length > 0 ? members : cells;
  const isOfAll = able.some((cell) => cell.columns === null);
  return new Set(isOfAll ? entity.fields.map((field) => field.name) : able.flatMap((cell) => cell.columns ?? []));
}

/**
 * Returns the two references of a junction table, which only connects rows of two tables: at most one row connects two
 * rows, and PostgreSQL sets all other fields, such as a number and the time of the insert. A junction table has no own
 * screens and is shown with the rows that it connects. Returns null for all other entities.
 */
export function linkedFields({ kind, fields, primary_key, unique_keys }: Entity): readonly [string, string] | null {
  const [one, other, ...more] = fields.filter(({ references }) => references !== null).map(({ name }) => name);
  if (kind !== 'table' || one === undefined || other === undefined || more.length > 0) return null;
  const isUnique = [primary_key, ...unique_keys].some(
    (key) => [...key].sort().join('\0') === [one, other].sort().join('\0'),
  );
  const isSet = fields.every((field) => [one, other].includes(field.name) || isSetByDatabase(field, primary_key));
  return isUnique && isSet ? [one, other] : null;
}

/** Returns true for a generated key, and for a time whose default is the time of the insert. */
const isSetByDatabase = (field: Field, key: readonly string[]): boolean =>
  field.generated !== null ||
  (key.includes(field.name) && (field.identity !== null || field.default !== null)) ||
  (/^(timestamp|date)/.test(field.type) && field.default !== null);

function originOf(
  entity: Entity,
  machine: Machine | undefined,
  cells: readonly RoleCell[],
  names: readonly string[],
): Origin {
  const open = groupBy(
    cells.filter((cell) => cell.verdict !== 'never'),
    (cell) => cell.operation,
  );
  const granted = (operation: RoleCell['operation']) => grantedFields(entity, open.get(operation) ?? []);
  return {
    entity,
    machine,
    roles: (...operations) => {
      const able = new Set(operations.flatMap((operation) => (open.get(operation) ?? []).map((cell) => cell.role)));
      return names.filter((name) => able.has(name));
    },
    granted: { select: granted('select'), insert: granted('insert'), update: granted('update') },
  };
}

/**
 * Derives the screens of an entity: a list, a detail if there is a primary key, a form if rows can be written, and a
 * board if there is a state machine.
 * @param cells The cells of the entity.
 * @param names The names of the roles, in the order of chapter 6.
 * @param base The route of the list.
 */
function screensOf(
  _: EntryLookup,
  entity: Entity,
  machine: Machine | undefined,
  cells: readonly RoleCell[],
  names: readonly string[],
  base: string,
): Screen[] {
  const origin = originOf(entity, machine, cells, names);
  const { roles } = origin;
  if (linkedFields(entity)) return [];
  const readers = roles('select');
  const writers = roles('insert', 'update');
  const key = entity.primary_key;
  const order = orderOf(origin);
  const screen = (kind: ScreenKind, route: string, title: string, shownTo: string[]): Screen[] =>
    shownTo.length === 0
      ? []
      : [
          {
            route,
            title,
            kind,
            entity: entity.id,
            origin: 'derived',
            ...fieldsOf(kind, origin),
            filter: null,
            order_by: kind !== 'detail' && kind !== 'form' ? order : null,
            roles: shownTo,
            state_field: kind === 'board' ? (machine?.field ?? null) : null,
            ...spanIn(kind, origin),
            broken: [],
          },
        ];
  const rows = wordsOf(entity.name);
  const many = rows.slice(0, 1).toUpperCase() + rows.slice(1);
  return [
    ...screen('list', base, many, readers),
    ...(key.length > 0
      ? screen(
          'detail',
          [base, ...key.map((field) => `:${encodeURIComponent(field)}`)].join('/'),
          `One row of ${rows}`,
          readers,
        )
      : []),
    ...((entity.writable.insert || entity.writable.update) && fieldsOf('form', origin).columns.length > 0
      ? screen('form', `${base}/new`, formTitle(rows, roles), writers)
      : []),
    ...(machine ? screen('board', `${base}/board`, `${many} by ${machine.field}`, readers) : []),
    ...(key.length > 0 && spanOf(origin) ? screen('calendar', `${base}/calendar`, `Calendar of ${rows}`, readers) : []),
  ];
}

/** Patterns of usual names for the field with the start of a period, each with the name of the field with its end. */
const spans: readonly (readonly [RegExp, string])[] = [
  [/^start(s?)(?=$|_)/, 'end$1'],
  [/^begin(s?)(?=$|_)/, 'end$1'],
  [/^(valid_)?from(?=$|_)/, '$1until'],
  [/^(valid_)?from(?=$|_)/, '$1to'],
];

/**
 * Returns the fields with the start and the end of the period that a row describes. Returns null if the entity has no
 * such pair that its readers may read.
 */
function spanOf({ entity: { fields }, granted }: Origin): Screen['span'] | null {
  const times = fields.filter(
    ({ name, type, base_type }) => granted.select.has(name) && /^(date$|timestamp)/.test(base_type ?? type),
  );
  const names = new Set(times.map(({ name }) => name));
  for (const { name } of times) {
    for (const [start, end] of spans) {
      const other = name.replace(start, end);
      if (start.test(name) && names.has(other)) return { start: name, end: other };
    }
  }
  return null;
}

/** Returns the span of a calendar as a member of its screen: the defined one, or else the one that the names of fields say. */
function spanIn(
  kind: ScreenKind,
  origin: Origin | undefined,
  defined: Screen['span'] | null = null,
): Pick<Screen, 'span'> {
  const span = kind === 'calendar' ? (defined ?? (origin ? spanOf(origin) : null)) : null;
  return span ? { span } : {};
}

/** Matches the paths of an app's origin that show pages of the server itself: the first page, the account, the node. */
const ownPages = /^\/(?:$|(?:account|admin|apps|docs|health)(?:\/|$))/;

/**
 * Returns the route of an entity below the portal, without the schema for the default schema. Usually a slash separates
 * another schema from its entity. If the default schema has a table with the name of that schema, a dot separates them.
 * Otherwise an entity named `new` of that schema would have the same route as the form of the table. A dot also
 * separates the schema from an entity whose route would be the path of another page, such as `account`.
 */
export function routeOf(
  { schema, name }: Pick<Entity, 'schema' | 'name'>,
  facts: Pick<Facts, 'exposedSchemas' | 'relations'>,
): string {
  const [first] = facts.exposedSchemas;
  const isTaken = facts.relations.some((one) => one.schema === first && one.name === schema);
  const short = schema === first ? segment(name) : `${segment(schema)}${isTaken ? '.' : '/'}${segment(name)}`;
  return ownPages.test(`/${short}`) ? `/${segment(schema)}.${segment(name)}` : `/${short}`;
}

/** Encodes a name as a segment of a path. */
const segment = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns a name as words: "order_lines" becomes "order lines". Capital letters stay capital. */
const wordsOf = (name: string): string => name.replaceAll(/[_\s]+/g, ' ').trim() || name;

/**
 * Returns the title of a form. The title says "rows of", because the name may be a singular or a plural: `log`, `news`.
 */
function formTitle(rows: string, roles: Origin['roles']): string {
  const [adds, changes] = [roles('insert').length > 0, roles('update').length > 0];
  if (adds && changes) return `Add or change rows of ${rows}`;
  return adds ? `Add rows to ${rows}` : `Change rows of ${rows}`;
}

/**
 * Returns the order of the rows that a derived screen lists: by the key, or the newest row first if the key is a uuid, which has no order
 * that a reader understands. Null if the key cannot be read.
 */
function orderOf({ entity, granted: { select } }: Origin): string | null {
  const key = entity.primary_key;
  if (key.length === 0 || !key.every((field) => select.has(field))) return null;
  const hasUuid = entity.fields.some((field) => isKey(field, entity) && isUuid(field));
  const first = hasUuid ? firstOf(entity, select) : [];
  return [...first, ...key.map(restName)].join(',');
}

/** Returns the order of rows whose keys have none: by the time of the insert, or another time that each row has, the newest first, or by name. */
function firstOf(entity: Entity, read: ReadonlySet<string>): string[] {
  const fields = entity.fields.filter(({ name }) => read.has(name));
  const isTime = ({ nullable, type, base_type }: Field) => !nullable && /^(date$|timestamp)/.test(base_type ?? type);
  const time = fields.find(isTimeOfInsert) ?? fields.find((field) => isTime(field) && !isTimeOfWrite(field));
  if (time) return [`${restName(time.name)}.desc`];
  return labelFields(entity, (name) => read.has(name)).map(restName);
}

/** Returns true for a field whose values need too much space for a list. */
const isLong = (field: Field): boolean => /^(json|jsonb|bytea|xml|tsvector)$|\[\]$/.test(field.base_type ?? field.type);

/**
 * Returns the columns of a screen that does not define them: the readable fields, or for a form the writable fields, by
 * operation if they differ.
 */
function fieldsOf(kind: ScreenKind, { entity, machine, granted }: Origin): Pick<Screen, 'columns' | 'fields'> {
  const named = (shown: (field: Field) => boolean) => entity.fields.filter(shown).map((field) => field.name);
  const { insert, update, select } = granted;
  if (kind === 'detail') return { columns: named(({ name }) => select.has(name)) };
  if (kind !== 'form') return { columns: named((field) => !isLong(field) && select.has(field.name)) };
  const set = new Set([
    machine?.field,
    ...(machine?.transitions.flatMap(({ sets }) => sets.map(({ field }) => field)) ?? []),
  ]);
  const filled = (field: Field) => isFilledIn(field) && !set.has(field.name);
  const added = named((field) => filled(field) && insert.has(field.name) && !isMadeKey(field, entity));
  const changed = named((field) => filled(field) && update.has(field.name) && !isFixedKey(field, entity));
  const columns = named(({ name }) => added.includes(name) || changed.includes(name));
  const isSame = added.length === columns.length && changed.length === columns.length;
  return isSame ? { columns } : { columns, fields: { insert: added, update: changed } };
}

const isUuid = ({ type, base_type }: Field): boolean => (base_type ?? type) === 'uuid';

const isKey = ({ name }: Field, { primary_key: key }: Entity): boolean => key.length === 1 && key[0] === name;

/** Returns true for a key whose default gives each new row a value of its own. */
const isMadeKey = (field: Field, entity: Entity): boolean => isKey(field, entity) && field.default !== null;

/** Returns true for a key that nobody types in: one that is made, or a uuid. */
const isFixedKey = (field: Field, entity: Entity): boolean =>
  isMadeKey(field, entity) || (isKey(field, entity) && isUuid(field));

/** Returns true for a field that a person fills in: neither computed, nor numbered, nor the time of a write. */
const isFilledIn = (field: Field): boolean =>
  field.generated === null && !field.computed && field.identity === null && !isTimeOfWrite(field);

/** Returns true for a field that, by its name, contains the time of the insert, and has a default. */
const isTimeOfInsert = (field: Field): boolean => isTimeOfWrite(field) && /^(created|inserted|added)/i.test(field.name);

/** Returns true for a field that, by its name, contains the time of the insert or of the last change, and has a default. */
export const isTimeOfWrite = ({ name, type, base_type, default: value }: Field): boolean =>
  value !== null &&
  /^(timestamp|date$)/.test(base_type ?? type) &&
  /^(created|inserted|added|updated|modified|changed|last_?(update|updated|modified))(_?(at|on|time|date))?$/i.test(
    name,
  );

function definedScreen(
  fact: ScreenFact,
  origin: Origin | undefined,
  replaces: boolean,
  entities: readonly Entity[],
  roles: ReadonlySet<string>,
  cells: readonly RoleCell[],
  refusals: readonly ScreenRefusal[],
  { functions, pages }: { functions: ReadonlySet<string>; pages: ReadonlySet<string> },
): Screen {
  const id = idOf(fact.entity);
  const entity = entities.find((one) => one.id === id);
  const fields = fact.columns ? { columns: fact.columns } : origin ? fieldsOf(fact.kind, origin) : { columns: [] };
  const rights = entity?.exposed ? rightsOf(fact, { ...fields, entity }, origin, roles, cells) : null;
  return {
    route: fact.route,
    title: fact.title,
    kind: fact.kind,
    entity: id,
    origin: replaces ? 'defined in place of a derived one' : 'defined',
    ...fields,
    filter: fact.filter,
    order_by: fact.order_by,
    roles: fact.roles ?? rights?.roles ?? [],
    state_field: fact.kind === 'board' ? (origin?.machine?.field ?? null) : null,
    ...extrasOf(fact, origin),
    ...givenIn(fact),
    broken: [
      ...(pages.has(fact.route) ? [`a page has the route ${fact.route}`] : []),
      ...(ownPages.test(fact.route) ? [`the server shows another page at ${fact.route}`] : []),
      ...(entity === undefined ? [`the entity ${id} is gone`] : []),
      ...(entity !== undefined && !entity.exposed ? [`clients do not reach the entity ${id}`] : []),
      ...(entity === undefined
        ? []
        : lostNames({ ...fact, columns: [...(fact.columns ?? []), ...namedFields(fact)] }, entity)),
      ...(entity === undefined ? [] : refusals.map(refusalWords)),
      ...(fact.roles ?? []).filter((role) => !roles.has(role)).map((role) => `the role ${role} is gone`),
      ...(fact.kind === 'board' && origin && !origin.machine ? [`${id} has no state machine for a board`] : []),
      ...(fact.kind === 'calendar' && origin && !(spanOfFact(fact) ?? spanOf(origin))
        ? [`${id} has no start and end for a calendar`]
        : []),
      ...(fact.related ?? [])
        .map(idOf)
        .filter((other) => !entities.some((one) => one.id === other))
        .map((other) => `the entity ${other} is gone`),
      ...(fact.actions ?? [])
        .map(idOf)
        .filter((name) => !functions.has(name))
        .map((name) => `the function ${name} is gone`),
      ...(fact.kind === 'form' && entity && !entity.writable.insert && !entity.writable.update
        ? [`rows of ${id} cannot be written`]
        : (rights?.unmet ?? [])),
    ],
  };
}

/** Returns the properties of a defined screen that not every screen has. */
const extrasOf = (
  fact: ScreenFact,
  origin: Origin | undefined,
): Pick<Screen, 'group_by' | 'related' | 'actions' | 'span' | 'picture' | 'empty' | 'home' | 'place'> => ({
  ...(fact.group_by != null && { group_by: fact.group_by }),
  ...(fact.related != null && { related: fact.related.map(idOf) }),
  ...(fact.actions != null && { actions: fact.actions.map(idOf) }),
  ...spanIn(fact.kind, origin, spanOfFact(fact)),
  ...pictureIn(fact, origin),
  ...(fact.empty != null && { empty: fact.empty }),
  ...(fact.home && { home: true as const }),
  ...(fact.place != null && { place: fact.place }),
});

/** Returns the properties that the definition of a screen sets in place of those that follow from the entity. */
function givenIn({ columns, roles, picture, ...fact }: ScreenFact): Pick<Screen, 'given'> {
  const given: (GivenProperty | false)[] = [
    columns !== null && 'columns',
    roles !== null && 'roles',
    spanOfFact(fact) !== null && 'span',
    picture != null && 'picture',
  ];
  const names = given.filter((one) => one !== false);
  return names.length === 0 ? {} : { given: names };
}

/** Returns the fields that the definition of a screen names beside its columns. */
const namedFields = ({ starts, ends, picture }: Pick<ScreenFact, 'starts' | 'ends' | 'picture'>): string[] =>
  [starts, ends, picture].filter((name) => name != null);

/** Returns the fields that the definition of a calendar names; null if it names none. Facts of earlier versions have none. */
const spanOfFact = ({ starts, ends }: Pick<ScreenFact, 'starts' | 'ends'>): NonNullable<Screen['span']> | null =>
  starts != null && ends != null ? { start: starts, end: ends } : null;

/** Returns the field of a gallery with the picture: the defined one, or else the first field with files. */
function pictureIn({ kind, picture }: ScreenFact, origin: Origin | undefined): Pick<Screen, 'picture'> {
  if (kind !== 'gallery') return {};
  const found =
    picture ??
    origin?.entity.fields.find(({ name, files }) => files !== undefined && origin.granted.select.has(name))?.name;
  return found === undefined ? {} : { picture: found };
}

/**
 * Returns the roles of a screen and the privileges that they lack. Without defined roles, these are all roles that may
 * use the whole screen.
 */
function rightsOf(
  { kind, roles, ...fact }: ScreenFact,
  { entity, columns }: Pick<ScreenUse, 'entity' | 'columns'>,
  origin: Origin | undefined,
  known: ReadonlySet<string>,
  cells: readonly RoleCell[],
): { roles: string[]; unmet: string[] } {
  const use = { kind, entity, columns, asked: [...namesAskedBy(fact), ...namedFields(fact)] };
  const unmetOf = (role: string) => missingPrivileges(role, use, cells);
  if (roles !== null) {
    return { roles, unmet: [...computedIn(use), ...roles.filter((role) => known.has(role)).flatMap(unmetOf)] };
  }
  const asked = kind === 'form' ? (['insert', 'update'] as const) : (['select'] as const);
  const able = origin?.roles(...asked) ?? [];
  const whole = able.filter((role) => unmetOf(role).length === 0);
  const unmet = whole.length > 0 ? [] : [`nobody may ${kind === 'form' ? 'write' : 'read'} all of its columns`];
  return { roles: whole, unmet: [...computedIn(use), ...unmet] };
}

/** Returns in words the error that PostgreSQL returns for the query of the screen. */
const refusalWords = ({ part, shown, message }: ScreenRefusal): string =>
  `PostgreSQL refuses its ${part} ${shown}: ${message}`;
