/** Where and how an application reaches /storage/v1. */
export interface StorageAddress {
  /** URL of /storage/v1, without a final slash. */
  readonly url: string;
  /** Returns the headers of a request: those of the console, or the key and the token of a member. */
  readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Returns the error for a response.
   * @param status 0 if there was no response.
   * @param body The body as text.
   */
  readonly failure: (status: number, body: string, requestId: string | null) => Error;
}

/** A file to upload, and the object that it becomes. */
export interface NewObject {
  readonly file: File;
  readonly bucket: string;
  /** Path in the bucket. */
  readonly path: string;
  /** True to replace an object with this path. */
  readonly replaces: boolean;
}

/** The callbacks and the signal of a file that is being sent. */
export interface Sending {
  /** Aborting it pauses the upload. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes that are sent. */
  readonly onProgress: (sent: number) => void;
}

/** Sends a file. Rejects with the error of the server, or with the reason of an aborted signal. */
export type SendFile = (object: NewObject, sending: Sending) => Promise<void>;

/** Type of a file whose type the browser does not know. */
export const contentTypeOf = ({ type }: Blob): string => type || 'application/octet-stream';

/** Size in bytes from which a file is sent in parts, so that a lost connection costs one part. */
export const PART_BYTES = 6 * 1024 * 1024;
