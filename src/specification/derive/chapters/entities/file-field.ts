import type { FileField } from '../../../../../contract/file-fields.ts';
import { isText } from '../../../../../contract/label-fields.ts';
import type { FieldFact } from '../../../../catalog/entities.ts';
import { readFileComment } from '../../../../catalog/file-fields.ts';
import type { EntryLookup } from '../../entries.ts';

/**
 * Returns the files that a field holds, and its comment without the line `@files`. ninefold.file_field comes before the
 * comment. A type that holds no paths has no files.
 * @param type The type of the field; of a domain, its base type.
 */
export function fileFieldOf(
  look: EntryLookup,
  field: FieldFact,
  type: string,
): { files: FileField | null; comment: string | null } {
  const key = `${field.relation}.${field.number}`;
  const comment = look.comments.get(key) ?? null;
  const many = type.endsWith('[]');
  if (!isText(type.replace(/\[\]$/, ''))) return { files: null, comment };
  const said = readFileComment(comment);
  const { bucket, types, max_bytes, folder } = look.fileFields.get(key) ?? said.files ?? {};
  if (bucket === undefined) return { files: null, comment };
  const files = { bucket, many, types: types ?? null, max_bytes: max_bytes ?? null, folder: folder ?? null };
  return { files, comment: said.text };
}
