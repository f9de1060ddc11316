import { describe, inject, it } from 'vitest';
import type { ErrorLine, LimitLine, Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';

const node = inject('node');

/** A worker writes its counts every five seconds, and later while it has much else to do. */
const patient = { timeout: 60_000 };

const chaptersOf = async (ref: string) =>
  (await admin<Specification>(node, 'GET', `/apps/${ref}/specification`)).chapters;

/** Returns true for a limit whose default is wider on this node because it listens on a loopback address. */
const isWide = ({ value, default: usual, set_in, meaning }: LimitLine): boolean =>
  value === (usual ?? 0) * 10 && set_in === 'environment' && meaning.endsWith('the default is ten times as high.');

describe.concurrent('chapters 8 and 9 of a running app', () => {
  it('count errors by rule, function or code, and list their request ids', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create table public.notes (id int primary key, text text constraint text_length check (length(text) < 5));
       create function public.refuse() returns void language plpgsql as $$ begin raise 'never' using errcode = 'PT403'; end $$;`,
    );
    const client = clientOf(app, app.secret_key);
    await client.from('notes').insert({ id: 1, text: 'too long' });
    await client.from('notes').insert({ id: 2, text: 'too long' });
    await client.rpc('refuse');
    await client.from('nowhere').select();
    // Each worker caches the figures for a while, so all expectations are about the same reading.
    let lines: ErrorLine[] = [];
    const met = async () => {
      lines = (await chaptersOf(app.ref)).errors?.errors.filter(({ figures }) => figures) ?? [];
      return Object.fromEntries(lines.map(({ id, figures }) => [id, figures?.day]));
    };
    await expect.poll(met, patient).toEqual({
      'rule.public.notes.text_length': 2,
      'function.public.refuse().PT403.never': 1,
      'code.PGRST205': 1,
    });
    const rule = lines.find(({ id }) => id === 'rule.public.notes.text_length');
    expect(rule?.figures?.last_requests).toHaveLength(2);
    expect(rule?.figures?.hours.at(-1)).toBe(2);
  });

  it('list the errors of invalid input like a day that does not exist', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.stays (note text, day date, during daterange)');
    const lines = (await chaptersOf(app.ref)).errors?.errors;
    const stays = clientOf(app, app.secret_key).from('stays');
    const none = { note: null, day: null, during: null };
    for (const row of [
      { ...none, day: '2026-02-30' },
      { ...none, during: '[2026-02-02,2026-02-01)' },
      { ...none, note: 'a\u0000' },
    ]) {
      const { error, status } = await stays.insert<Record<string, string | null>>(row);
      expect(lines?.find(({ id }) => id === `code.${error?.code}`)?.status, error?.message).toBe(status);
    }
  });

  it('count the callers that reached each limit, also those whose page was truncated', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.numbers as select generate_series(1, 20) as n');
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_max_rows`, { value: 5 });
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_statement_timeout`, { value: 200 });
    await runSql(node, app.ref, `create function public.slow() returns void language sql as 'select pg_sleep(2)'`);
    const { client, user } = await signUpMember(app);
    await expect.poll(async () => (await client.from('numbers').select()).data?.length).toBe(5);
    expect((await client.rpc('slow')).error?.code).toBe('57014');
    const headers = { apikey: app.publishable_key, 'content-type': 'application/json' };
    const body = JSON.stringify({ email: 'a@example.org', password: 'x' });
    expect((await fetch(`${app.url}/auth/v1/signup`, { method: 'POST', headers, body })).status).toBe(422);
    const hit = async () => {
      const lines = (await chaptersOf(app.ref)).limits?.limits.filter(({ figures }) => (figures?.week ?? 0) > 0) ?? [];
      return Object.fromEntries(lines.map(({ id, figures }) => [id, figures?.last_caller]));
    };
    await expect.poll(hit, patient).toEqual({
      pageRows: user.id,
      statementMilliseconds: user.id,
      passwordMinCharacters: expect.stringMatching(/127\.0\.0\.1$/),
    });
    const lines = (await chaptersOf(app.ref)).limits?.limits;
    expect(lines?.find(({ id }) => id === 'pageRows')).toMatchObject({ value: 5, set_in: 'setting' });
    expect(lines?.find(({ id }) => id === 'appConnections')).toMatchObject({ value: 100 });
  });

  it('count no limit as changed in an app whose limits nobody has changed', async ({ expect }) => {
    const { limits: chapter } = await chaptersOf((await createApp(node)).ref);
    const changed = chapter?.limits.filter(({ value, default: usual, change }) => value !== usual && change !== null);
    const [wide, others] = [changed?.filter(isWide), changed?.filter((line) => !isWide(line))];
    expect(others?.map(({ id }) => id)).toEqual([]);
    expect(wide?.map(({ id }) => id)).toContain('signUpsPerNetwork');
  });

  it.for([
    {
      does: `alter role {login} valid until '2001-02-03 04:05:06+00'`,
      undoes: `alter role {login} valid until 'infinity'`,
      reported: /valid until 2001-02-03 04:05:06 UTC|VALID UNTIL/,
      reason: 'VALID UNTIL',
    },
    {
      does: 'revoke connect on database {database} from {login}',
      undoes: 'grant connect on database {database} to {login}',
      reported: /may not connect to (the|its) database/,
      reason: 'REVOKE CONNECT',
    },
  ])(
    'give the reason if the app’s login role cannot open new connections: $does',
    async ({ does, undoes, reported, reason }, { expect }) => {
      const app = await createApp(node);
      await runSql(node, app.ref, 'create table public.things (id int primary key)');
      const client = clientOf(app, app.secret_key);
      // 16 calls at once, so that each worker opens a connection.
      const first = await Promise.all(Array.from({ length: 16 }, () => client.from('things').select()));
      expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]));
      const login = `app_${app.ref}_authenticator`;
      const named = (sql: string) => sql.replace('{login}', `"${login}"`).replace('{database}', `"app_${app.ref}"`);
      await withClient(await superuserUrl(node, `app_${app.ref}`), async (superuser) => {
        await superuser.query(named(does));
        // A worker without an open connection can only report why it gets none.
        const bound = () =>
          chaptersOf(app.ref).then(
            ({ limits }) => limits?.limits.find(({ id }) => id === 'appConnections')?.meaning,
            (refused: Error) => refused.message,
          );
        await expect.poll(bound).toMatch(reported);
        // Open connections stay open.
        expect((await client.from('things').select()).status).toBe(200);
        await superuser.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [login]);
        const refused = await client.from('things').select();
        expect(refused).toMatchObject({
          status: 503,
          error: { code: 'PGRST000', details: expect.stringContaining(reason) },
        });
        const signedIn = await client.auth.signInWithPassword({ email: 'a@example.org', password: 'secret-12' });
        expect(signedIn.error).toMatchObject({ status: 503, message: expect.stringContaining(reason) });
        await superuser.query(named(undoes));
      });
      await expect.poll(async () => (await client.from('things').select()).status).toBe(200);
    },
  );

  it('show how often each call was made', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.things (id int primary key)');
    const client = clientOf(app);
    for (let i = 0; i < 4; i++) expect((await client.from('things').select()).status).toBe(200);
    const figures = async () =>
      (await chaptersOf(app.ref)).calls?.calls.find(({ id }) => id === 'rest.public.things.select')?.figures;
    const all = { hour: { calls: 4 }, day: { calls: 4, failed: 0 }, week: { calls: 4 } };
    await expect.poll(figures, patient).toMatchObject(all);
  });
});
