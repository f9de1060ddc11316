import type { BucketEntry, FileRule } from '../../../../../contract/specification-files.ts';
import { bytesWords } from '../../words/bytes.ts';

/** Returns the rules of buckets: the size and the types of their files. */
export const bucketRules = (buckets: readonly BucketEntry[]): FileRule[] =>
  buckets.flatMap(({ id, file_size_limit: size, allowed_mime_types: types }) => [
    ...(size === null
      ? []
      : [{ id: `${id}.size`, bucket: id, words: `a file has at most ${bytesWords(size)}`, code: 'EntityTooLarge' }]),
    ...(types === null
      ? []
      : [
          {
            id: `${id}.types`,
            bucket: id,
            words: `the type of a file is ${types.join(' or ')}`,
            code: 'InvalidMimeType',
          },
        ]),
  ]);
