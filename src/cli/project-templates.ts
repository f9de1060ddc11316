import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isInside } from './project-files.ts';
import type { TomlValue } from './read-toml.ts';

/**
 * Replaces each `content_path` of a mail template by the `content` of its file. The path is relative to the project, as for Supabase's
 * command line. A path that leads to no file of the project, or to one that is too large for a template, stays as it is.
 */
export function withTemplates(place: string, config: ReadonlyMap<string, TomlValue>): ReadonlyMap<string, TomlValue> {
  const root = basename(place) === 'supabase' ? dirname(place) : place;
  return new Map(
    [...config].map(([key, value]) => {
      const template = /^(auth\.email\.template\.\w+\.content)_path$/.exec(key)?.[1];
      if (template === undefined || typeof value !== 'string') return [key, value];
      const path = resolve(root, value);
      return isTemplate(root, path) ? [template, readFileSync(path, 'utf8')] : [key, value];
    }),
  );
}

/** Max number of bytes of a template. */
const TEMPLATE_BYTES = 1024 * 1024;

/** Returns true for a file of the project. A link to a file elsewhere is none, because members would receive that file in mails. */
function isTemplate(root: string, path: string): boolean {
  if (!isInside(root, path)) return false;
  const stats = statSync(path);
  return stats.isFile() && stats.size <= TEMPLATE_BYTES;
}
