import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { clone } from './clone.ts';
import { inDatabase, superuserUrl, withClient } from './database.ts';
import type { NodeAddress } from './node.ts';

/** Ninefold's own schema as it was released before there were nine chapters. */
const RELEASED = ['0001_base', '0002_auth', '0003_project'] as const;

/** What a member who has signed up has in the database. */
const KEPT = ['auth.users', 'auth.identities', 'auth.sessions', 'auth.refresh_tokens'] as const;

/**
 * Puts an app's database back to what an earlier version made: the released files of that time, with the members that the app
 * has and `sql` of the superuser's. The node learns of it as it does of any change of an app.
 */
export async function makeOld(node: NodeAddress, ref: string, sql: string): Promise<void> {
  const database = `app_${ref}`;
  const url = await superuserUrl(node, database);
  const members = await withClient(url, async (client) => {
    const all: string[] = [];
    for (const table of KEPT) all.push(await rowsOf(client, table));
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
    for (const file of RELEASED) {
      const sql = readFileSync(join(clone, `src/schema/${file}.sql`), 'utf8');
      await client.query(
        `begin; set local search_path = ''; ${sql}; insert into ninefold.schema_files (name) values ('${file}'); commit;`,
      );
    }
    for (const kind of ['tables', 'sequences', 'functions']) {
      await client.query(
        `alter default privileges for role "${database}" in schema public grant all on ${kind} to postgres, anon, authenticated, service_role`,
      );
    }
    for (const [i, table] of KEPT.entries()) await insertRows(client, table, members[i] ?? '[]');
    await client.query(
      `select setval('auth.refresh_tokens_id_seq', (select coalesce(max(id), 1) from auth.refresh_tokens))`,
    );
    await client.query(sql);
  });
  await withClient(inDatabase(url, 'app_console'), (client) =>
    client.query('update public.apps set schema_file = $2 where ref = $1', [ref, RELEASED.at(-1)]),
  );
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
