import { entityId } from '../../../contract/entity-names.ts';
import { isMachineTrigger } from '../../../contract/machine-trigger.ts';
import type {
  Attribute,
  EntitiesChapter,
  Entity,
  EntityTrigger,
  Field,
  Junction,
  Relation,
  ViewForeignKey,
} from '../../../contract/specification-entities.ts';
import { block, code, count, inline, table } from './text.ts';

/** Prints chapter 3 as lines, with one section for each entity. */
export function entityLines(chapter: EntitiesChapter): string {
  const { entities, relations } = chapter;
  if (entities.length === 0) return 'There is no table yet.';
  const exposed = entities.filter((entity) => entity.exposed).length;
  const answer = `${count(entities.length, 'entity', 'entities')}, ${exposed} of them reachable by clients, and ${count(relations.length, 'relation')} between them.`;
  return [answer, ...entities.map((entity) => section(entity, chapter))].join('\n\n');
}

function section(entity: Entity, { relations, junctions, view_foreign_keys }: EntitiesChapter): string {
  const parts = [`### ${inline(entity.id)}`, `*${about(entity)}*`];
  if (entity.comment !== null) parts.push(inline(entity.comment));
  if (entity.fields.length > 0) {
    const rows = entity.fields.map((field) => [
      code(field.name),
      type(field),
      value(field),
      [field.comment ?? '', ...(field.type_comments ?? [])].map(inline).join('; '),
    ]);
    parts.push(table(['Field', 'Type', 'Value', 'Meaning'], rows));
  }
  const links = [
    ...relations.filter((one) => one.from.schema === entity.schema && one.from.entity === entity.name).map(pointsTo),
    ...view_foreign_keys.filter(({ view }) => view === entity.id).map(shown),
    ...junctions.flatMap((one) => joined(one, entity.id)),
    ...entity.unique_keys.map((fields) => `No two rows have the same ${fields.map(code).join(', ')}.`),
    ...(entity.period_keys ?? []).map(
      ({ fields, period }) =>
        `No two rows have the same ${fields.map(code).join(', ')} and overlap in ${code(period)}.`,
    ),
    ...entity.inherits.map((parent) => `Its rows are rows of ${inline(parent)} too.`),
    ...(entity.computed ?? []).map(
      ({ name, as, type, function: by }) =>
        `${as === 'field' ? 'Computed field' : 'Computed relationship'} ${code(name)}: ${inline(type)}, by ${inline(by)}.`,
    ),
    ...entity.triggers.filter((one) => !isMachineTrigger(one)).map(trigger),
    ...(entity.rewrite_rules ?? []).map(
      ({ enabled, sql }) => `${enabled ? 'Rule' : 'Rule, switched off,'} ${code(sql)}`,
    ),
  ];
  if (links.length > 0) parts.push(links.map((link) => `- ${link}`).join('\n'));
  if (entity.definition !== null) parts.push(block(entity.definition.trim()));
  return parts.join('\n\n');
}

function trigger({ enabled, sql, in_replicas, comment }: EntityTrigger): string {
  const state = enabled ? (in_replicas ? ', for rows that are replicated too,' : '') : ', switched off,';
  return `Trigger${state} ${code(sql)}${comment === undefined ? '' : `: ${inline(comment)}`}`;
}

function about(entity: Entity): string {
  const parts = [entity.kind[0]?.toUpperCase() + entity.kind.slice(1)];
  if (!entity.exposed) parts.push('not reachable by clients');
  if (entity.kind === 'table' || entity.kind === 'partitioned table') {
    parts.push(
      `row-level security ${entity.row_level_security ? 'on' : 'off'}${entity.forced_row_level_security ? ', for the owner too' : ''}`,
    );
  }
  if (entity.partitions > 0) parts.push(`in ${count(entity.partitions, 'partition')}`);
  if (entity.security !== null)
    parts.push(`reads with the rights of its ${entity.security === 'owner' ? 'owner' : 'caller'}`);
  if (entity.check_option !== undefined)
    parts.push(`takes only rows that it shows${entity.check_option === 'local' ? ' by its own condition' : ''}`);
  if (entity.security_barrier) parts.push('asks its own condition before any other');
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
  return `${inline(field.type)}${base}${values}${parts === '' ? '' : ` of ${parts}`}${collation(field)}`;
}

const partsWords = (attributes: readonly Attribute[] = []): string =>
  attributes
    .map(({ name, type, comment, attributes: parts }) => {
      const words = inline(`${name} ${type}${comment === undefined ? '' : ` (${comment})`}`);
      return parts === undefined ? words : `${words} of (${partsWords(parts)})`;
    })
    .join(', ');

function collation({ collation }: Field): string {
  if (collation === undefined) return '';
  const equal = collation.equal === undefined ? '' : `, in which texts ${collation.equal} count as the same`;
  return inline(`, by the collation ${collation.name}${equal}`);
}

function value(field: Field): string {
  const how = given(field);
  return field.numbering === undefined ? how : `${how}, ${inline(field.numbering)}`;
}

function given(field: Field): string {
  if (field.generated !== null) return `generated: ${code(field.default ?? '')}`;
  if (field.computed) return 'computed by the view';
  if (field.identity !== null) return field.identity === 'always' ? 'numbered' : 'numbered unless given';
  if (field.default !== null) return `${field.nullable ? 'optional, ' : ''}by default ${code(field.default)}`;
  return field.nullable ? 'optional' : 'required';
}

const endings: Readonly<Record<Relation['on_delete'], string>> = {
  'no action': 'that row cannot be deleted while this one points to it',
  restrict: 'that row cannot be deleted while this one points to it',
  cascade: 'deleted with it',
  'set null': 'emptied when that row is deleted',
  'set default': 'set to its default when that row is deleted',
  nothing: 'that row can be deleted all the same, and this one then points to nothing',
};

const follows: Readonly<Record<NonNullable<Relation['on_update']>, string>> = {
  cascade: 'follows when its key changes',
  'set null': 'emptied when its key changes',
  'set default': 'set to its default when its key changes',
  nothing: 'its key can change all the same',
};

/** Describes a junction if the entity is one of its ends. */
function joined({ from, to, through }: Junction, id: string): string[] {
  if (from !== id && to !== id) return [];
  return [`Rows are joined to rows of ${inline(from === id ? to : from)} through ${inline(through)}, many to many.`];
}

/** Describes the rows that calls can embed through a view. */
function shown({ side, name, fields, from, to }: ViewForeignKey): string {
  const own = fields.map((names) => names.map(code).join(' or ')).join(', ');
  const [pointing, pointed] = [from, to].map(
    (end) => `${inline(entityId(end.schema, end.entity))} (${end.fields.map(code).join(', ')})`,
  );
  return side === 'from'
    ? `${own} points to a row of ${pointed}, as in ${pointing}: calls embed that row, or what a view shows of it, by ${code(name)}.`
    : `${own} is what rows of ${pointing} point to in ${pointed}: calls embed those rows, or what a view shows of them, by ${code(name)}.`;
}

function pointsTo({ from, to, kind, period, on_delete, on_delete_fields, on_update }: Relation): string {
  const fields = from.fields.map(code).join(', ');
  const target = `${inline(`${to.schema}.${to.entity}`)} (${to.fields.map(code).join(', ')})`;
  const ending = `${on_delete_fields === undefined ? '' : `${on_delete_fields.map(code).join(', ')} `}${endings[on_delete]}`;
  if (period)
    return `${fields} points to rows of ${target} that cover all of ${code(from.fields.at(-1) ?? '')}; ${ending}.`;
  return `${fields} points to ${kind === 'one-to-one' ? 'one row, and no other row does, of' : 'a row of'} ${target}; ${ending}${on_update === undefined ? '' : `; ${follows[on_update]}`}.`;
}
