import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian's packages install the versions of PostgreSQL side by side. */
const root = '/usr/lib/postgresql';

/** Folders with the programs of the installed versions of PostgreSQL that Ninefold can run, newest first. */
export const installedPostgres: readonly string[] = (existsSync(root) ? readdirSync(root) : [])
  .filter((major) => Number(major) >= 15 && existsSync(join(root, major, 'bin/initdb')))
  .sort((a, b) => Number(b) - Number(a))
  .map((major) => join(root, major, 'bin'));
