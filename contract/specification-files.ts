/** The parts of the specification about files: buckets (chapter 3) and their rules (chapter 5). */
/** A bucket of the app's files. */
export interface BucketEntry {
  id: string;
  /** The name of the bucket, if it is not the id. Absent if both are equal. */
  name?: string;
  /** True if everybody may read the files without a key. */
  public: boolean;
  /** The largest file in bytes; null if only the limit storageFileBytes of chapter 9 applies. */
  file_size_limit: number | null;
  /** The types of files that the bucket takes, such as image/png or image/*; null for every type. */
  allowed_mime_types: string[] | null;
}

/** A condition on the files of a bucket. */
export interface FileRule {
  /** Id of the rule, stable within the app: "photos.size". */
  id: string;
  bucket: string;
  /** The rule in words: "at most 5 MB". */
  words: string;
  /** The code of the error for a file that violates the rule. */
  code: string;
}

/**
 * An operation on the files of a bucket. `list`: find the file in a listing, or sign a URL. `replace`: upload a file
 * with the path of another one. `move`: give a file another path in the bucket.
 */
export const fileOperations = ['read', 'list', 'upload', 'replace', 'move', 'delete'] as const;
export type FileOperation = (typeof fileOperations)[number];
