import { describe, expect, inject, it } from 'vitest';
import type { Activity } from '../../contract/admin.ts';
import type { CallStatisticsResponse, LogLine, LogResponse, LogSummary } from '../../contract/observed.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { startNode } from '../support/node.ts';

const node = inject('node');

const notes = `create table public.notes (id int primary key, title text constraint title_length check (length(title) < 9));
  insert into public.notes values (1, 'one');
  grant all on public.notes to authenticated;`;

const logs = (ref: string, query = '', at = node) => admin<LogResponse>(at, 'GET', `/apps/${ref}/logs${query}`);

describe('the logs of an app', () => {
  it('return the latest calls that match the given filters, newest first', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, notes);
    const ines = await signUpMember(app);
    await ines.client.from('notes').select();
    await ines.client.from('notes').insert({ id: 2, title: 'much too long' });
    await fetch(`${app.url}/rest/v1/nothing`, { headers: { apikey: app.publishable_key } });
    const { calls, truncated } = await logs(app.ref);
    expect(calls.slice(0, 3).map(({ call, status, code }) => [call, status, code])).toEqual([
      ['rest.unresolved', 404, 'PGRST205'],
      ['rest.public.notes.insert', 400, '23514'],
      ['rest.public.notes.select', 200, null],
    ]);
    expect(truncated).toBe(false);
    const of = async (query: string) => (await logs(app.ref, query)).calls.map(({ call }) => call);
    expect(await of('?status=4')).toEqual(['rest.unresolved', 'rest.public.notes.insert']);
    expect(await of('?code=23514')).toEqual(['rest.public.notes.insert']);
    expect(await of('?call=rest.public.notes.select')).toEqual(['rest.public.notes.select']);
    expect(await of(`?user=${ines.user.id}`)).toEqual(['rest.public.notes.insert', 'rest.public.notes.select']);
    expect(await of(`?request=${calls[1]?.request_id}`)).toEqual(['rest.public.notes.insert']);
    expect(await logs(app.ref, '?limit=1')).toMatchObject({ truncated: true, calls: [{ code: 'PGRST205' }] });
    const first = await logs(app.ref, '?limit=2');
    expect((await logs(app.ref, `?limit=2&before=${first.before}`)).calls.map(({ call }) => call)).toEqual([
      'rest.public.notes.select',
      expect.stringMatching(/^auth\./),
    ]);
    expect(await of('?status=2,4&caller=anon&search=NOTHING')).toEqual(['rest.unresolved']);
    expect(await of(`?search=${encodeURIComponent(ines.email)}`)).toEqual([
      'rest.public.notes.insert',
      'rest.public.notes.select',
    ]);
    expect(await of('?path=/rest/v1/notes&slower=0')).toEqual(['rest.public.notes.insert', 'rest.public.notes.select']);
    expect(await of('?without=/rest/v1/notes&caller=member')).toEqual([]);
    expect(await of('?slower=3600000')).toEqual([]);
    expect(await of(`?to=${new Date(Date.now() - 3_600_000).toISOString()}`)).toEqual([]);
    const bad = ['?status=9', '?status=x', '?limit=0', '?code=%00', '?caller=x', '?from=x', '?before=1'];
    for (const query of bad) {
      await expect(logs(app.ref, query), query).rejects.toThrow('validation_invalid');
    }
  });

  it('store the query without values of the caller, and count requests over time and by each filter', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, notes);
    const ask = (path: string) => fetch(`${app.url}${path}`, { headers: { apikey: app.secret_key } });
    await ask('/rest/v1/notes?title=eq.secret&order=id');
    await ask('/rest/v1/notes?id=eq.x');
    await ask('/rest/v1/rpc/nothing');
    await ask('/auth/v1/health');
    const { calls } = await logs(app.ref, '?path=/rest/v1/notes');
    expect(calls.map(({ query }) => query)).toEqual(['id=eq.…', 'title=eq.…&order=id']);
    const summary = (query = '') => admin<LogSummary>(node, 'GET', `/apps/${app.ref}/logs/summary${query}`);
    const all = await summary();
    expect(all).toMatchObject({ total: 3, statuses: { 2: 1, 4: 2 }, callers: { key: 3, health: 1 }, hidden: 1 });
    expect(all.paths).toEqual([
      { path: '/rest/v1/notes', calls: 2 },
      { path: '/rest/v1/rpc/nothing', calls: 1 },
    ]);
    expect(all.step_seconds).toBe(60);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    expect([sum(all.points.ok), sum(all.points.refused), sum(all.points.failed)]).toEqual([1, 2, 0]);
    // A filter does not count against its own values.
    expect(await summary('?status=2')).toMatchObject({ total: 1, statuses: { 2: 1, 4: 2 }, callers: { key: 1 } });
    expect(await summary('?slower=3600000')).toMatchObject({ total: 0, statuses: {} });
    await expect(summary('?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).rejects.toThrow('validation_invalid');
  });

  it('omit calls of the console, which are listed on request, and so do the figures', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, notes);
    const asConsole = (path: string) =>
      fetch(`${node.url}/admin/v1/apps/${app.ref}/rest/v1${path}`, {
        headers: { authorization: `Bearer ${node.operatorToken}` },
      });
    await asConsole('/notes');
    await asConsole('/nowhere');
    const request = (await asConsole('/notes?id=eq.none')).headers.get('x-request-id');
    await fetch(`${app.url}/rest/v1/notes?limit=1`, { headers: { apikey: app.secret_key } });
    const statuses = async (query: string) => (await logs(app.ref, query)).calls.map(({ status }) => status);
    expect(await statuses('')).toEqual([200]);
    expect(await statuses('?console=false')).toEqual([200]);
    expect(await statuses('?console=true')).toEqual([200, 400, 404, 200]);
    await expect(logs(app.ref, '?console=1')).rejects.toThrow('validation_invalid');
    const failed = (query: string) => admin<LogLine[]>(node, 'GET', `/apps/${app.ref}/errors${query}`);
    expect(await failed('')).toEqual([]);
    expect((await failed('?console=true')).map(({ code }) => code)).toEqual(['22P02', 'PGRST205']);
    expect(await admin(node, 'GET', `/apps/${app.ref}/traces/${request}`)).toMatchObject({ trace: { status: 400 } });

    await expect
      .poll(async () => (await admin<Activity>(node, 'GET', `/apps/${app.ref}/activity`)).today, { timeout: 60_000 })
      .toMatchObject({ calls: 1, failed: 0 });
    const { calls } = await admin<CallStatisticsResponse>(node, 'GET', `/apps/${app.ref}/statistics/calls`);
    expect(calls.map(({ id, figures }) => [id, figures.calls])).toEqual([['rest.public.notes.select', 1]]);
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    expect(chapters.errors?.errors.filter(({ figures }) => figures !== undefined)).toEqual([]);
  });

  it('contain the calls of all workers, whichever worker answers, and ignore forged notifications', async () => {
    const own = await startNode({ env: { NINEFOLD_WORKERS: '3' } });
    try {
      const app = await createApp(own);
      await runSql(own, app.ref, notes);
      const ids = await Promise.all(
        Array.from({ length: 30 }, async () => {
          const headers = { apikey: app.secret_key, connection: 'close' };
          const answer = await fetch(`${app.url}/rest/v1/notes`, { headers });
          return answer.headers.get('x-request-id') ?? '';
        }),
      );
      await runSql(own, app.ref, `notify ninefold, '{"type":"log-wanted","id":7}'`);
      await expect
        .poll(
          async () => {
            const { calls } = await logs(app.ref, '', own);
            return ids.filter((id) => !calls.some(({ request_id }) => request_id === id));
          },
          { timeout: 60_000 },
        )
        .toEqual([]);
    } finally {
      await own.stop();
    }
  });
});
