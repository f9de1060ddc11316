/// <reference path="../schema/sql.d.ts" />
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import pgtap from './pgtap.sql';

/** Version of the extensions that the node provides. */
const VERSION = 'ninefold';

/** Extensions with empty scripts, because their objects are part of Ninefold's own schema. */
const names = ['pg_cron', 'pg_net', 'supabase_vault', 'pgmq'];
const control = `comment = 'provided by the node'
default_version = '${VERSION}'
relocatable = true
trusted = true
`;

/** The script runs as the owner who creates the extension, and never as a superuser. */
const pgtapControl = `comment = 'functions for tests, provided by the node'
default_version = '${VERSION}'
relocatable = false
superuser = false
`;

/**
 * Returns the value of `extension_control_path`; null if PostgreSQL's default applies. The path of the data folder is
 * left out if it contains a colon, which separates entries. PostgreSQL's own extensions come first, so that no other
 * folder can replace them.
 * @param further A folder of further extensions.
 */
export function extensionPath(dataFolder: string, further: string | null): string | null {
  const provided = dataFolder.includes(':') ? [] : [join(dataFolder, FOLDER)];
  const folders = [...provided, ...(further === null ? [] : [further])];
  return folders.length === 0 ? null : ['$system', ...folders].join(':');
}

const FOLDER = 'ninefold_extensions';

/**
 * Writes control files of the extensions that the node provides. CREATE EXTENSION then works on any connection and
 * inside any function, and pg_extension lists them.
 */
export async function writeProvidedExtensions({ path, runAs }: DataFolder): Promise<void> {
  const folder = join(path, FOLDER, 'extension');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const provided = [...names.map((name) => [name, control, ''] as const), ['pgtap', pgtapControl, pgtap] as const];
  const files = provided.flatMap(([name, properties, script]): [string, string][] => [
    [join(folder, `${name}.control`), properties],
    [join(folder, `${name}--${VERSION}.sql`), script],
  ]);
  for (const [file, text] of files) await writeFile(file, text, { mode: 0o600 });
  if (!runAs) return;
  for (const each of [dirname(folder), folder, ...files.map(([file]) => file)]) await chown(each, runAs.uid, runAs.gid);
}
