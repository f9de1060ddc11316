import type { FileField } from '../../../../contract/file-fields.ts';
import { bytesWords } from './bytes.ts';
import { isObject, listWords, text, texts } from './sentence-parts.ts';

/** Describes the files of a field: "files of the bucket photos (image/*, at most 5 MB each)". Reads any value, because it may come from a file. */
export function filesWords(files: FileField | unknown): string {
  if (!isObject(files)) return 'no files';
  const types = texts(files, 'types');
  const each = files.many === true ? ' each' : '';
  const limits = [
    ...(types.length > 0 ? [listWords(types)] : []),
    ...(typeof files.max_bytes === 'number' ? [`at most ${bytesWords(files.max_bytes)}${each}`] : []),
  ];
  const words = `${files.many === true ? 'files' : 'a file'} of the bucket ${text(files, 'bucket')}`;
  const folder = text(files, 'folder');
  return `${words}${limits.length > 0 ? ` (${limits.join(', ')})` : ''}${folder === '' ? '' : `, new ones in ${folder}`}`;
}
