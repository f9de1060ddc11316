import type { FileField } from '../../contract/file-fields.ts';
import type { RefusedFile } from '../files/form-files.ts';
import { sizeWords } from '../files/size-words.ts';
import { t } from '../language/messages.ts';

/** Says why a field does not accept a file. */
export function refusalWords({ max_bytes: max }: Pick<FileField, 'max_bytes'>, { why, file }: RefusedFile): string {
  switch (why) {
    case 'type':
      return t('filesWrongType');
    case 'size':
      return t('filesTooLarge', { size: sizeWords(file.size), max: sizeWords(max ?? 0) });
    case 'empty':
      return t('filesEmpty');
  }
}

/** Says why an upload has failed, by the code of /storage/v1. */
export function failureWords(error: Error | null, isLost: (error: Error) => boolean): string {
  if (error === null || isLost(error)) return t('filesLost');
  switch ('code' in error ? error.code : null) {
    case 'EntityTooLarge':
      return t('filesRefusedSize');
    case 'InvalidMimeType':
      return t('filesWrongType');
    case 'AccessDenied':
      return t('filesMayNot');
    case 'QuotaExceeded':
    case 'disk_full':
      return t('filesNoRoom');
    default:
      return error.message;
  }
}

/** Describes what a field accepts: "up to 5 MB each". Null without a limit. */
export function acceptedWords({ many, types, max_bytes: max }: FileField): string | null {
  const kinds = types === null ? null : typeWords(types);
  const size = max === null ? null : t('filesUpTo', { size: sizeWords(max), many: many ? 'yes' : 'no' });
  return [kinds, size].filter((part) => part !== null).join(', ') || null;
}

/** Names content types as members know them: "pictures, PDF". */
function typeWords(types: readonly string[]): string {
  const words = types.map((type) => {
    const [group = '', name = ''] = type.split('/');
    if (name === '*' || group === 'image' || group === 'video' || group === 'audio') {
      if (group === 'image') return t('filesPictures');
      if (group === 'video') return t('filesVideos');
      if (group === 'audio') return t('filesSounds');
    }
    return name.replace(/^x-|^vnd\.|\+.*$/g, '').toUpperCase();
  });
  return [...new Set(words)].slice(0, 4).join(', ');
}
