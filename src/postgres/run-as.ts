import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The user that PostgreSQL's programs run as; null is the user of this process. PostgreSQL refuses to run as root. */
export type RunAs = { readonly uid: number; readonly gid: number } | null;

/** The conventional user `nobody`. The kernel needs no entry in /etc/passwd for it. */
export const nobody = { uid: 65534, gid: 65534 } as const;

/** Returns true if this process runs as root. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/** Fields of a file's `stat` that determine access. */
export interface Permissions {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Returns true if a user without further groups has all of `bits` (4 read, 2 write, 1 enter or run) on a file. By
 * POSIX, only the first class to which the user belongs counts: owner, group, others.
 */
export function mayAccess(file: Permissions, user: { uid: number; gid: number }, bits: number): boolean {
  const shift = file.uid === user.uid ? 6 : file.gid === user.gid ? 3 : 0;
  return ((file.mode >> shift) & bits) === bits;
}

/**
 * Returns true if a user may enter a folder and every folder above it.
 * @param folder Absolute path without symbolic links.
 */
export async function mayEnter(folder: string, user: { uid: number; gid: number }): Promise<boolean> {
  if (!mayAccess(await stat(folder), user, 1)) return false;
  const parent = dirname(folder);
  return parent === folder || mayEnter(parent, user);
}
