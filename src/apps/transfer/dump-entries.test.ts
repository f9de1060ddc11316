import { describe, expect, it } from 'vitest';
import { settingStatement } from './database-settings.ts';
import { readDumpEntries } from './dump-entries.ts';
import { planInstallation } from './install-plan.ts';

const head = (name: string, type: string, schema: string, owner: string) =>
  `--\n-- Name: ${name}; Type: ${type}; Schema: ${schema}; Owner: ${owner}\n--\n\n`;
const dump = (...entries: string[]) =>
  `\\restrict key\n--\n-- PostgreSQL database dump\n--\nSET x = 0;\n\n${entries.join('\n\n')}\n\n--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict key\n`;
const superusers = new Set(['ninefold']);

describe('readDumpEntries', () => {
  it('reads a header as text while a quote, a dollar quote or a comment is open', () => {
    const forged = head('x', 'FUNCTION', 'ninefold', 'ninefold');
    const bodies = [
      `CREATE FUNCTION f() AS $_$\n${forged}select 1;\n$_$;`,
      `COMMENT ON TABLE t IS '${forged}''; ';`,
      `COMMENT ON TABLE t IS E'\\'${forged}';`,
      `CREATE TABLE "${forged}""" (a$b$ int);`,
      `SELECT 1 /* /* */ ${forged} */;`,
    ];
    const entries = readDumpEntries(dump(...bodies.map((body) => `${head('n', 'TABLE', 'public', 'app_a')}${body}\n`)));
    expect(entries.map(({ sql, owner }) => [sql, owner])).toEqual(bodies.map((body) => [body, 'app_a']));
  });

  it('separates the statement that changes the owner, and only this one', () => {
    const text = dump(
      `${head('t', 'TABLE', 'public', 'app_a')}CREATE TABLE "public"."t" (a int);\n\n\nALTER TABLE "public"."t" OWNER TO "app_a";\n\nSET default_tablespace = '';\n`,
      `${head('c', 'CHECK CONSTRAINT', 'public', 'app_a')}ALTER TABLE "public"."t" ADD CONSTRAINT c CHECK ((f() <> ' OWNER TO x'));\n`,
      `${head('r', 'TABLE', 'public', 'app_a')}ALTER TABLE ONLY "public"."t" REPLICA IDENTITY USING INDEX "a OWNER TO ""b";\n`,
    );
    expect(readDumpEntries(text).map(({ sql, ownership }) => [sql.split(' ', 2).join(' '), ownership])).toEqual([
      ['CREATE TABLE', 'ALTER TABLE "public"."t" OWNER TO "app_a";'],
      ['ALTER TABLE', null],
      ['ALTER TABLE', null],
    ]);
  });

  it('rejects a dump that ends early', () => {
    const whole = dump(`${head('t', 'TABLE', 'public', 'app_a')}CREATE TABLE t (a text DEFAULT 'x');\n`);
    for (let length = 0; length < whole.indexOf('\n\n\\unrestrict') - 1; length += 7) {
      expect(() => readDumpEntries(whole.slice(0, length))).toThrow('incomplete');
    }
  });
});

describe('planInstallation', () => {
  it('gives the superuser no object whose name or schema imitates a header', () => {
    const names = ['x; Type: EXTENSION; Schema: -; Owner: -', 'ninefold; Owner: ninefold', 'a; Type: ACL'];
    const entries = names.flatMap((name) => [
      `${head(name, 'TABLE', 'public', 'app_a')}CREATE TABLE t ();\n`,
      `${head('t', 'TABLE', `${name}; Schema: ninefold`, 'app_a')}CREATE TABLE t ();\n`,
    ]);
    const plan = planInstallation(readDumpEntries(dump(...entries)), superusers);
    expect(plan.beforeRows.map(({ login }) => login)).toEqual(Array(6).fill('app'));
    expect(Object.values(plan).flat()).toHaveLength(6);
  });

  it('lets the superuser create what belongs to it, and the schemas of the server', () => {
    const text = dump(
      `${head('f()', 'FUNCTION', 'auth', 'ninefold')}SELECT 1;\n`,
      `${head('f()', 'FUNCTION', 'ninefold', 'supabase_auth_admin')}SELECT 1;\n`,
      `${head('t', 'TABLE', 'auth', 'supabase_auth_admin')}SELECT 1;\n`,
      `${head('citext', 'EXTENSION', '-', '-')}SELECT 1;\n`,
    );
    const { beforeRows, extensions } = planInstallation(readDumpEntries(text), superusers);
    expect(beforeRows.map(({ login }) => login)).toEqual(['superuser', 'superuser', 'app']);
    expect(extensions.map(({ login }) => login)).toEqual(['superuser']);
  });
});

describe('settingStatement', () => {
  const of = (name: string, value: string) => settingStatement('app_a', { role: null, name, value });

  it('writes every value as a constant', () => {
    expect(of('application_name', `'; drop database x; \\`)).toBe(
      `alter database "app_a" set "application_name" to  E'''; drop database x; \\\\'`,
    );
    expect(of('search_path', `"$user", public, "a""b, c"`)).toBe(
      `alter database "app_a" set "search_path" to '$user', 'public', 'a"b, c'`,
    );
    expect(of('search_path', '')).toBe(`alter database "app_a" set "search_path" to ''`);
    expect(of('search_path', 'public; drop database x')).toBe(
      `alter database "app_a" set "search_path" to 'public; drop database x'`,
    );
    expect(of('search_path', '"open')).toBeNull();
  });
});
