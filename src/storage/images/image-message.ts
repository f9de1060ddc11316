import type { ImageFormat, Variant } from './options.ts';

/** An image to make from a file, with the limits. A worker sends it to a process that scales images. */
export interface ImageJob {
  readonly path: string;
  readonly variant: Variant;
  readonly maxPixels: number;
  readonly maxResultBytes: number;
}

/** The result of a job: an image, the reason why there is none, or the file was deleted. */
export type ImageResult =
  | { readonly format: ImageFormat; readonly bytes: Uint8Array }
  | { readonly refused: string }
  | { readonly isMissing: true };

/** A message from the process: at its start whether it can scale at all, then the result of each job with the memory in bytes. */
export type ImageMessage =
  | { readonly isAvailable: boolean; readonly problem?: string }
  | { readonly result: ImageResult; readonly memory: number };

/** The exit code of a process that took too much memory. */
export const MEMORY_EXIT = 3;
