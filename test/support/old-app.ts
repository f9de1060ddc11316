import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import released from '../../src/schema/released.json' with { type: 'json' };
import { clone } from './clone.ts';
import { inDatabase, superuserUrl, withClient } from './database.ts';
import type { NodeAddress } from './node.ts';

const recorded = Object.keys(released);

/** The schema files with which the last release creates an app's database. */
export const previousRelease = recorded.filter((file) => !file.startsWith('console/'));
const consoleOfPreviousRelease = recorded.filter((file) => file.startsWith('console/'));

/** The tables that contain the data of a member who has signed up. */
const KEPT = ['auth.users', 'auth.identities', 'auth.sessions', 'auth.mfa_amr_claims', 'auth.refresh_tokens'] as const;

/** The tables of the console's database whose rows are kept. */
const KEPT_OF_CONSOLE = [
  ...KEPT,
  'public.builders',
  'public.apps',
  'public.memberships',
  'node.secrets',
  'ninefold.settings',
] as const;

/**
 * Resets an app's database to the state of an earlier release. It then contains the released files of that time, the
 * app's members, and what `sql` creates, which runs as the superuser. The node notices the change like any other change
 * of an app.
 */
export async function makeOld(
  node: NodeAddress,
  ref: string,
  sql: string,
  files: readonly string[] = previousRelease,
): Promise<void> {
  await makeAnew(await superuserUrl(node, `app_${ref}`), files, KEPT, sql);
  await withClient(await superuserUrl(node, 'app_console'), (client) =>
    client.query('update public.apps set schema_file = $2 where ref = $1', [ref, nameOf(files.at(-1))]),
  );
}

/**
 * Resets the template and the console's database to the state of the previous release. Every app must have been reset
 * before, and the node must be restarted afterwards.
 */
export async function makeNodeOld(node: NodeAddress): Promise<void> {
  const url = await superuserUrl(node, 'app_console');
  const template = inDatabase(url, 'ninefold_template');
  await withClient(inDatabase(url, 'postgres'), async (client) => {
    await client.query('drop database ninefold_template with (force)');
    await client.query(`create database ninefold_template template template0 encoding 'UTF8'`);
    await client.query('revoke connect, temporary on database ninefold_template from public');
  });
  await withClient(template, (client) => applyFiles(client, previousRelease));
  await makeAnew(url, [...previousRelease, ...consoleOfPreviousRelease], KEPT_OF_CONSOLE, '');
}

const nameOf = (file = ''): string => file.replace(/\.sql$/, '');

async function applyFiles(client: pg.Client, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const sql = readFileSync(join(clone, 'src/schema', file), 'utf8');
    await client.query(
      `begin; set local search_path = ''; ${sql}; insert into ninefold.schema_files (name) values ('${nameOf(file)}'); commit;`,
    );
  }
}

/** Creates the database of an app again from schema files. Keeps the rows of some tables. */
async function makeAnew(url: string, files: readonly string[], kept: readonly string[], sql: string): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  const members = await withClient(url, async (client) => {
    const all: string[] = [];
    for (const table of kept) all.push(await rowsOf(client, table));
    return all;
  });
  await withClient(inDatabase(url, 'postgres'), async (client) => {
    await client.query(`drop database "${database}" with (force)`);
    await client.query(`create database "${database}" template template0 encoding 'UTF8'`);
    await client.query(`alter database "${database}" owner to "${database}"`);
    await client.query(`revoke connect, temporary on database "${database}" from public`);
    await client.query(`grant connect, temporary on database "${database}" to "${database}_authenticator"`);
    await client.query(`alter database "${database}" set search_path = "$user", public, extensions`);
  });
  await withClient(url, async (client) => {
    await applyFiles(client, files);
    for (const kind of ['tables', 'sequences', 'functions']) {
      await client.query(
        `alter default privileges for role "${database}" in schema public grant all on ${kind} to postgres, anon, authenticated, service_role`,
      );
    }
    for (const [i, table] of kept.entries()) await insertRows(client, table, members[i] ?? '[]');
    await client.query(
      `select setval('auth.refresh_tokens_id_seq', (select coalesce(max(id), 1) from auth.refresh_tokens))`,
    );
    await client.query(sql);
  });
}

async function rowsOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query(`select coalesce(json_agg(t), '[]')::text as all from ${table} t`);
  return rows[0]?.all ?? '[]';
}

async function insertRows(client: pg.Client, table: string, rows: string): Promise<void> {
  const { rows: found } = await client.query(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const { names } = found[0];
  await client.query(
    `insert into ${table} (${names}) overriding system value select ${names} from json_populate_recordset(null::${table}, $1)`,
    [rows],
  );
}
