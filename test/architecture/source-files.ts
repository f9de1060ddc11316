import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clone } from '../support/clone.ts';

export interface SourceFile {
  /** The path below the clone, with `/`: `src/rest/handle.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Returns all files below some folders of the clone, with their text. A folder that does not exist has no files. */
export function sourceFiles(folders: readonly string[], names = /\.(ts|tsx|mjs|js)$/): SourceFile[] {
  return folders.flatMap((folder) =>
    list(folder)
      .filter((path) => names.test(path))
      .map((path) => ({ path, text: readFileSync(join(clone, path), 'utf8') })),
  );
}

function list(folder: string): string[] {
  const entries = readdirSync(join(clone, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? list(path) : [path];
  });
}

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);
