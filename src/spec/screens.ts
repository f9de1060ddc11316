import type { Screen, ScreenKind, ScreensChapter } from '../../contract/description.ts';
import type { Entity, Field, RolesChapter } from '../../contract/specification.ts';
import type { Machine } from '../../contract/states.ts';
import type { ScreenFact } from '../catalog/description.ts';
import { tokenise } from '../catalog/expression-text.ts';
import type { Facts } from './facts.ts';
import { groupBy } from './group.ts';
import { compareText, sqlName } from './names.ts';

/** What the screens of an entity follow from. */
interface Origin {
  entity: Entity;
  /** Its first state machine. */
  machine: Machine | undefined;
  /** The roles that may do it, for some rows or all. */
  roles: (operation: 'select' | 'insert' | 'update') => string[];
}

/** Chapter 2: the screens that follow from the entities, and those that are defined. */
export function screensChapter(
  facts: Facts,
  entities: readonly Entity[],
  machines: readonly Machine[],
  roles: RolesChapter,
): ScreensChapter {
  const open = groupBy(
    roles.cells.filter((cell) => cell.verdict !== 'never'),
    (cell) => `${cell.operation} ${cell.entity}`,
  );
  const origins = new Map(
    entities
      .filter((entity) => entity.exposed)
      .map((entity): [string, Origin] => [
        entity.id,
        {
          entity,
          machine: machines.find((one) => one.entity === entity.id),
          roles: (operation) => (open.get(`${operation} ${entity.id}`) ?? []).map((cell) => cell.role),
        },
      ]),
  );
  const derived = new Map(
    [...origins.values()].flatMap((origin) => screensOf(origin, facts)).map((screen) => [screen.route, screen]),
  );
  const known = new Set([
    ...roles.roles.map((role) => role.name),
    ...facts.member_roles.map((role) => role.name),
    ...facts.roles.map((role) => role.name),
  ]);
  const defined = facts.screens.map((fact) => definedScreen(fact, origins, derived.has(fact.route), entities, known));
  const replaced = new Set(defined.map((screen) => screen.route));
  return {
    screens: [...[...derived.values()].filter((screen) => !replaced.has(screen.route)), ...defined].sort((a, b) =>
      compareText(a.route, b.route),
    ),
    sources: [
      { kind: 'catalogue', label: 'the entities that clients reach, with chapters 4 and 6' },
      {
        kind: 'catalogue',
        label: 'ninefold.screens, set by ninefold.define_screen',
        sql: 'select * from ninefold.screens order by route',
      },
    ],
  };
}

/** A list, a detail where a key tells rows apart, a form where rows can be written, a board where there are states. */
function screensOf({ entity, machine, roles }: Origin, facts: Facts): Screen[] {
  const base = routeOf(entity, facts);
  const readers = roles('select');
  const writers = [...new Set([...roles('insert'), ...roles('update')])];
  const key = entity.primary_key;
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
            columns: columnsOf(kind, entity, machine),
            filter: null,
            order_by: kind !== 'detail' && kind !== 'form' && key.length > 0 ? key.map(restName).join(',') : null,
            roles: shownTo,
            state_field: kind === 'board' ? (machine?.field ?? null) : null,
            broken: [],
          },
        ];
  const many = wordsOf(entity.name);
  return [
    ...screen('list', base, many, readers),
    ...(key.length > 0
      ? screen(
          'detail',
          [base, ...key.map((field) => `:${encodeURIComponent(field)}`)].join('/'),
          `One of ${many.toLowerCase()}`,
          readers,
        )
      : []),
    ...(entity.writable.insert || entity.writable.update
      ? screen('form', `${base}/new`, `Edit ${many.toLowerCase()}`, writers)
      : []),
    ...(machine ? screen('board', `${base}/board`, `${many} by ${machine.field}`, readers) : []),
  ];
}

/** Below the portal: without the schema where it is the default one. */
const routeOf = ({ schema, name }: Pick<Entity, 'schema' | 'name'>, facts: Facts): string =>
  schema === facts.exposedSchemas[0]
    ? `/${encodeURIComponent(name)}`
    : `/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`;

/** "order_lines" is "Order lines". */
function wordsOf(name: string): string {
  const words = name.replaceAll(/[_\s]+/g, ' ').trim();
  return words === '' ? name : words[0]?.toUpperCase() + words.slice(1);
}

/** Values that need a page of their own. */
const isLong = (field: Field): boolean => /^(json|jsonb|bytea|xml|tsvector)$|\[\]$/.test(field.base_type ?? field.type);

function columnsOf(kind: ScreenKind, entity: Entity, machine: Machine | undefined): string[] {
  const set = new Set([
    machine?.field,
    ...(machine?.transitions.flatMap(({ sets }) => sets.map(({ field }) => field)) ?? []),
  ]);
  const shows: Record<ScreenKind, (field: Field) => boolean> = {
    list: (field) => !isLong(field),
    board: (field) => !isLong(field),
    detail: () => true,
    form: (field) => field.generated === null && field.identity === null && !set.has(field.name),
  };
  return entity.fields.filter(shows[kind]).map((field) => field.name);
}

function definedScreen(
  fact: ScreenFact,
  origins: ReadonlyMap<string, Origin>,
  replaces: boolean,
  entities: readonly Entity[],
  roles: ReadonlySet<string>,
): Screen {
  const id = idOf(fact.entity);
  const origin = origins.get(id);
  const entity = entities.find((one) => one.id === id);
  const columns = fact.columns ?? (origin ? columnsOf(fact.kind, origin.entity, origin.machine) : []);
  const asked = fact.kind === 'form' ? (['insert', 'update'] as const) : (['select'] as const);
  return {
    route: fact.route,
    title: fact.title,
    kind: fact.kind,
    entity: id,
    origin: replaces ? 'defined in place of a derived one' : 'defined',
    columns,
    filter: fact.filter,
    order_by: fact.order_by,
    roles: fact.roles ?? [...new Set(asked.flatMap((operation) => origin?.roles(operation) ?? []))],
    state_field: fact.kind === 'board' ? (origin?.machine?.field ?? null) : null,
    broken: [
      ...(entity === undefined ? [`the entity ${id} is gone`] : []),
      ...(entity !== undefined && !entity.exposed ? [`clients do not reach the entity ${id}`] : []),
      ...(entity === undefined ? [] : lostNames(fact, entity)),
      ...(fact.roles ?? []).filter((role) => !roles.has(role)).map((role) => `the role ${role} is gone`),
      ...(fact.kind === 'board' && origin && !origin.machine ? [`${id} has no state machine for a board`] : []),
      ...(fact.kind === 'form' && entity && !entity.writable.insert && !entity.writable.update
        ? [`rows of ${id} cannot be written`]
        : []),
    ],
  };
}

/** The id of an entity from the name that SQL gave it, which quotes alike but for keywords. */
function idOf(name: string): string {
  const words = (tokenise(name) ?? []).flatMap((token) => (token.kind === 'word' ? [sqlName(token.value)] : []));
  return words.length === 2 ? words.join('.') : name;
}

function lostNames(fact: ScreenFact, entity: Entity): string[] {
  const names = new Set(entity.fields.map((field) => field.name));
  const lost = (list: readonly string[], where: string) =>
    [...new Set(list)].filter((name) => !names.has(name)).map((name) => `the column ${name} of its ${where} is gone`);
  return [
    ...[...new Set(fact.columns ?? [])].filter((name) => !names.has(name)).map((name) => `the column ${name} is gone`),
    ...lost(filteredNames(fact.filter ?? ''), 'filter'),
    ...lost(orderedNames(fact.order_by ?? ''), 'order'),
  ];
}

/** The columns that a filter names at its first level: `status=neq.closed`, `metadata->>kind=eq.x`; not those within and(…), or(…). */
const filteredNames = (filter: string): string[] =>
  [...new URLSearchParams(filter).keys()]
    .filter((name) => !/^(not\.)?(and|or)$/.test(name) && !name.includes('.'))
    .map((name) => fieldOf(name));

const orderedNames = (order: string): string[] =>
  order
    .split(',')
    .flatMap((term) =>
      term.trim() === '' || term.includes('(')
        ? []
        : [fieldOf(term.trim().replace(/\.(asc|desc|nullsfirst|nullslast)\b.*$/, ''))],
    );

/** The column of `column->path`, without quotes. */
const fieldOf = (text: string): string => text.replace(/->.*$/, '').replace(/^"(.*)"$/, '$1');

/** A name in the order of a data call. */
const restName = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`);
