import { baseOf } from '../../../../access/field-types.ts';
import type { FieldFact } from '../../../../catalog/entities.ts';
import { sqlName } from '../../../../catalog/names.ts';
import type { EntryLookup } from '../../entries.ts';
import { filesWords } from '../../words/files.ts';
import { fileFieldOf } from '../entities/file-field.ts';
import type { Part } from './rules-of-types.ts';

/**
 * Returns the rule of a field that limits its files. PostgreSQL does not check it: the pages do, and the limits of the
 * bucket bind each upload.
 */
export function fileRules(look: EntryLookup, field: FieldFact): Part[] {
  const { files } = fileFieldOf(look, field, baseOf(field, look.types).type);
  if (files === null || (files.types === null && files.max_bytes === null)) return [];
  return [
    {
      name: 'files',
      kind: 'files',
      fields: [field.name],
      words: `${field.name} holds ${filesWords({ ...files, folder: null })}`,
      sql: `${sqlName(field.name)} @files bucket=${files.bucket}`,
      applies_to: 'no row',
      sqlstate: '',
    },
  ];
}
