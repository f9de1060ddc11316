import { counted } from '../../../format/format.ts';
import type { Entry } from '../../../queries/files/objects.ts';

/** Describes entries: the name of a single one, or "3 files and 1 folder". Pure. */
export function entriesWords(entries: readonly Pick<Entry, 'kind' | 'name'>[]): string {
  const [only] = entries;
  if (entries.length === 1 && only) return only.name.replace(/\/$/, '').split('/').at(-1) ?? only.name;
  const folders = entries.filter(({ kind }) => kind === 'folder').length;
  const files = entries.length - folders;
  return [files > 0 && counted(files, 'file'), folders > 0 && counted(folders, 'folder')].filter(Boolean).join(' and ');
}

/** Returns the folder of a path, with a slash at its end; empty for the bucket itself. Pure. */
export const folderOf = (path: string): string => path.replace(/[^/]+\/?$/, '');

/**
 * Returns the function that gives each object its new path. An object of a folder keeps its place below the folder. Pure.
 * @param target For one entry, its new path; for several, the folder that takes them.
 */
export function newPaths(entries: readonly Pick<Entry, 'name'>[], target: string): (path: string) => string {
  const [only] = entries;
  const clean = target.replace(/^\/+|\/+$/g, '');
  if (entries.length === 1 && only) {
    const from = only.name.replace(/\/$/, '');
    return (path) => (path === from ? clean : `${clean}${path.slice(from.length)}`);
  }
  const common = folderOf(only?.name ?? '');
  return (path) => `${clean === '' ? '' : `${clean}/`}${path.slice(common.length)}`;
}

/** Returns the reason why a target cannot be a path; null if it can. Pure. */
export function targetProblem(target: string, isFolder: boolean): string | null {
  const parts = target.replace(/^\/+|\/+$/g, '').split('/');
  if (isFolder && parts.join('') === '') return null;
  if (parts.join('') === '') return 'Enter a path first.';
  return parts.some((part) => part === '' || part === '.' || part === '..')
    ? 'No part of a path is empty, “.” or “..”.'
    : null;
}
