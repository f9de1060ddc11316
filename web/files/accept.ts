import type { FileField } from '../../contract/file-fields.ts';
import { typeByName } from './file-kind.ts';

/** The reason why a field does not accept a file. */
export type Refusal = 'type' | 'size' | 'empty';

/** Returns why a field does not accept a file; null if it does. Pure. */
export function refusalOf(
  { types, max_bytes: max }: Pick<FileField, 'types' | 'max_bytes'>,
  { name, type, size }: Pick<File, 'name' | 'type' | 'size'>,
): Refusal | null {
  if (types !== null && !types.some((one) => fits(type || typeByName(name), one))) return 'type';
  if (max !== null && size > max) return 'size';
  return size === 0 ? 'empty' : null;
}

/** Returns true if a content type is of a type such as `image/png` or `image/*`. */
const fits = (type: string, allowed: string): boolean => {
  const [bare = ''] = type.toLowerCase().split(';');
  return allowed.endsWith('/*') ? bare.startsWith(allowed.slice(0, -1)) : bare.trim() === allowed;
};
