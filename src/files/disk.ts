import * as fs from 'node:fs';
import { statfs, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NinefoldError } from '../errors/ninefold-error.ts';

// The functions with callbacks need fewer steps in JavaScript than the file handles of node:fs/promises.
export const openFile = promisify(fs.open);
const syncFile = promisify(fs.fsync);
export const syncData = promisify(fs.fdatasync);
const write = promisify(fs.write);
const writePieces = promisify(fs.writev);

/** Seconds after which a client may try again when the disk is full. */
const RETRY_SECONDS = 10;

/** Returns the code of an error of the operating system, such as ENOENT; undefined for any other error. */
export const errnoOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code;

/** Converts the errors of a full disk or an exhausted quota to `disk_full`. Returns any other error unchanged. */
export function toDiskFull(error: unknown): unknown {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
  return isFull ? new NinefoldError('disk_full', { retryAfter: RETRY_SECONDS, cause: error }) : error;
}

/** Returns true for the error of a path that names no file. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error) ?? '');

/** Removes a file. Does nothing if it is missing. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Writes pieces, one after the other, at the position of the file. Joining them first would copy all bytes. */
export async function writeAll(file: number, pieces: readonly Uint8Array[]): Promise<void> {
  let { bytesWritten: done } = await writePieces(file, pieces);
  for (const piece of pieces) {
    for (; done < piece.length; ) done += (await write(file, piece, done, piece.length - done, null)).bytesWritten;
    done -= piece.length;
  }
}

/**
 * Closes a file without waiting. Use it only after a read or after fsync, because an error of close then loses nothing.
 */
export const closeFile = (file: number): void => fs.close(file, () => undefined);

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const file = await openFile(folder, 'r');
  try {
    await syncFile(file);
  } finally {
    closeFile(file);
  }
}

/** Returns the bytes of the file system of a folder: all, and those that this process may still write. */
export async function diskSpace(folder: string): Promise<{ total: number; free: number }> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return { total: blocks * bsize, free: bavail * bsize };
}
