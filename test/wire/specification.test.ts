import { exec } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Change, VersionList } from '../../contract/changes.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, deleteApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { clone } from '../support/clone.ts';
import { helpdeskCopies } from '../support/helpdesk.ts';
import { cli } from '../support/node.ts';
import { printed } from '../support/printed.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const node = inject('node');
const copy = helpdeskCopies(node);

let folder: string;

beforeAll(async () => {
  folder = await makeTestFolder('specification');
});

const run = (args: string[], code?: number) => printed(node, args, code);

async function save(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const widen = `create policy any_delete on public.tickets for delete to authenticated using (true);
  create policy see on public.tickets for select to authenticated using (true); grant delete on public.tickets to authenticated`;

describe('spec', () => {
  it('prints the same text as long as the app is unchanged, regardless of rows, calls and time', async () => {
    const { ref } = await copy();
    const exports = () =>
      Promise.all(['markdown', 'json', 'html'].map((format) => run(['spec', ref, '--format', format])));
    const before = await exports();
    await runSql(node, ref, `insert into public.secrets select 'x' from generate_series(1, 500); analyze`);
    expect(await exports()).toEqual(before);
  });

  it('prints less than 6 KB of Markdown for an empty app', async () => {
    const { ref } = await createApp(node);
    expect(Buffer.byteLength(await run(['spec', ref]))).toBeLessThan(6000);
  });

  it('prints completely into a pipe, and ends without an error if the reader stops early', async () => {
    const { ref } = await createApp(node);
    const tables = Array.from(
      { length: 60 },
      (_, i) => `create table public.t${i} (id int primary key, a text, b text);`,
    );
    await runSql(node, ref, tables.join('\n'));
    const whole = await run(['spec', ref, '--format', 'json']);
    expect(whole.length).toBeGreaterThan(200_000);
    const { chapters } = JSON.parse(whole) as Specification;
    expect(chapters.entities?.entities).toHaveLength(60);
    expect(Object.keys(chapters).join(' ')).toBe('purpose screens entities states rules roles calls errors limits');
    const { stdout, stderr } = await promisify(exec)(`"${process.execPath}" dist/ninefold.js spec ${ref} | head -n 1`, {
      cwd: clone,
      env: { ...process.env, NINEFOLD_HOME: node.home },
    });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^# .*\n$/), '']);
  });

  it('--format html prints a self-contained page that runs no script', async () => {
    const { ref } = await copy();
    const odd = '<img src=x onerror=alert(1)>';
    await runSql(node, ref, `comment on table public.tickets is '${odd} </title><script>alert(1)</script>'`);
    const page = await run(['spec', ref, '--format', 'html']);
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).toContain('@media print');
    expect(page).not.toMatch(/<(script|img|link|iframe)|(src|href)="(?!#)|url\(|@import/);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    const response = await fetch(`${node.url}/admin/v1/apps/${ref}/specification?format=html`, {
      headers: { authorization: `Bearer ${node.operatorToken}` },
    });
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
  });

  it.each(['md', 'json'])(
    '--check with a committed .%s exits with 0, then with 1 and the difference in words',
    async (ending) => {
      const { ref } = await copy();
      const format = ending === 'md' ? 'markdown' : 'json';
      const file = await save(
        `${ref}.${ending}`,
        (await run(['spec', ref, '--format', format])).replaceAll('\n', '\r\n'),
      );
      expect(await run(['spec', ref, '--check', file])).toBe('');
      await runSql(node, ref, widen);
      const output = await run(['spec', ref, '--check', file], 1);
      expect(output).toContain('6 Roles');
      expect(output).toContain('Signed-in members may now delete tickets.');
      await runSql(
        node,
        ref,
        'drop policy any_delete on public.tickets; drop policy see on public.tickets; revoke delete on public.tickets from authenticated',
      );
      expect(await run(['spec', ref, '--check', file])).toBe('');
    },
  );

  it('--check with Markdown of a deleted app still reports the difference in words', async () => {
    const old = await copy();
    const file = await save(`${old.ref}.md`, await run(['spec', old.ref]));
    await deleteApp(node, old.ref);
    const { ref } = await copy('Another name');
    await runSql(node, ref, `${widen}; alter table public.tickets add priority int; drop table public.secrets`);
    const output = await run(['spec', ref, '--check', file], 1);
    expect(output).toContain('Signed-in members may now delete tickets.');
    expect(output).toContain('tickets: it now says “priority: integer; optional”.');
    expect(output).toContain('The privileges on secrets are gone with it.');
  });

  it('--check reports a file that was only reformatted, and exits with 2 if it cannot compare', async () => {
    const { ref } = await copy();
    const text = await run(['spec', ref]);
    const file = await save(`${ref}-spaced.md`, text.replace('## 3 Entities\n', '## 3 Entities\n\n\n'));
    expect(await run(['spec', ref, '--check', file], 1)).toContain('another format');
    for (const args of [
      ['spec', ref, '--check', join(folder, 'nothing.md')],
      ['spec', ref, '--check', await save('broken.json', '{"app"')],
      ['spec', ref, '--check', await save('other.json', '{"a":1}')],
      ['spec', 'no-such-app', '--check', file],
      ['spec', '--diff', ref],
      ['spec', '--diff', `${ref}@999`, ref],
      ['spec', '--diff', `${ref}@1999-01-01`, ref],
      ['spec'],
    ]) {
      const result = await cli(node, args);
      expect([result.code, result.stdout], args.join(' ')).toEqual([2, '']);
      expect(result.stderr).toMatch(/^ninefold: .+\n$/);
    }
  });

  it('--diff compares apps, files and earlier versions, in either direction', async () => {
    const [a, b] = await Promise.all([copy(), copy()]);
    expect(await run(['spec', '--diff', a.ref, b.ref])).toBe('');
    const file = await save(`${a.ref}.json`, await run(['spec', a.ref, '--format', 'json']));
    const { versions } = await admin<VersionList>(node, 'GET', `/apps/${b.ref}/versions`);
    const at = new Date(versions[0]?.at ?? '').toISOString();
    await runSql(node, b.ref, 'alter table public.tickets add priority int');
    const words = 'tickets has a new field priority (integer, optional).';
    const sides = [a.ref, file, `${b.ref}@${versions[0]?.number}`, `${b.ref}@${at}`];
    for (const side of sides) expect(await run(['spec', '--diff', side, b.ref], 1), side).toContain(words);
    expect(await run(['spec', '--diff', b.ref, a.ref], 1)).toContain('The field priority of tickets is gone.');
    const changes = JSON.parse(await run(['spec', '--diff', a.ref, b.ref, '--json'], 1)) as Change[];
    expect(changes.find((change) => change.words === words)).toMatchObject({ chapter: 'entities', kind: 'added' });
  });
});

describe('types', () => {
  it('are printed as TypeScript, zod and JSON Schema', async () => {
    const { ref } = await copy();
    expect(await run(['types', ref])).toContain('export type Database = {');
    expect(await run(['types', ref, '--zod'])).toContain('title: z.string()');
    expect(JSON.parse(await run(['types', ref, '--json-schema'])).$defs['tickets.insert']).toMatchObject({
      type: 'object',
    });
    expect((await cli(node, ['types', ref, '--zod', '--json-schema'])).code).toBe(2);
  });
});

describe('openapi.json', () => {
  const documentOf = async (app: AppConnection, headers: Record<string, string>) => {
    const response = await fetch(`${app.url}/openapi.json`, { headers });
    expect(response.status).toBe(200);
    const document = (await response.json()) as {
      paths: Record<string, Record<string, unknown>>;
      components: { schemas: Record<string, unknown> };
    };
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    return document;
  };
  const callsOf = (document: Awaited<ReturnType<typeof documentOf>>) =>
    Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));

  it('is valid OpenAPI 3.1, and lists for each caller the calls that it may make and no others', async () => {
    const app = await copy();
    await runSql(
      node,
      app.ref,
      `create table public."odd ""name {x} %" ("__proto__" int, "a b" text, "select" int);
      create function public.whole(json) returns setof record language sql as 'select 1, 2';
      create function public.lone(out n int) language sql as 'select 42';
      create function public.many(variadic a int[]) returns table (b int, c text) language sql stable as 'select 1, ''x''';
      create schema api; create table api.tickets (id int); grant usage on schema api to service_role; grant select on api.tickets to service_role`,
    );
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_schemas`, { value: ['public', 'api'] });
    const all = await documentOf(app, { apikey: app.secret_key });
    expect(callsOf(all)).toEqual(
      expect.arrayContaining([
        'post /auth/v1/token',
        'get /rest/v1/tickets',
        'post /rest/v1/rpc/close',
        'get /rest/v1/secrets',
        'get /auth/v1/admin/users',
      ]),
    );
    expect(Object.keys(all.components.schemas)).toEqual(
      expect.arrayContaining(['tickets', 'tickets.insert', 'secrets', 'api.tickets']),
    );

    const { data: lone } = await clientOf(app).rpc('lone');
    expect(lone).toEqual({ n: 42 });
    expect(JSON.stringify(all.paths['/rest/v1/rpc/lone'])).toMatch(/"schema":\{"type":"object","properties":\{"n":/);

    const anon = await documentOf(app, { apikey: app.publishable_key });
    expect(callsOf(anon)).not.toContain('get /rest/v1/secrets');
    expect(JSON.stringify(anon)).not.toContain('"secrets');
    expect(callsOf(anon)).not.toContain('get /auth/v1/admin/users');
    const { session } = await signUpMember(app);
    const member = await documentOf(app, {
      apikey: app.publishable_key,
      authorization: `Bearer ${session.access_token}`,
    });
    expect(callsOf(anon)).not.toContain('get /rest/v1/tickets');
    expect(callsOf(member)).toContain('get /rest/v1/tickets');
    expect(callsOf(member)).not.toContain('post /rest/v1/tickets');
  });

  it('lists for each caller only the fields that the caller may read, insert or update', async () => {
    const app = await copy();
    await runSql(
      node,
      app.ref,
      `create table public.staff (id int primary key generated always as identity, name text,
         salary int check (salary > 0), wish text, grade int not null default 1);
       alter table public.staff enable row level security;
       create policy own on public.staff for all using (true) with check (true);
       revoke all on public.staff from anon, authenticated;
       grant select (id, name) on public.staff to anon;
       grant select (id, name), insert (name, wish), update (wish) on public.staff to authenticated`,
    );
    const { session } = await signUpMember(app);
    const own = { apikey: app.publishable_key, authorization: `Bearer ${session.access_token}` };
    const fieldsOf = async (headers: Record<string, string>) => {
      const { components, paths } = await documentOf(app, headers);
      const schemas = components.schemas as Record<string, { properties: object; required?: string[] } | undefined>;
      const names = ['staff', 'staff.insert', 'staff.update'].map((name) =>
        Object.keys(schemas[name]?.properties ?? {}),
      );
      const parameters = (paths['/rest/v1/staff'] as { get: { parameters: { name: string }[] } }).get.parameters;
      const filters = parameters.map(({ name }) => name).filter((name) => /^(?:id|name|salary|wish|grade)$/.test(name));
      return {
        names,
        filters,
        text: JSON.stringify({ components, paths }),
        required: schemas['staff.insert']?.required,
      };
    };
    const anon = await fieldsOf({ apikey: app.publishable_key });
    expect([anon.names, anon.filters]).toEqual([
      [['id', 'name'], [], []],
      ['id', 'name'],
    ]);
    const member = await fieldsOf(own);
    expect([member.names, member.filters]).toEqual([
      [['id', 'name'], ['name', 'wish'], ['wish']],
      ['id', 'name'],
    ]);
    for (const { text } of [anon, member]) expect(text).not.toMatch(/salary|grade/);
    expect(member.required).toBeUndefined();
    const all = await fieldsOf({ apikey: app.secret_key });
    expect(all.names[0]).toEqual(['id', 'name', 'salary', 'wish', 'grade']);
    expect(all.text).toMatch(/salary.*grade|grade.*salary/);
  });

  it('shows a change at once, requires a valid key, and can be switched off', async () => {
    const app = await copy();
    const paths = async () => Object.keys((await documentOf(app, { apikey: app.secret_key })).paths);
    expect(await paths()).not.toContain('/rest/v1/notes');
    await runSql(node, app.ref, 'create table public.notes (id int)');
    await expect.poll(paths, { timeout: 10_000 }).toContain('/rest/v1/notes');
    expect((await fetch(`${app.url}/openapi.json`, { headers: { apikey: 'wrong' } })).status).toBe(401);
    const withoutKey = await fetch(`${app.url}/openapi.json`);
    expect(withoutKey.status).toBe(401);
    expect(await withoutKey.json()).toMatchObject({ code: 'key_missing' });
    expect(
      (await fetch(`${app.url}/openapi.json`, { method: 'OPTIONS' })).headers.get('access-control-allow-origin'),
    ).toBe('*');
    await admin(node, 'PUT', `/apps/${app.ref}/settings/openapi_mode`, { value: 'disabled' });
    await expect.poll(async () => (await fetch(`${app.url}/openapi.json`)).status, { timeout: 10_000 }).toBe(404);
  });
});
