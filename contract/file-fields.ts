/** A field that holds files: its value is the path of an object of a bucket, or a list of paths. */
export interface FileField {
  readonly bucket: string;
  /** True if the field holds several files. */
  readonly many: boolean;
  /** Content types that pages accept, such as `image/png` and `image/*`; null if the bucket decides. */
  readonly types: readonly string[] | null;
  /** Size in bytes up to which pages accept a file; null if the bucket decides. */
  readonly max_bytes: number | null;
  /** Folder of a new file, with the placeholders {user}, {table}, {id} and {uuid}; null for `defaultFolder`. */
  readonly folder: string | null;
}

/** Begins with the id of the member, so that the usual policy on own folders accepts the file. */
export const defaultFolder = '{user}/{table}/{uuid}';

/** A path without the folders. */
export const fileNameOf = (path: string): string => path.split('/').at(-1) ?? path;
