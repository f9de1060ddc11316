import type { FileField } from '../../../contract/file-fields.ts';
import { textArray, textElements } from './text-array.ts';

/** Returns the paths of a field with files, from its value as PostgreSQL prints it. Pure. */
export const pathsOfValue = ({ many }: Pick<FileField, 'many'>, value: string | null): string[] =>
  value === null || value === '' ? [] : many ? textElements(value) : [value];

/** Returns the value of a field with files. Pure. */
export function valueOfPaths(
  { many }: Pick<FileField, 'many'>,
  paths: readonly string[],
  nullable: boolean,
): string | null {
  if (paths.length === 0 && nullable) return null;
  return many ? textArray(paths) : (paths[0] ?? '');
}
