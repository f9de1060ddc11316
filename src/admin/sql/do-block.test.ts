import { describe, expect, it } from 'vitest';
import type { DatabaseFacts } from './replacement.ts';
import { originalOffset, prepareScript, warningsOf } from './script.ts';
import { rolesCreatedBy } from './shared-objects.ts';

const factsOf = (sql: string): DatabaseFacts => ({
  database: 'app_x',
  available: new Set(['moddatetime']),
  platformRelations: new Set(),
  skippedRoles: new Set(),
  databaseRoles: rolesCreatedBy([sql]),
  hasDatabaseRoles: true,
  hasHelpers: true,
});

describe('prepareScript', () => {
  const sql = `select 1;
do $body$
begin
  if not exists (select from pg_roles where rolname = 'reporter') then
    create role reporter
      nologin;
  end if;
  begin
    alter default privileges for role postgres grant select on tables to anon;
    create extension moddatetime schema extensions;
  exception when others then null;
  end;
  update t set a = 1;
  execute 'create extension vector';
  perform nope;
end $body$;
grant select on t to reporter;`;
  const script = prepareScript(sql, factsOf(sql));

  it('replaces statements within a DO block by PL/pgSQL with the same number of lines', () => {
    expect(script.text).toBe(`select 1;
do $body$
begin
  if not exists (select from pg_roles where rolname = 'reporter') then
    perform ninefold.create_database_role('reporter')
;
  end if;
  begin
    alter default privileges for role current_user grant select on tables to anon;
    perform ninefold.create_extension('moddatetime', 'extensions', false);
  exception when others then null;
  end;
  update t set a = 1;
  execute ninefold.statement_on_roles('create extension vector');
  perform nope;
end $body$;
grant select on t to reporter;`);
  });

  it('maps positions after a replaced statement of a DO block to positions in the original script', () => {
    expect(originalOffset(script, script.text.indexOf('nope'))).toBe(sql.indexOf('nope'));
  });

  it('keeps DO as one statement, and warns with the line within its block', () => {
    expect(script.sources).toEqual([0, 1, 2]);
    expect(warningsOf(script, [])).toEqual([]);
  });

  it('rewrites the statement that EXECUTE runs, before INTO and USING of the same level', () => {
    const text = `do $$ declare r text := 'x'; begin execute format('create role %I', (select r into strict)) using r; execute 'grant a to b'; end $$`;
    expect(prepareScript(text, factsOf(text)).text).toBe(
      `do $$ declare r text := 'x'; begin execute ninefold.statement_on_roles(format('create role %I', (select r into strict))) using r; execute ninefold.statement_on_roles('grant a to b'); end $$`,
    );
  });
});
