import type { EntitiesChapter, Entity, Field, Relation } from '../../../../contract/specification-entities.ts';
import { entityName } from '../../format/format.ts';
import { periodKeysOf } from './entity-words.ts';

/**
 * Writes the entities and their relations as a Mermaid `erDiagram`
 * (mermaid.js.org/syntax/entityRelationshipDiagram.html). Entity names in quotes may contain anything except a quote.
 * Types and field names consist of letters, digits, `_`, `-`, `()` and `[]`. Mermaid has no mark for keys over periods,
 * so field comments and relation labels describe them. Pure.
 */
export function entityMermaid({ entities, relations }: EntitiesChapter): string {
  return [
    'erDiagram',
    ...entities.flatMap((entity) => [
      `  ${quoted(entityName(entity.schema, entity.name))} {`,
      ...entity.fields.map((field) => `    ${fieldLine(entity, field, relations)}`),
      '  }',
    ]),
    ...relations.map((relation) => `  ${relationLine(relation, entities)}`),
    '',
  ].join('\n');
}

function fieldLine(entity: Entity, field: Field, relations: readonly Relation[]): string {
  const { name, type, comment, references } = field;
  const unique = entity.unique_keys.some((key) => key.length === 1 && key[0] === name);
  const points = references !== null || isPeriodReference(entity, name, relations);
  const keys = [entity.primary_key.includes(name) && 'PK', points && 'FK', unique && 'UK'].filter(Boolean);
  const remark = [...(comment === null ? [] : [comment]), ...periodKeysOf(entity, name)].join('; ');
  return [word(type), word(name), keys.join(', '), remark === '' ? '' : quoted(remark)].filter(Boolean).join(' ');
}

/**
 * Returns true if the field is the period of a foreign key. The referenced rows together cover the period, so the field
 * alone references no row.
 */
const isPeriodReference = ({ schema, name }: Entity, field: string, relations: readonly Relation[]): boolean =>
  relations.some(
    ({ from, period }) => period && from.schema === schema && from.entity === name && from.fields.includes(field),
  );

function relationLine({ from, to, kind, period }: Relation, entities: readonly Entity[]): string {
  const fields = entities.find(({ schema, name }) => schema === from.schema && name === from.entity)?.fields ?? [];
  const optional = fields.some(({ name, nullable }) => nullable && from.fields.includes(name));
  // The referenced end of a relation over periods is drawn as "many", because several referenced rows may cover a period together.
  const there = `${optional ? 'o' : '|'}${period ? '{' : '|'}`;
  const joint = `${kind === 'one-to-one' ? '|o' : '}o'}--${there}`;
  const ends = [from, to].map(({ schema, entity }) => quoted(entityName(schema, entity)));
  const label = from.fields.map((field, i) => (period && i === from.fields.length - 1 ? `period ${field}` : field));
  return `${ends.join(` ${joint} `)} : ${quoted(label.join(', '))}`;
}

const quoted = (text: string): string => `"${text.replaceAll('"', "'").replaceAll(/\s+/g, ' ')}"`;

/** Replaces every character that Mermaid does not allow by `_`, and adds a leading `_` if the text does not begin with a letter. */
const word = (text: string): string => {
  const plain = text.replaceAll(/[^\p{L}\p{N}_()[\]-]+/gu, '_');
  return /^[\p{L}_]/u.test(plain) ? plain : `_${plain}`;
};
