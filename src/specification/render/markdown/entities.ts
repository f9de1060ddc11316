import { entityId } from '../../../../contract/entity-names.ts';
import { isMachineTrigger } from '../../../../contract/machine-trigger.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import type {
  Attribute,
  DistanceIndex,
  EntitiesChapter,
  Entity,
  EntityTrigger,
  Field,
  Junction,
  Relation,
  ViewForeignKey,
} from '../../../../contract/specification-entities.ts';
import { groupBy } from '../../../catalog/group.ts';
import { machineFunctions } from '../../derive/chapters/calls/machine-functions.ts';
import { triggerEvents } from '../../derive/chapters/entities/trigger-words.ts';
import { filesWords } from '../../derive/words/files.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { code, count, inline, table } from './escape.ts';
import { bucketParts } from './files.ts';

/**
 * Returns chapter 3 in Markdown, with one section for each entity. The JSON contains the SQL of views, triggers and
 * defaults.
 */
export function entitiesMarkdown(chapter: EntitiesChapter, { calls }: Chapters): string {
  const { entities, relations } = chapter;
  const files = bucketParts(chapter.buckets);
  if (entities.length === 0) return ['There is no table yet.', ...files].join('\n\n');
  const exposed = entities.filter((entity) => entity.exposed).length;
  const isUsual = (entity: Entity) => entity.row_level_security || !isTable(entity);
  const secured = entities.every(isUsual) ? ' Row-level security is on for every table.' : '';
  const answer = `${count(entities.length, 'entity', 'entities')}, ${exposed} of them reachable by clients, and ${count(relations.length, 'relation')} between them.${secured}`;
  const context = { chapter, standard: machineFunctions(calls), isSecured: secured !== '' };
  return [answer, ...entities.map((entity) => section(entity, context)), ...files].join('\n\n');
}

interface Context {
  chapter: EntitiesChapter;
  /** Ids of the functions of state machines. */
  standard: ReadonlySet<string>;
  /** True if row-level security is enabled on every table, so that the sections do not repeat it. */
  isSecured: boolean;
}

const isTable = ({ kind }: Entity): boolean => kind === 'table' || kind === 'partitioned table';

function section(entity: Entity, { chapter, standard, isSecured }: Context): string {
  const { relations, junctions, view_foreign_keys } = chapter;
  const own = relations.filter((one) => one.from.schema === entity.schema && one.from.entity === entity.name);
  const single = new Map(own.filter(isShort).map((one) => [one.from.fields[0] ?? '', one]));
  const parts = [`### ${inline(shownSql(entity.id))}`, `*${about(entity, isSecured)}*`];
  if (entity.comment !== null) parts.push(inline(entity.comment));
  if (entity.fields.length > 0) parts.push(fieldTable(entity, single));
  const computed = (entity.computed ?? []).filter((one) => !standard.has(one.function));
  const links = [
    ...own.filter((one) => single.get(one.from.fields[0] ?? '') !== one).map(pointsTo),
    ...embedded(view_foreign_keys.filter(({ view }) => view === entity.id)),
    ...junctions.flatMap((one) => joined(one, entity.id)),
    ...(entity.distance_indexes ?? []).map(distanceIndex),
    ...entity.inherits.map((parent) => `Its rows are rows of ${inline(shownSql(parent))} too.`),
    ...computed.map(
      ({ name, as, type, function: by }) =>
        `${as === 'field' ? 'Computed field' : 'Computed relationship'} ${code(name)}: ${inline(shownSql(type))}, by ${inline(shownSql(by))}.`,
    ),
    ...entity.triggers.filter((one) => !isMachineTrigger(one)).map(trigger),
    ...(entity.rewrite_rules ?? []).map(
      ({ enabled, sql }) => `${enabled ? 'Rule' : 'Rule, disabled,'} ${code(shownSql(sql))}`,
    ),
  ];
  if (links.length > 0) parts.push(links.map((link) => `- ${link}`).join('\n'));
  return parts.join('\n\n');
}

function fieldTable({ fields, kind }: Entity, references: ReadonlyMap<string, Relation>): string {
  const isView = kind === 'view' || kind === 'materialized view';
  const meaning = ({ comment, type_comments: more }: Field) => [comment ?? '', ...(more ?? [])].map(inline).join('; ');
  const hasMeaning = fields.some((field) => meaning(field) !== '');
  const rows = fields.map((field) => {
    const reference = references.get(field.name);
    const value = [
      ...(isView && field.nullable && field.default === null && field.computed === undefined ? [] : [heldValue(field)]),
      ...(reference ? [targetWords(reference)] : []),
      ...(field.files ? [inline(filesWords(field.files))] : []),
    ].join(', ');
    return [code(field.name), type(field), value, ...(hasMeaning ? [meaning(field)] : [])];
  });
  const heads = ['Field', 'Type', 'Value', ...(hasMeaning ? ['Meaning'] : [])];
  if (!isView || hasMeaning || rows.some(([, , value]) => value !== '')) return table(heads, rows);
  return `Fields: ${rows.map(([name, what]) => `${name} (${what})`).join(', ')}.`;
}

const distanceIndex = ({ name, method, part, operator, condition }: DistanceIndex): string =>
  `Index ${code(name)} (${method}) finds the nearest rows by ${code(`${shownSql(part)} ${operator}`)}${condition === undefined ? '' : ` if ${code(shownSql(condition))}`}.`;

function trigger(one: EntityTrigger): string {
  const { name, enabled, sql, in_replicas, comment } = one;
  const runs = /EXECUTE FUNCTION (.*?)\(/.exec(sql)?.[1];
  const state = enabled ? (in_replicas ? ', for rows that are replicated too' : '') : ', disabled';
  const does = runs === undefined ? '' : `, runs ${code(shownSql(runs))}`;
  const when = / WHEN \((.*)\) EXECUTE/s.exec(sql)?.[1];
  const condition = when === undefined ? '' : ` if ${code(shownSql(when))}`;
  return `Trigger ${code(name)}${state}: ${inline(triggerEvents(one))}${does}${condition}${comment === undefined ? '' : `. “${inline(comment)}”`}`;
}

function about(entity: Entity, isSecured: boolean): string {
  const parts = [entity.kind[0]?.toUpperCase() + entity.kind.slice(1)];
  if (!entity.exposed) parts.push('not reachable by clients');
  if (isTable(entity) && (!isSecured || entity.forced_row_level_security)) {
    parts.push(
      `row-level security ${entity.row_level_security ? 'on' : 'off'}${entity.forced_row_level_security ? ', for the owner too' : ''}`,
    );
  }
  if (entity.partitions > 0) parts.push(`in ${count(entity.partitions, 'partition')}`);
  if (entity.security !== null)
    parts.push(`reads with the privileges of its ${entity.security === 'owner' ? 'owner' : 'caller'}`);
  if (entity.check_option !== undefined)
    parts.push(`takes only rows that it shows${entity.check_option === 'local' ? ' by its own condition' : ''}`);
  if (entity.security_barrier) parts.push('evaluates its own condition before any other');
  if (entity.unlogged) parts.push('loses its rows when the server fails (unlogged)');
  if (entity.owner !== 'pg_database_owner') parts.push(`belongs to ${inline(entity.owner)}`);
  if (entity.extension !== null) parts.push(`of extension ${inline(entity.extension)}`);
  if (entity.primary_key.length > 0) parts.push(`key ${entity.primary_key.map(code).join(', ')}`);
  return parts.join('; ');
}

function type(field: Field): string {
  const base = field.base_type === null ? '' : `, a ${inline(field.base_type)}`;
  const values = field.enum_values === null ? '' : `: ${field.enum_values.map(inline).join(', ')}`;
  const parts = partsWords(field.attributes);
  return `${typeName(field.type)}${base}${values}${parts === '' ? '' : ` of ${parts}`}${collation(field)}`;
}

/** Returns the name of a type in its short form, which PostgreSQL also accepts. */
const typeName = (name: string): string =>
  inline(
    shownSql(name)
      .replace(/^timestamp(\(\d\))? with time zone/, 'timestamptz$1')
      .replace(/^timestamp(\(\d\))? without time zone/, 'timestamp$1')
      .replace(/^character varying/, 'varchar'),
  );

const partsWords = (attributes: readonly Attribute[] = []): string =>
  attributes
    .map(({ name, type, comment, attributes: parts }) => {
      const words = inline(`${name} ${shownSql(type)}${comment === undefined ? '' : ` (${comment})`}`);
      return parts === undefined ? words : `${words} of (${partsWords(parts)})`;
    })
    .join(', ');

function collation({ collation }: Field): string {
  if (collation === undefined) return '';
  const equal = collation.equal === undefined ? '' : `, in which texts ${collation.equal} count as the same`;
  return inline(`, by the collation ${collation.name}${equal}`);
}

function heldValue(field: Field): string {
  const how = given(field);
  return field.numbering === undefined ? how : `${how}, ${inline(field.numbering)}`;
}

function given(field: Field): string {
  if (field.generated !== null) return `computed: ${code(shownSql(field.default ?? ''))}`;
  if (field.computed) return 'computed by the view';
  if (field.identity !== null)
    return field.identity === 'always' ? 'numbered automatically' : 'numbered automatically if left out';
  if (field.default !== null) return `${field.nullable ? 'optional, ' : ''}default ${code(shownSql(field.default))}`;
  return field.nullable ? 'optional' : 'required';
}

const endings: Readonly<Record<Relation['on_delete'], string>> = {
  'no action': 'that row cannot be deleted while this one refers to it',
  restrict: 'that row cannot be deleted while this one refers to it',
  cascade: 'deleted with it',
  'set null': 'emptied when that row is deleted',
  'set default': 'set to its default when that row is deleted',
  nothing: 'not enforced: if that row is deleted, this value stays',
};

const follows: Readonly<Record<NonNullable<Relation['on_update']>, string>> = {
  cascade: 'follows when its key changes',
  'set null': 'emptied when its key changes',
  'set default': 'set to its default when its key changes',
  nothing: 'not enforced: if its key changes, this value stays',
};

/** Returns true for a reference of one field to the key `id`, which the table of fields shows. */
const isShort = ({ from, to, period, on_delete_fields }: Relation): boolean =>
  from.fields.length === 1 && to.fields.length === 1 && !period && on_delete_fields === undefined;

const shortEndings: Readonly<Record<Relation['on_delete'], string>> = {
  ...endings,
  'no action': 'keeps it from deletion',
  restrict: 'keeps it from deletion',
  'set null': 'emptied with it',
  'set default': 'set to its default with it',
};

/** Describes a reference within the table of fields: "→ courses, deleted with it". */
function targetWords({ to, kind, on_delete, on_update }: Relation): string {
  const [field = ''] = to.fields;
  const target = `${inline(shownSql(entityId(to.schema, to.entity)))}${field === 'id' ? '' : ` (${code(field)})`}`;
  const update = on_update === undefined || on_delete === 'nothing' ? '' : `, ${follows[on_update]}`;
  return `→ ${target}${kind === 'one-to-one' ? ', one to one' : ''}, ${shortEndings[on_delete]}${update}`;
}

/** Describes a junction if the entity is one of its ends. */
function joined({ from, to, through }: Junction, id: string): string[] {
  if (from !== id && to !== id) return [];
  return [`Many to many with ${inline(shownSql(from === id ? to : from))}, through ${inline(shownSql(through))}.`];
}

/** Describes the rows that calls can embed through a view, by the field of the view. */
function embedded(keys: readonly ViewForeignKey[]): string[] {
  const fieldsOf = ({ fields }: ViewForeignKey) => fields.map((names) => names.map(code).join(' or ')).join(', ');
  return [...groupBy(keys, (key) => `${key.side} ${fieldsOf(key)}`).values()].map((group) => {
    const others = group.map(({ side, name, from, to }) => {
      const end = side === 'from' ? to : from;
      return `${inline(shownSql(entityId(end.schema, end.entity)))} (by ${code(name)})`;
    });
    const [first] = group;
    const own = first ? fieldsOf(first) : '';
    return first?.side === 'from'
      ? `Calls embed the row of ${others.join(', ')} that ${own} refers to.`
      : `Calls embed the rows that refer to ${own}: ${others.join(', ')}.`;
  });
}

function pointsTo({ from, to, kind, period, on_delete, on_delete_fields, on_update }: Relation): string {
  const fields = from.fields.map(code).join(', ');
  const target = `${inline(shownSql(entityId(to.schema, to.entity)))} (${to.fields.map(code).join(', ')})`;
  const ending = `${on_delete_fields === undefined ? '' : `${on_delete_fields.map(code).join(', ')} `}${endings[on_delete]}`;
  if (period)
    return `${fields} refers to rows of ${target} that cover all of ${code(from.fields.at(-1) ?? '')}; ${ending}.`;
  const update = on_update === undefined || on_delete === 'nothing' ? '' : `; ${follows[on_update]}`;
  return `${fields} refers to ${kind === 'one-to-one' ? 'one row, and no other row does, of' : 'a row of'} ${target}; ${ending}${update}.`;
}
