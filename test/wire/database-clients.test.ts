import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql as fragment } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { boolean, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { type Generated, Kysely, Migrator, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';

const node = inject('node');

let app: AppConnection;
let url: string;
beforeAll(async () => {
  app = await createApp(node);
  url = app.database_url ?? '';
});

/** Reads a table by the data API, whose schema cache has the table as soon as its migration is committed. */
async function readByApi(table: string): Promise<unknown[] | null> {
  const { data, error } = await clientOf(app, app.secret_key).from(table).select().order('id');
  expect(error).toBeNull();
  return data;
}

describe('postgres (postgres.js)', () => {
  it('postgres.js migrates and uses a schema over the database URL', async () => {
    const sql = postgres(url, { max: 2, onnotice: () => undefined });
    try {
      await sql.unsafe(`
        create table public.pjs_notes (id int generated always as identity primary key, body text not null, tags text[], extra jsonb);
        create index on public.pjs_notes using gin (tags);
        grant select on public.pjs_notes to service_role`);
      const heard = new Promise<string>(
        (resolve) => void sql.listen('pjs', resolve, () => void sql.notify('pjs', 'done')),
      );
      await sql.begin(async (transaction) => {
        const rows = [
          { body: 'one', tags: ['a', 'b'], extra: transaction.json({ n: 1 }) },
          { body: 'two', tags: [], extra: null },
        ];
        await transaction`insert into public.pjs_notes ${transaction(rows)}`;
        await transaction.savepoint((inner) => inner`insert into public.pjs_notes (body) values (null)`).catch(() => 0);
      });
      expect(await sql`select id, tags from public.pjs_notes where tags @> ${['b']}`).toEqual([
        { id: 1, tags: ['a', 'b'] },
      ]);
      expect(await sql`select id from public.pjs_notes`.cursor(1, () => undefined)).toBeDefined();
      expect(await heard).toBe('done');
      await expect(sql`select * from ninefold.signing_keys`).rejects.toMatchObject({ code: /^42/ });
    } finally {
      await sql.end();
    }
    expect(await readByApi('pjs_notes')).toEqual([
      { id: 1, body: 'one', tags: ['a', 'b'], extra: { n: 1 } },
      { id: 2, body: 'two', tags: [], extra: null },
    ]);
  });
});

describe('pg (node-postgres)', () => {
  it('node-postgres migrates and uses a schema over the database URL', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    try {
      await pool.query(`
        create table public.pg_notes (id int generated always as identity primary key, body text not null, at timestamptz not null default now());
        grant select on public.pg_notes to service_role`);
      const client = await pool.connect();
      await client.query('begin isolation level serializable');
      await client.query({ name: 'insert', text: 'insert into public.pg_notes (body) values ($1)', values: ['one'] });
      await client.query('insert into public.pg_notes (body) select unnest($1::text[])', [['two', 'three']]);
      await client.query('commit');
      client.release();
      const { rows } = await pool.query<{ id: number; at: Date }>(
        'select id, at from public.pg_notes where body = any ($1)',
        [['two']],
      );
      expect(rows).toEqual([{ id: 2, at: expect.any(Date) }]);
      await expect(pool.query('insert into public.pg_notes (body) values (null)')).rejects.toMatchObject({
        code: '23502',
      });
    } finally {
      await pool.end();
    }
    expect(await readByApi('pg_notes')).toMatchObject([{ body: 'one' }, { body: 'two' }, { body: 'three' }]);
  });
});

describe('Kysely', () => {
  it('migrates up and down with its Migrator, and uses the schema', async () => {
    interface Tables {
      kysely_notes: { id: Generated<number>; body: string; done: Generated<boolean> };
    }
    const db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 2 }) }),
    });
    const migrator = new Migrator({
      db,
      provider: {
        getMigrations: async () => ({
          '1_notes': {
            up: async (schema) => {
              await schema.schema
                .createTable('kysely_notes')
                .addColumn('id', 'integer', (column) => column.generatedAlwaysAsIdentity().primaryKey())
                .addColumn('body', 'text', (column) => column.notNull())
                .execute();
            },
            down: (schema) => schema.schema.dropTable('kysely_notes').execute(),
          },
          '2_done': {
            up: (schema) =>
              schema.schema
                .alterTable('kysely_notes')
                .addColumn('done', 'boolean', (column) => column.notNull().defaultTo(false))
                .execute(),
            down: (schema) => schema.schema.alterTable('kysely_notes').dropColumn('done').execute(),
          },
        }),
      },
    });
    try {
      const up = await migrator.migrateToLatest();
      expect([up.error, up.results?.map(({ status }) => status)]).toEqual([undefined, ['Success', 'Success']]);
      expect((await migrator.migrateToLatest()).results).toEqual([]);
      expect(
        await db
          .insertInto('kysely_notes')
          .values([{ body: 'one' }, { body: 'two' }])
          .returning('id')
          .execute(),
      ).toEqual([{ id: 1 }, { id: 2 }]);
      await db
        .transaction()
        .execute((t) => t.updateTable('kysely_notes').set({ done: true }).where('id', '=', 2).execute());
      expect(await db.selectFrom('kysely_notes').select('body').where('done', '=', true).execute()).toEqual([
        { body: 'two' },
      ]);
      expect((await db.introspection.getTables()).map(({ name }) => name)).toContain('kysely_notes');
      expect((await migrator.migrateDown()).error).toBeUndefined();
    } finally {
      await db.destroy();
    }
    expect(await readByApi('kysely_notes')).toEqual([
      { id: 1, body: 'one' },
      { id: 2, body: 'two' },
    ]);
  });
});

describe('Drizzle', () => {
  it('applies the files of drizzle-kit with its migrator, once, and uses the schema', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'drizzle-'));
    const files = {
      '0000_notes':
        'CREATE TABLE "drizzle_notes" (\n\t"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,\n\t"owner" uuid,\n\t"body" text NOT NULL\n);\n--> statement-breakpoint\nALTER TABLE "drizzle_notes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint\nALTER TABLE "drizzle_notes" ADD CONSTRAINT "drizzle_notes_owner_users_id_fk" FOREIGN KEY ("owner") REFERENCES "auth"."users"("id") ON DELETE cascade;--> statement-breakpoint\nCREATE POLICY "own" ON "drizzle_notes" AS PERMISSIVE FOR ALL TO "authenticated" USING ((select auth.uid()) = "owner");',
      '0001_more':
        'ALTER TABLE "drizzle_notes" ADD COLUMN "extra" jsonb;--> statement-breakpoint\nALTER TABLE "drizzle_notes" ADD COLUMN "done" boolean DEFAULT false NOT NULL;--> statement-breakpoint\nALTER TABLE "drizzle_notes" ADD COLUMN "at" timestamp with time zone DEFAULT now() NOT NULL;',
    };
    const notes = pgTable('drizzle_notes', {
      id: integer().primaryKey().generatedAlwaysAsIdentity(),
      owner: uuid(),
      body: text().notNull(),
      extra: jsonb(),
      done: boolean().notNull().default(false),
      at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    });
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    try {
      await mkdir(join(folder, 'meta'));
      const entries = Object.keys(files).map((tag, idx) => ({
        idx,
        version: '7',
        when: 1_700_000_000_000 + idx,
        tag,
        breakpoints: true,
      }));
      await writeFile(
        join(folder, 'meta/_journal.json'),
        JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
      );
      for (const [tag, text] of Object.entries(files)) await writeFile(join(folder, `${tag}.sql`), text);
      const db = drizzle(pool);
      await migrate(db, { migrationsFolder: folder });
      await migrate(db, { migrationsFolder: folder });
      expect(
        await db.select({ n: fragment<number>`count(*)::int` }).from(fragment`drizzle.__drizzle_migrations`),
      ).toEqual([{ n: 2 }]);
      await db.transaction(async (t) => {
        await t.insert(notes).values([{ body: 'one', extra: { n: 1 } }, { body: 'two' }]);
        await t.update(notes).set({ done: true }).where(eq(notes.body, 'two'));
      });
      expect(await db.select({ id: notes.id, extra: notes.extra }).from(notes).where(eq(notes.done, false))).toEqual([
        { id: 1, extra: { n: 1 } },
      ]);
    } finally {
      await pool.end();
      await rm(folder, { recursive: true });
    }
    expect(await readByApi('drizzle_notes')).toMatchObject([{ body: 'one' }, { body: 'two', done: true }]);
  });
});
