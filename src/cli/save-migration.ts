import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SaveMigrationRequest, UnsavedChanges } from '../../contract/changes.ts';
import { CliError, type Client } from './client.ts';
import { migrationFolder } from './migration-files.ts';
import { printJson } from './print.ts';

/**
 * Runs `ninefold migrate REF DIR --save NAME`: writes the file, then records in the app that the file contains the
 * changes.
 * @throws CliError
 */
export async function saveMigration(
  client: Client,
  ref: string,
  dir: string,
  name: string,
  json: boolean,
): Promise<void> {
  const path = `/apps/${encodeURIComponent(ref)}`;
  const unsaved = await client.get<UnsavedChanges>(`${path}/migrations/unsaved`);
  if (unsaved.statements.length === 0) {
    if (json) printJson({ file: null, statements: 0 });
    else process.stdout.write('Nothing to save: no script changed the schema since it was last saved.\n');
    return;
  }
  const request: SaveMigrationRequest = {
    name: `${timestamp(new Date())}_${fileWord(name)}.sql`,
    sql: migrationText(unsaved),
    last: unsaved.last,
  };
  const folder = migrationFolder(dir) ?? resolve(dir);
  const file = join(folder, request.name);
  write(folder, file, request.sql);
  try {
    await client.post(`${path}/migrations/save`, request);
  } catch (error) {
    // Deletes the file. The app did not record it, so the next saved file would contain the same changes again.
    rmSync(file);
    throw error;
  }
  if (json) printJson({ file, statements: unsaved.statements.length });
  else process.stdout.write(`saved  ${file}\n`);
}

function write(folder: string, file: string, sql: string): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    writeFileSync(file, sql, { flag: 'wx' });
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns each script unchanged, below a comment with its time and author. */
function migrationText({ statements }: UnsavedChanges): string {
  const scripts = statements.map(({ at, who, statement }) => {
    const text = statement.trim();
    // The semicolon is on its own line, because the script may end with a comment.
    const end = text.endsWith(';') ? '' : '\n;';
    return `-- ${at.slice(0, 16).replace('T', ' ')} by ${who.replace(/\s+/g, ' ')}\n${text}${end}\n`;
  });
  return scripts.join('\n');
}

/** Returns a timestamp as in Supabase's migration names: 20260131140000. */
const timestamp = (now: Date): string => now.toISOString().replace(/\D/g, '').slice(0, 14);

function fileWord(name: string): string {
  const word = name
    .toLowerCase()
    .replace(/\.sql$/, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (word === '') throw new CliError(`${name} is not a valid file name. Use letters and digits.`);
  return word.slice(0, 100);
}
