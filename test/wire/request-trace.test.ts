import { createClient } from '@supabase/supabase-js';
import { describe, inject, it } from 'vitest';
import ws from 'ws';
import type { CallStatisticsResponse, LogLine, RequestTraceResponse } from '../../contract/observed.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { deleteHome, makeUsedHome, startNode } from '../support/node.ts';

const node = inject('node');

const tickets = `
  create table public.tickets (id int primary key, title text not null constraint title_length check (char_length(title) between 3 and 20),
    owner uuid default auth.uid());
  alter table public.tickets enable row level security;
  create policy "own tickets" on public.tickets to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
  create function public.close_ticket(ticket int) returns void language plpgsql as $$
    begin raise exception 'ticket % is closed', ticket using errcode = 'PT410'; end $$;
  insert into public.tickets (id, title) values (1, 'first');`;

/** Returns a stock client that records the headers of each call. */
function notingClient(app: { url: string; publishable_key: string }, token: string) {
  const seen: Response[] = [];
  const client = createClient(app.url, app.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws as never },
    global: {
      headers: { authorization: `Bearer ${token}` },
      fetch: async (...args: Parameters<typeof fetch>) => {
        const response = await fetch(...args);
        seen.push(response.clone());
        return response;
      },
    },
  });
  const last = (name: string): string => seen.at(-1)?.headers.get(name) ?? '';
  return { client, last };
}

const traceOf = (ref: string, id: string, at = node) =>
  admin<RequestTraceResponse>(at, 'GET', `/apps/${ref}/traces/${id}`);

describe.concurrent('the trace of a call', () => {
  it('shows a builder the caller, the request, the SQL, the policies and the time of each step', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, tickets);
    const { session, user } = await signUpMember(app);
    const { client, last } = notingClient(app, session.access_token);
    const { error } = await client.from('tickets').insert({ id: 2, title: 'no' });
    expect(error?.code).toBe('23514');
    const { trace, policies } = await traceOf(app.ref, last('x-request-id'));
    expect(trace).toMatchObject({
      ...{ call: 'rest.public.tickets.insert', method: 'POST', path: '/tickets', status: 400, code: '23514' },
      subject: 'public.tickets.title_length',
      who: { role: 'authenticated', user_id: user.id, source: 'token' },
      touched: [{ schema: 'public', name: 'tickets', operation: 'insert' }],
    });
    expect(trace.sql?.text).toMatch(/INSERT INTO "public"."tickets"/i);
    expect(policies.map(({ name }) => name)).toEqual(['own tickets']);
    expect(trace.steps.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Resolve app', 'Authenticate', 'Plan', 'Build SQL', 'Execute', 'Respond']),
    );
    const total = trace.steps.reduce((sum, { took }) => sum + took, 0);
    expect(total).toBeCloseTo(trace.milliseconds, 1);
  });

  it('contains no value that the caller sent, and no token', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, tickets);
    const { session } = await signUpMember(app);
    const { client, last } = notingClient(app, session.access_token);
    await client.from('tickets').insert({ id: 3, title: 'xyzzy-xyzzy-xyzzy-xyzzy' });
    const written = await traceOf(app.ref, last('x-request-id'));
    await client.from('tickets').select('id,title').eq('title', 'plugh').or('id.eq.77123,id.gt.5').order('id');
    const read = await traceOf(app.ref, last('x-request-id'));
    expect(read.trace.query).toBe('select=id%2Ctitle&title=eq.…&or=…&order=id.asc');
    const said = JSON.stringify([written, read]);
    for (const value of ['xyzzy', 'plugh', '77123', session.access_token, app.publishable_key]) {
      expect(said).not.toContain(value);
    }
  });

  it('does not exist for an unknown id, nor in another app', async ({ expect }) => {
    const [app, other] = [await createApp(node), await createApp(node)];
    const answer = await fetch(`${app.url}/rest/v1/nothing`, { headers: { apikey: app.publishable_key } });
    const id = answer.headers.get('x-request-id') ?? '';
    expect((await traceOf(app.ref, id)).trace.code).toBe('PGRST205');
    await expect(traceOf(other.ref, id)).rejects.toThrow('call_unknown');
    await expect(traceOf(app.ref, 'never-was')).rejects.toThrow('call_unknown');
    await expect(traceOf(app.ref, `a%20b'`)).rejects.toThrow('call_unknown');
  });

  it('is found by every worker, also for a successful call and after a restart', async ({ expect }) => {
    const home = await makeUsedHome('traces');
    const options = { home, env: { NINEFOLD_WORKERS: '3' } };
    let own = await startNode(options);
    try {
      const app = await createApp(own);
      await runSql(own, app.ref, tickets);
      const ids = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const headers = { apikey: app.secret_key, connection: 'close' };
          const answer = await fetch(`${app.url}/rest/v1/tickets`, { headers });
          expect(answer.status).toBe(200);
          return answer.headers.get('x-request-id') ?? '';
        }),
      );
      const expectAllKnown = async () => {
        for (const id of ids) {
          const { trace } = await traceOf(app.ref, id, own);
          expect([trace.call, trace.status]).toEqual(['rest.public.tickets.select', 200]);
        }
      };
      await expectAllKnown();
      await own.stop();
      own = await startNode(options);
      await expectAllKnown();
    } finally {
      await own.stop();
      await deleteHome(home);
    }
  });
});

describe.concurrent('an error', () => {
  it('has a code and a link to its page on the node, whichever API responds', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, tickets);
    const headers = { apikey: app.publishable_key, 'content-type': 'application/json' };
    const asked: [string, RequestInit, string][] = [
      [`${app.url}/rest/v1/nothing`, { headers }, 'PGRST205'],
      [`${app.url}/rest/v1/tickets?id=eq.x`, { headers }, '22P02'],
      [`${app.url}/rest/v1/rpc/close_ticket`, { headers, method: 'POST', body: '{"ticket":1}' }, 'PT410'],
      [
        `${app.url}/auth/v1/token?grant_type=password`,
        { headers, method: 'POST', body: '{"email":"a@b.example","password":"x"}' },
        'invalid_credentials',
      ],
      [`${node.url}/admin/v1/apps`, {}, 'operator_required'],
      [`${node.url}/apps/no-such-app/rest/v1/t`, {}, 'app_unknown'],
      [`${node.url}/nowhere`, {}, 'not_found'],
    ];
    for (const [url, init, code] of asked) {
      const answer = await fetch(url, init);
      const body = (await answer.json()) as { code: unknown; error_code?: string };
      expect([url, body.error_code ?? body.code]).toEqual([url, code]);
      const link = /^<(\/[^>]+)>; rel="help"$/.exec(answer.headers.get('link') ?? '')?.[1];
      expect(link).toBe(`/docs/errors/${code}`);
      const page = await fetch(new URL(link ?? '', url));
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain(code);
    }
  });

  it('is listed among the recent errors, and by its code', async ({ expect }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, tickets);
    const client = clientOf(app);
    await client.rpc('close_ticket', { ticket: 1 });
    await client.from('nothing').select();
    const list = (query: string) => admin<LogLine[]>(node, 'GET', `/apps/${app.ref}/errors${query}`);
    await expect
      .poll(async () => (await list('')).map(({ code }) => code).sort(), { timeout: 60_000 })
      .toEqual(['PGRST205', 'PT410']);
    const [raised] = await list('?code=PT410');
    expect(raised).toMatchObject({
      call: 'rpc.public.close_ticket(integer)',
      status: 410,
      role: 'anon',
      subject: 'close_ticket(integer)',
    });
    await expect(list('?limit=x')).rejects.toThrow('validation_invalid');
  });
});

describe.concurrent('the statistics of calls', () => {
  it('count each call of chapter 7 under its id, with its durations and the time of its last use', async ({
    expect,
  }) => {
    const app = await createApp(node);
    await runSql(node, app.ref, tickets);
    const client = clientOf(app, app.secret_key);
    const before = Date.now();
    for (let i = 0; i < 3; i++) await client.from('tickets').select();
    await client.from('tickets').insert({ id: 9, title: 'x' });
    await client.from('made-up-name').select();
    await client.rpc('close_ticket', { ticket: 1 });
    const read = (window: string) =>
      admin<CallStatisticsResponse>(node, 'GET', `/apps/${app.ref}/statistics/calls?window=${window}`);
    await expect
      .poll(async () => (await read('hour')).calls.reduce((sum, { figures }) => sum + figures.calls, 0), {
        timeout: 60_000,
      })
      .toBe(6);
    for (const window of ['hour', 'day', 'week']) {
      const { calls, at } = await read(window);
      const byId = new Map(calls.map((call) => [call.id, call]));
      const select = byId.get('rest.public.tickets.select');
      expect(select).toMatchObject({
        area: 'rest',
        method: 'GET',
        path: '/rest/v1/tickets',
        figures: { calls: 3, failed: 0, failed_share: 0 },
      });
      expect(select?.figures.p50_ms).toBeGreaterThan(0);
      expect(select?.figures.p99_ms).toBeGreaterThanOrEqual(select?.figures.p50_ms ?? Number.NaN);
      expect(Date.parse(select?.figures.last_at ?? '')).toBeGreaterThanOrEqual(before - 1);
      expect(select?.points.calls).toHaveLength(at.length);
      expect(select?.points.calls.reduce((sum, count) => sum + count, 0)).toBe(3);
      expect(byId.get('rest.public.tickets.insert')?.figures).toMatchObject({ calls: 1, failed: 1, failed_share: 1 });
      expect(byId.get('rpc.public.close_ticket(integer)')?.figures.failed).toBe(1);
      expect(byId.get('rest.unresolved')?.figures.calls).toBe(1);
    }
    await expect(read('year')).rejects.toThrow('validation_invalid');
  });
});
