import type {
  PortalAccess,
  PortalEntity,
  PortalMachine,
  PortalReference,
  PortalRelated,
} from '../../../../contract/portal.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import type { Entity, Field, Relation } from '../../../../contract/specification-entities.ts';
import type { Operation, PolicyEntry, RoleCell } from '../../../../contract/specification-roles.ts';
import type { Machine, Transition, TransitionAccess } from '../../../../contract/states.ts';
import type { Facts } from '../../../catalog/facts.ts';
import { compareText, entityId } from '../../../catalog/names.ts';
import { readCondition } from '../../../sql-reader/condition.ts';
import type { MemberCaller } from '../../derive/chapters/roles/roles.ts';
import { linkedFields } from '../../derive/chapters/screens/screens.ts';
import type { InputField, InputSource } from '../types/input.ts';
import type { FullText } from './full-text.ts';
import { type FieldRights, memberFields } from './member-fields.ts';
import { HiddenNames, helpOf, sentenceCase, singular, unlessNaming } from './member-words.ts';
import { titleFields } from './title-fields.ts';

type RowOperation = Exclude<Operation, 'execute'>;

/** An entity with the cells and field privileges of one caller. */
export interface OpenEntity {
  readonly entity: Entity;
  readonly cells: ReadonlyMap<Operation, RoleCell>;
  readonly rights: FieldRights;
}

export interface EntitySources {
  readonly facts: Facts;
  readonly chapters: Chapters;
  /** The fields that a write to each entity accepts. */
  readonly inputs: InputSource;
  readonly caller: MemberCaller;
  /** The entities that the caller may read or write, by id. */
  readonly open: ReadonlyMap<string, OpenEntity>;
  /** The first exposed schema. The portal omits its name. */
  readonly defaultSchema: string | undefined;
  /** Returns the fields of an entity that an index for full-text search covers. */
  readonly fullText: (entity: Entity) => FullText;
}

/**
 * Returns the entities that a caller may read or write, by id.
 * @param cells The cells of the caller.
 */
export function openEntities(entities: readonly Entity[], cells: readonly RoleCell[]): Map<string, OpenEntity> {
  const found = entities.flatMap((entity): [string, OpenEntity][] => {
    if (!entity.exposed || isUnreachable(entity)) return [];
    const own = new Map(cells.filter((cell) => cell.entity === entity.id).map((cell) => [cell.operation, cell]));
    const rights = {
      read: fieldsOf(entity, own.get('select')),
      insert: givenFields(entity, own.get('insert'), entity.writable.insert),
      update: givenFields(entity, own.get('update'), entity.writable.update),
    };
    const isOpen = rights.read.size + rights.insert.size + rights.update.size > 0;
    return isOpen ? [[entity.id, { entity, cells: own, rights }]] : [];
  });
  return new Map(found);
}

/** Returns true for an entity that no data call can name: an HTTP client removes the segments `.` and `..` from a path. */
const isUnreachable = ({ name }: Entity): boolean => name === '.' || name === '..';

/** The name that a data call reads as the complete row instead of a field. */
const WHOLE_ROW = '*';

function fieldsOf(entity: Entity, cell: RoleCell | undefined): ReadonlySet<string> {
  if (!cell || cell.verdict === 'never') return new Set();
  return new Set((cell.columns ?? entity.fields.map(({ name }) => name)).filter((name) => name !== WHOLE_ROW));
}

const givenFields = (entity: Entity, cell: RoleCell | undefined, isWritable: boolean): ReadonlySet<string> =>
  new Set(
    isWritable
      ? entity.fields
          .filter((field) => field.generated === null && !field.computed && field.identity !== 'always')
          .map(({ name }) => name)
          .filter((name) => fieldsOf(entity, cell).has(name))
      : [],
  );

/**
 * Returns the names that the caller must not learn of: of entities, fields and roles without a privilege of the caller,
 * of schemas outside of the API, and of the app's functions. For a function the words of a condition contain only its
 * name, which does not help a member.
 */
function hiddenNames({
  facts,
  chapters,
  open,
  caller,
}: Pick<EntitySources, 'facts' | 'chapters' | 'open' | 'caller'>): HiddenNames {
  const entities = chapters.entities?.entities ?? [];
  const shown = new Set([...open.values()].flatMap((one) => [one.entity.name, ...knownFields(one.rights)]));
  const all = [
    ...entities.flatMap(({ name, fields }) => [name, ...fields.map((field) => field.name)]),
    ...(chapters.roles?.roles ?? []).map(({ member_role, name }) => member_role ?? name),
    ...facts.routines.map(({ name }) => name),
    ...facts.relations.map(({ schema }) => schema).filter((schema) => !facts.exposedSchemas.includes(schema)),
  ];
  const own = new Set([...caller.memberRoles, caller.role]);
  return new HiddenNames([...new Set(all)].filter((name) => !shown.has(name) && !own.has(name)));
}

const knownFields = ({ read, insert, update }: FieldRights): ReadonlySet<string> =>
  new Set([...read, ...insert, ...update]);

/** Returns the entities that the caller may read or write, with their fields, states and relations. */
export function memberEntities(sources: EntitySources): PortalEntity[] {
  const hidden = hiddenNames(sources);
  return [...sources.open.values()].map((open) => {
    // The caller may know a field of this name of another entity.
    const known = knownFields(open.rights);
    const ofEntity = open.entity.fields.map(({ name }) => name).filter((name) => !known.has(name));
    return memberEntity(sources, open, new HiddenNames(ofEntity, hidden));
  });
}

function memberEntity(sources: EntitySources, open: OpenEntity, hidden: HiddenNames): PortalEntity {
  const { entity, cells, rights } = open;
  const { chapters, inputs } = sources;
  const relations = chapters.entities?.relations ?? [];
  const rules = chapters.rules?.rules.filter((rule) => rule.entity === entity.id) ?? [];
  const given = inputsOf(inputs, open);
  const fields = memberFields({
    ...{ entity, rights, rules, hidden, fullText: sources.fullText(entity) },
    mentioning: new Set(
      chapters.states?.notifications?.flatMap(({ kind, field, problems, entity: of }) =>
        kind === 'mention' && of === entity.id && problems.length === 0 ? [field] : [],
      ),
    ),
    fixed: fixedFields(entity, chapters.roles?.policies ?? [], sources.caller.role),
    texts: inputs.storedTexts(entity),
    indexed: indexedFields(sources.facts, entity),
    inputs: new Map(given.map((one) => [one.field.name, one])),
    reference: (field) => referenceOf(sources, relations, entity, field),
  });
  const isLong = (name: string) => fields.find((field) => field.name === name)?.editor === 'long text';
  const access = (operation: RowOperation): PortalAccess => {
    const cell = cells.get(operation);
    return { open: cell !== undefined && cell.verdict !== 'never' };
  };
  return {
    id: entity.id,
    schema: entity.schema === sources.defaultSchema ? null : entity.schema,
    name: entity.name,
    label: sentenceCase(entity.name),
    one: singular(entity.name),
    help: helpOf(entity.comment),
    key: entity.primary_key.every((name) => rights.read.has(name)) ? entity.primary_key : [],
    title_fields: titleFields(entity, fields, isLong),
    access: {
      select: access('select'),
      insert: rights.insert.size > 0 ? access('insert') : shut,
      update: rights.update.size > 0 ? access('update') : shut,
      delete: entity.writable.delete ? access('delete') : shut,
    },
    fields,
    machine: machineOf(chapters.states?.machines ?? [], open, sources.caller, hidden),
    opens: openedBy(sources, open),
    related: relatedTo(sources, relations, entity),
  };
}

/** Returns the fields that an index finds by their complete value, so that their values are short. */
function indexedFields({ relations, indexes, fields }: Facts, entity: Entity): ReadonlySet<string> {
  const oid = relations.find(({ schema, name }) => schema === entity.schema && name === entity.name)?.oid;
  const numbers = new Set(indexes.flatMap((index) => (index.relation === oid ? index.fields : [])));
  return new Set(
    fields.flatMap(({ relation, number, name }) => (relation === oid && numbers.has(number) ? [name] : [])),
  );
}

/** Returns the inputs for the writes that the caller may make. A caller who may only read gets those for an UPDATE. */
function inputsOf(inputs: InputSource, { entity, rights }: OpenEntity): readonly InputField[] {
  if (rights.insert.size > 0) return inputs.insert(entity);
  return entity.writable.insert || entity.writable.update ? inputs.update(entity) : [];
}

const shut: PortalAccess = { open: false };

/** The value that policies fix in a new row: the id of the caller's account, or a constant. */
type FixedValue = { is: 'caller' } | { is: 'constant'; value: string };

/**
 * Returns the fields whose value the policies fix in a new row: every permissive policy for INSERT, or a restrictive one,
 * requires the same value by `field = …`.
 * @param policies The policies of all entities.
 */
function fixedFields(entity: Entity, policies: readonly PolicyEntry[], role: string): ReadonlyMap<string, FixedValue> {
  if (!entity.row_level_security) return new Map();
  const applied = policies.filter(
    (policy) =>
      policy.entity === entity.id &&
      (policy.command === 'all' || policy.command === 'insert') &&
      (policy.roles.includes('public') || policy.roles.includes(role)),
  );
  const [first, ...others] = applied.filter(({ permissive }) => permissive).map(fixedBy);
  const isAlike = (name: string, value: FixedValue) =>
    others.every((fixed) => JSON.stringify(fixed.get(name)) === JSON.stringify(value));
  const always = [...(first ?? [])].filter(([name, value]) => isAlike(name, value));
  return new Map([...always, ...applied.filter(({ permissive }) => !permissive).flatMap((one) => [...fixedBy(one)])]);
}

/** Returns the fields that have one certain value in each row that a policy accepts. */
function fixedBy({ using, check }: PolicyEntry): Map<string, FixedValue> {
  const condition = readCondition(check ?? using ?? 'true');
  return new Map(
    (condition.kind === 'and' ? condition.items : [condition]).flatMap((part): [string, FixedValue][] => {
      if (part.kind !== 'compare' || part.operator !== '=') return [];
      const sides = [part.left, part.right].map((side) => (side.kind === 'cast' ? side.of : side));
      const field = sides.find(({ kind }) => kind === 'field');
      if (field?.kind !== 'field' || field.qualifier !== null || field.row !== undefined) return [];
      if (sides.some(({ kind }) => kind === 'user-id')) return [[field.name, { is: 'caller' }]];
      const constant = sides.find(({ kind }) => kind === 'literal');
      return constant?.kind === 'literal' ? [[field.name, { is: 'constant', value: constant.value }]] : [];
    }),
  );
}

function referenceOf(
  { open }: Pick<EntitySources, 'open'>,
  relations: readonly Relation[],
  entity: Entity,
  field: Field,
): PortalReference | null {
  const own = relations.filter(({ from }) => from.schema === entity.schema && from.entity === entity.name);
  // A foreign key with several fields counts if this field alone is the primary key of the target. The other fields
  // then only repeat fields of the row.
  const relation =
    own.find(({ from }) => from.fields.length === 1 && from.fields[0] === field.name) ??
    own.find(({ from, to, period }) => {
      const pointed = to.fields[from.fields.indexOf(field.name)];
      const key = open.get(entityId(to.schema, to.entity))?.entity.primary_key;
      return !period && pointed !== undefined && key?.length === 1 && key[0] === pointed;
    });
  if (!relation) return null;
  const target = entityId(relation.to.schema, relation.to.entity);
  const pointed = relation.to.fields[relation.from.fields.indexOf(field.name)];
  if (pointed === undefined || open.get(target)?.rights.read.has(pointed) !== true) return null;
  return { entity: target, field: pointed, key: relation.name };
}

function relatedTo({ open }: EntitySources, relations: readonly Relation[], entity: Entity): PortalRelated[] {
  return relations
    .filter(({ to, from }) => to.schema === entity.schema && to.entity === entity.name && from.fields.length === 1)
    .flatMap(({ from }): PortalRelated[] => {
      const other = open.get(entityId(from.schema, from.entity));
      const [field] = from.fields;
      if (!other || field === undefined || !other.rights.read.has(field)) return [];
      const linked = linkedFields(other.entity)?.find((name) => name !== field) ?? null;
      return [
        { entity: other.entity.id, field, link: linked !== null && other.rights.read.has(linked) ? linked : null },
      ];
    })
    .sort((a, b) => compareText(a.entity, b.entity));
}

/**
 * Returns the entity whose primary key a view shows in a field of the same name. A row of the view then opens the row
 * of this entity.
 */
function openedBy({ chapters, open }: EntitySources, { entity, rights }: OpenEntity): PortalEntity['opens'] {
  if (entity.primary_key.length > 0) return null;
  for (const shown of chapters.entities?.view_foreign_keys ?? []) {
    if (shown.view !== entity.id || shown.side !== 'to') continue;
    const target = open.get(entityId(shown.to.schema, shown.to.entity));
    const [key] = shown.to.fields;
    if (!target || key === undefined || shown.to.fields.length !== 1 || !shown.fields[0]?.includes(key)) continue;
    if (target.entity.primary_key.join() === key && rights.read.has(key) && target.rights.read.has(key))
      return { entity: target.entity.id, field: key };
  }
  return null;
}

/** The computed fields of an entity with a state machine. */
const rowFunctions: ReadonlySet<string> = new Set(['transitions', 'state_changes']);

function machineOf(
  machines: readonly Machine[],
  { entity, rights, cells }: OpenEntity,
  { role, memberRoles }: MemberCaller,
  hidden: HiddenNames,
): PortalMachine | null {
  const machine = machines.find((one) => one.entity === entity.id);
  if (!machine || !rights.read.has(machine.field)) return null;
  // A request that changes one row names the row by its key.
  const isIdentified = entity.primary_key.every((name) => rights.read.has(name));
  const mayChange = isIdentified && cells.get('update')?.verdict !== 'never' && rights.update.has(machine.field);
  const isOwn = (roles: readonly string[] | null) =>
    roles === null || roles.some((name) => name === role || memberRoles.includes(name));
  // The functions of the computed fields receive the complete row, so PostgreSQL requires SELECT on all of its columns.
  const isJudged = entity.fields.every(({ name }) => rights.read.has(name) && !rowFunctions.has(name));
  const accessOf = ({ access }: Transition) =>
    access?.filter((one) => one.role === role || memberRoles.includes(one.role.replace(' (of members)', '')));
  // A row that the caller sees has passed the policies for SELECT.
  const isAccepted = ({ verdict, words }: TransitionAccess) =>
    verdict === 'always' || (verdict === 'when' && words === cells.get('select')?.words);
  const isUndecided = (one: Transition) =>
    one.when !== null ||
    !one.requires.every((name) => rights.update.has(name) || rights.read.has(name)) ||
    accessOf(one)?.some(isAccepted) === false;
  const isRefused = (one: Transition) => accessOf(one)?.every(({ verdict }) => verdict === 'never') === true;
  const transitions = machine.transitions.filter((one) => mayChange && isOwn(one.roles) && !isRefused(one));
  return {
    field: machine.field,
    initial: machine.initial,
    undecided: isJudged ? null : transitions.filter(isUndecided).map(({ name }) => name),
    states: machine.states.map(({ name, final }) => ({ value: name, label: sentenceCase(name), final })),
    transitions: transitions.map(({ name, from, to, requires, when }) => {
      const presumes = requires.filter((field) => !rights.update.has(field) && rights.read.has(field));
      return {
        ...{ name, label: sentenceCase(name), from, to },
        requires: requires.filter((field) => rights.update.has(field)),
        ...(presumes.length > 0 && { presumes }),
        when: when === null ? null : unlessNaming(when.words, hidden),
      };
    }),
  };
}
