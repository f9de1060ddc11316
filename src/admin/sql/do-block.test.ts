import { describe, expect, it } from 'vitest';
import type { DatabaseFacts } from './replacement.ts';
import { originalOffset, prepareScript, warningsOf } from './script.ts';
import { rolesCreatedBy } from './shared-objects.ts';

const factsOf = (sql: string): DatabaseFacts => ({
  database: 'app_x',
  available: new Set(['moddatetime']),
  platformRelations: new Set(),
  skippedRoles: rolesCreatedBy([sql]),
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
    insert into ninefold.skipped_roles (name) values ('reporter') on conflict do nothing
;
  end if;
  begin
    alter default privileges for role current_user grant select on tables to anon;
    perform ninefold.create_extension('moddatetime', 'extensions', false);
  exception when others then null;
  end;
  update t set a = 1;
  execute 'create extension vector';
  perform nope;
end $body$;
;`);
  });

  it('maps positions after a replaced statement of a DO block to positions in the original script', () => {
    expect(originalOffset(script, script.text.indexOf('nope'))).toBe(sql.indexOf('nope'));
  });

  it('keeps DO as one statement, and warns with the line within its block', () => {
    expect(script.sources).toEqual([0, 1]);
    expect(warningsOf(script, [])).toEqual([
      { line: 5, column: 5, message: expect.stringContaining('Role reporter is not created') },
    ]);
  });
});
