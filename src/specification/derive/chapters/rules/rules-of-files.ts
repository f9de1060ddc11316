import type { FileField } from '../../../../../contract/file-fields.ts';
import { baseOf } from '../../../../access/field-types.ts';
import type { FieldFact, RelationFact } from '../../../../catalog/entities.ts';
import { entityId } from '../../../../catalog/names.ts';
import type { EntryLookup } from '../../entries.ts';
import { filesWords } from '../../words/files.ts';
import { fileFieldOf } from '../entities/file-field.ts';
import type { Part } from './rules-of-types.ts';

/**
 * Returns the rule of a field that limits its files. PostgreSQL does not check it: the pages do, and the limits of the
 * bucket bind each upload.
 */
export function fileRules(look: EntryLookup, relation: RelationFact, field: FieldFact): Part[] {
  const { files } = fileFieldOf(look, field, baseOf(field, look.types).type);
  if (files === null || (files.types === null && files.max_bytes === null)) return [];
  return [
    {
      name: 'files',
      kind: 'files',
      fields: [field.name],
      words: `${field.name} holds ${filesWords({ ...files, folder: null })}`,
      sql: statementOf(entityId(relation.schema, relation.name), field.name, files),
      applies_to: 'uploads',
      sqlstate: '',
    },
  ];
}

/** Returns the statement that says the same. */
function statementOf(entity: string, field: string, { bucket, types, max_bytes, folder }: FileField): string {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const options = [
    ...(types === null ? [] : [`types => array[${types.map(text).join(', ')}]`]),
    ...(max_bytes === null ? [] : [`max_bytes => ${max_bytes}`]),
    ...(folder === null ? [] : [`folder => ${text(folder)}`]),
  ];
  return `select ninefold.file_field(${[text(entity), text(field), text(bucket), ...options].join(', ')})`;
}
