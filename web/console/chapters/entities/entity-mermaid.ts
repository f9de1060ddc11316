import type { EntitiesChapter, Entity, Field, Relation } from '../../../../contract/specification.ts';
import { entityName } from '../../format/format.ts';

/**
 * The entities and their relations as a Mermaid `erDiagram` (mermaid.js.org/syntax/entityRelationshipDiagram.html).
 * Names may hold anything within quotes but a quote; types and names of fields are letters, digits, `_`, `-`, `()` and `[]`.
 * Pure.
 */
export function entityMermaid({ entities, relations }: EntitiesChapter): string {
  return [
    'erDiagram',
    ...entities.flatMap((entity) => [
      `  ${quoted(entityName(entity.schema, entity.name))} {`,
      ...entity.fields.map((field) => `    ${fieldLine(entity, field)}`),
      '  }',
    ]),
    ...relations.map((relation) => `  ${relationLine(relation, entities)}`),
    '',
  ].join('\n');
}

function fieldLine(entity: Entity, field: Field): string {
  const { name, type, comment, references } = field;
  const unique = entity.unique_keys.some((key) => key.length === 1 && key[0] === name);
  const keys = [entity.primary_key.includes(name) && 'PK', references && 'FK', unique && 'UK'].filter(Boolean);
  return [word(type), word(name), keys.join(', '), comment === null ? '' : quoted(comment)].filter(Boolean).join(' ');
}

function relationLine({ from, to, kind }: Relation, entities: readonly Entity[]): string {
  const fields = entities.find(({ schema, name }) => schema === from.schema && name === from.entity)?.fields ?? [];
  const optional = fields.some(({ name, nullable }) => nullable && from.fields.includes(name));
  const joint = `${kind === 'one-to-one' ? '|o' : '}o'}--${optional ? 'o|' : '||'}`;
  const ends = [from, to].map(({ schema, entity }) => quoted(entityName(schema, entity)));
  return `${ends.join(` ${joint} `)} : ${quoted(from.fields.join(', '))}`;
}

const quoted = (text: string): string => `"${text.replaceAll('"', "'").replaceAll(/\s+/g, ' ')}"`;

/** Every other character becomes `_`; what does not begin with a letter is led by one. */
const word = (text: string): string => {
  const plain = text.replaceAll(/[^\p{L}\p{N}_()[\]-]+/gu, '_');
  return /^[\p{L}_]/u.test(plain) ? plain : `_${plain}`;
};
