import type { FileField } from '../../contract/file-fields.ts';
import type { CatalogQueries } from './read-catalog.ts';

/** The most characters of a folder, as in the check of ninefold.file_fields. */
const FOLDER_CHARACTERS = 200;

/** Fields of ninefold.file_field, which hold files. */
export interface FileFieldFacts {
  file_fields: FileFieldFact[];
}

export interface FileFieldFact extends Pick<FileField, 'bucket' | 'types' | 'max_bytes' | 'folder'> {
  /** Object identifier of the relation. */
  relation: number;
  /** Value of pg_attribute.attnum. */
  number: number;
}

/** Query of FileFieldFacts. A row of a dropped column is left out, because its event trigger may be disabled. */
export const fileFieldQueries: CatalogQueries<FileFieldFacts> = {
  file_fields: `select coalesce(json_agg(json_build_object('relation', f.entity::oid::int8, 'number', f.number, 'bucket', f.bucket,
      'types', f.types, 'max_bytes', f.max_bytes, 'folder', f.folder) order by f.entity::oid, f.number), '[]')
    from ninefold.file_fields f
    join pg_catalog.pg_attribute a on a.attrelid = f.entity and a.attnum = f.number and not a.attisdropped`,
};

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/** Matches a line of a comment such as `@files bucket=photos types=image/*,application/pdf max=5MB folder={user}`. */
const LINE = /^[ \t]*@files((?:[ \t]+\w+=\S+)+)[ \t]*$/m;
const OPTIONS: readonly string[] = ['bucket', 'types', 'max', 'folder'];

/**
 * Reads the line `@files` of the comment on a field. Returns the comment without the line, and the options of the line.
 * A line without a bucket, or with an option that is unknown or invalid, is a text like any other. Pure.
 */
export function readFileComment(comment: string | null): {
  text: string | null;
  files: Omit<FileFieldFact, 'relation' | 'number'> | null;
} {
  const [line, options = ''] = LINE.exec(comment ?? '') ?? [];
  const given = new Map(
    [...options.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']): [string, string] => [name, value]),
  );
  const bucket = given.get('bucket');
  const types = given.get('types')?.toLowerCase().split(',') ?? null;
  const max = given.has('max') ? bytesOf(given.get('max') ?? '') : null;
  const folder = given.get('folder')?.replaceAll(/^\/+|\/+$/g, '') ?? null;
  const isValid =
    bucket !== undefined &&
    [...given.keys()].every((name) => OPTIONS.includes(name)) &&
    (types ?? []).every((type) => /^[a-z0-9][a-z0-9.+-]*\/(?:[a-z0-9][a-z0-9.+-]*|\*)$/.test(type)) &&
    !Number.isNaN(max) &&
    (folder === null || isFolder(folder));
  if (line === undefined || comment === null || !isValid) return { text: comment, files: null };
  const lines = comment.split('\n').filter((one) => one !== line);
  const text = lines.join('\n').trim();
  return { text: text === '' ? null : text, files: { bucket, types, max_bytes: max, folder } };
}

/** Returns the number of bytes of a size such as `5MB`, in decimal units as those of buckets; NaN for another text. */
function bytesOf(size: string): number {
  const [, number = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)([kmg]?b)?$/i.exec(size) ?? [];
  const bytes = Math.floor(Number.parseFloat(number) * (UNITS[unit.toLowerCase()] ?? 1));
  return bytes > 0 ? bytes : Number.NaN;
}

/** Returns true for a folder that ninefold.file_field accepts too. */
const isFolder = (folder: string): boolean =>
  folder.length <= FOLDER_CHARACTERS &&
  !/[{}]|\p{Cc}/u.test(folder.replaceAll(/\{(?:user|table|id|uuid)\}/g, 'x')) &&
  folder.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
