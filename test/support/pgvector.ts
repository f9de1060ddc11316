import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clone } from './clone.ts';
import { installedPostgres } from './postgres-programs.ts';
import { retainedFolder } from './retained-folder.ts';

/** Files of pgvector for the PostgreSQL of npm, where `.ci/run` has put them: `lib/vector.so`, `share/extension`. */
const files = join(clone, '.tmp/pgvector');
const installed = installedPostgres.find((bin) =>
  existsSync(bin.replace(/^\/usr\/lib\/(.*)\/bin$/, '/usr/share/$1/extension/vector.control')),
);

/** True if this machine has the files of pgvector, or a PostgreSQL with them. */
export const hasVector: boolean = existsSync(files) || installed !== undefined;

/**
 * Returns the environment of a node with pgvector: its files in a folder that every user can enter, or an installed
 * PostgreSQL that has them.
 */
export async function environmentWithVector(): Promise<Record<string, string>> {
  if (!existsSync(files)) return { NINEFOLD_POSTGRES_BIN: installed ?? '' };
  const folder = await retainedFolder('pgvector', ['package-lock.json'], async (home) => {
    await mkdir(join(home, 'lib'));
    await mkdir(join(home, 'share/extension'), { recursive: true });
    await copyFile(join(files, 'lib/vector.so'), join(home, 'lib/vector.so'));
    const scripts = (await readdir(join(files, 'share/extension'))).filter((file) => /^vector[.-]/.test(file));
    for (const script of scripts) {
      await copyFile(join(files, 'share/extension', script), join(home, 'share/extension', script));
    }
    await chmod(home, 0o755);
    return home;
  });
  return { NINEFOLD_POSTGRES_EXTENSIONS: folder };
}
