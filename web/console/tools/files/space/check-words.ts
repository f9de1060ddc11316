import type { FileCheck, FileDifference } from '../../../../../contract/file-check.ts';
import { bytes, counted } from '../../../format/format.ts';

/** Describes each kind of difference between rows and bytes. */
export const differences: Readonly<Record<FileDifference['kind'], string>> = {
  no_content: 'The row names no content of this node',
  missing: 'The bytes are missing',
  size: 'The bytes have another size',
  damaged: 'The bytes have another hash',
  unused: 'No file has the content; the node deletes it soon',
  orphan: 'No row names the bytes; the node deletes them when they are a day old',
};

/** Describes the result of a check in a sentence. Pure. */
export function checkWords({ objects, contents, bytes: size, is_read, differences: found, more }: FileCheck): string {
  const what = `${counted(objects, 'file')} and ${counted(contents, 'content')} of ${bytes(size)}`;
  const how = is_read ? 'by their bytes' : 'by their sizes';
  const result =
    found.length === 0
      ? 'no difference'
      : `${counted(found.length, 'difference')}${more ? ', and there are others' : ''}`;
  return `${what} compared ${how}: ${result}.`;
}
