/** The result of comparing the rows of an app's files with their bytes. */
export interface FileCheck {
  readonly objects: number;
  readonly contents: number;
  readonly bytes: number;
  /** True if the bytes were read and hashed, and not only their sizes compared. */
  readonly is_read: boolean;
  /** The differences, at most `fileDifferences`; `more` if there are others. */
  readonly differences: readonly FileDifference[];
  readonly more: boolean;
}

export interface FileDifference {
  /**
   * `no_content`: the object names no content of this node. `missing`, `size` and `damaged`: the bytes of a content are
   * missing, have another size or another hash. `unused`: no object has the content; the node deletes it soon.
   * `orphan`: no row names the bytes; the node deletes them when they are a day old.
   */
  readonly kind: 'no_content' | 'missing' | 'size' | 'damaged' | 'unused' | 'orphan';
  /** Bucket and path of an object that has the content; null if there is none. */
  readonly object: string | null;
  /** The key of the bytes in the store; null for an object without content. */
  readonly key: string | null;
}
