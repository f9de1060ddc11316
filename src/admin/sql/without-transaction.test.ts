import { describe, expect, it } from 'vitest';
import { loneStatement } from './without-transaction.ts';

describe('loneStatement', () => {
  it.each([
    'create index concurrently on public.notes (title);',
    '-- an index\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a ON b (c)',
    'drop index concurrently if exists public.a;',
    'vacuum (analyze) public.notes;',
    'reindex (verbose) schema public',
    'reindex table concurrently public.notes',
    'alter table a detach partition b concurrently;',
    'cluster',
  ])('returns the statement of %j, because PostgreSQL cannot run it in a transaction', (sql) => {
    expect(loneStatement(sql)?.text).toBe(sql.replace(/^--.*\n/, '').replace(/;$/, ''));
  });

  it.each([
    'create index on public.notes (title);',
    'create table a (concurrently text); comment on table a is $$vacuum$$;',
    'reindex table public.notes',
    'cluster public.notes using a',
    'refresh materialized view concurrently a',
    "alter type a add value 'vacuum'",
    `select 'create index concurrently'; -- vacuum`,
    'create procedure a() language sql begin atomic select 1; end; alter system set work_mem = 1',
    '',
  ])('returns null for %j, because PostgreSQL runs it in a transaction', (sql) => {
    expect(loneStatement(sql)).toBeNull();
  });

  it.each([
    ['create table a (); create index concurrently on a (b)', 'CREATE INDEX CONCURRENTLY', 1],
    ['begin; drop index concurrently a; commit', 'DROP INDEX CONCURRENTLY', 1],
    ['vacuum a; vacuum b', 'VACUUM', 0],
    ['reindex database; select 1', 'REINDEX DATABASE', 0],
    ['reindex index concurrently a; select 1', 'REINDEX CONCURRENTLY', 0],
  ])('throws for %j, because the file also contains other statements', (sql, name, statement) => {
    expect(() => loneStatement(sql)).toThrow(
      expect.objectContaining({
        sqlstate: '25001',
        statement,
        message: `${name} cannot run in a transaction, so it must be the only statement of its file.`,
      }),
    );
  });
});
