import { defaultFolder, type FileField } from '../../contract/file-fields.ts';

/** The most characters of a part of a path. */
const PART = 120;

/** The values of the placeholders in the folder of a file field. */
export interface FolderValues {
  readonly user: string;
  readonly table: string;
  /** Key of the row; null for a new row, which has none yet. */
  readonly id: string | null;
}

/**
 * Returns the path of a new file: its folder, a random part if the folder has none, and its name. Pure, but for the
 * random parts.
 */
export function newPath({ folder }: Pick<FileField, 'folder'>, values: FolderValues, name: string): string {
  const template = folder ?? defaultFolder;
  const parts = [...template.split('/'), ...(template.includes('{uuid}') ? [] : ['{uuid}'])];
  const filled = parts.map((part) =>
    safePart(
      part.replaceAll(/\{(user|table|id|uuid)\}/g, (_, key: keyof FolderValues | 'uuid') =>
        key === 'uuid' ? crypto.randomUUID() : (values[key] ?? crypto.randomUUID()),
      ),
    ),
  );
  return [...filled, safeName(name)].join('/');
}

/** Returns a text as one part of a path. */
const safePart = (text: string): string => {
  const part = [...text.normalize('NFC').replaceAll(/[\p{Cc}\p{Cs}/\\]+/gu, '-')].slice(0, PART).join('').trim();
  return /^\.*$/.test(part) ? '-' : part;
};

/** Returns the name of a file as the last part of a path. A long name keeps its ending. */
export function safeName(name: string): string {
  const [, start = '', ending = ''] = /^(.*?)(\.[^.]{1,12})?$/s.exec(name) ?? [];
  return safePart(`${[...start].slice(0, PART - ending.length).join('')}${ending}`);
}
