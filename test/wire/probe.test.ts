import { beforeAll, describe, expect, inject, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import type { ProbeReport, ProbeState } from '../../contract/probe.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { cli } from '../support/node.ts';
import { dependsOnCode, probeOf } from '../support/probe.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');

const notes = `
  create table public.notes (id int generated always as identity primary key, owner uuid not null default auth.uid() references auth.users, body text);
  create index on public.notes (owner);
  alter table public.notes enable row level security;
  create policy own on public.notes using (owner = (select auth.uid()));`;

/** The report of an app with 200 entities. Its probe mostly pauses, so it runs beside the tests. */
let reportOf200: Promise<ProbeReport>;
beforeAll(async () => {
  const { ref } = await createApp(node);
  const tables = Array.from(
    { length: 200 },
    (_, i) => `
      create table public.t${i} (id int generated always as identity primary key, owner uuid, team int, status text default 'open', parent int ${i > 0 ? `references public.t${i - 1}` : ''});
      insert into public.t${i} (owner) select gen_random_uuid() from generate_series(1, 20);
      alter table public.t${i} enable row level security;
      create policy own on public.t${i} to authenticated using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
      create policy open on public.t${i} for select using (status = 'open');`,
  );
  await runSql(node, ref, tables.join('\n'));
  reportOf200 = probeOf(node, ref);
  // The last test reports an error.
  reportOf200.catch(() => undefined);
});

describe('the probe of an app', () => {
  it('reports the specification’s hash and the result of every cell, and leaves no rows behind', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, notes);
    expect(await admin<ProbeState>(node, 'GET', `/apps/${app.ref}/probe`)).toEqual({ running: null, last: null });
    const member = await signUpMember(app);
    await member.client.from('notes').insert({ body: 'mine' }).throwOnError();
    const report = await probeOf(node, app.ref);
    const { hash, chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    expect(report.hash).toBe(hash);
    expect(report).toMatchObject({ disagree: 0, not_probed: 0, agree: chapters.roles?.cells.length });
    const read = report.cells.find((cell) => cell.role === 'authenticated' && cell.operation === 'select');
    expect(read?.attempts.map(({ row, result, expected }) => [row, result, expected])).toEqual([
      ['own row (id 1)', 'allowed', 'allowed'],
      ['another member’s row (id 1)', 'hidden', 'not allowed'],
      ['another member’s row (id 1)', 'hidden', 'not allowed'],
    ]);
    const { data } = await clientOf(app, app.secret_key).from('notes').select('id, body').throwOnError();
    expect(data).toEqual([{ id: 1, body: 'mine' }]);
    const next = await member.client.from('notes').insert({ body: 'next' }).select('id').single().throwOnError();
    expect(next.data).toEqual({ id: 2 });
  });

  it('is shared by two concurrent requests', async () => {
    const app = await createApp(node);
    await runSql(node, app.ref, notes);
    const path = `/apps/${app.ref}/probe`;
    const asked = await Promise.all([1, 2, 3].map(() => admin<ProbeState>(node, 'POST', path)));
    const began = new Set(asked.flatMap((state) => state.running?.started_at ?? state.last?.started_at ?? []));
    expect(began.size).toBe(1);
    await probeOf(node, app.ref);
  });

  it('makes --check --probe fail with a description if the app behaves differently than its specification', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `${notes} insert into auth.users (id) values ('11111111-1111-4111-8111-111111111111');
      insert into public.notes (owner) values ('11111111-1111-4111-8111-111111111111');`,
    );
    const check = () => cli(node, ['spec', app.ref, '--check', '--probe']);
    const fine = await check();
    expect([fine.code, fine.stderr]).toEqual([0, '']);
    expect(fine.stdout).toMatch(
      /^Ran and rolled back \d+ statements in [\d.]+ s: 12 cells match, 0 differ, 0 could not be probed\.\n$/,
    );
    const [own] = (await runSql(node, app.ref, `select pg_get_functiondef('auth.uid()'::regprocedure)`)).results;
    // The caller now has a user id: the matrix assumes that a call without a session has none.
    await runSql(
      node,
      app.ref,
      `set role supabase_auth_admin; create or replace function auth.uid() returns uuid language sql stable
      as $$ select '11111111-1111-4111-8111-111111111111'::uuid $$`,
    );
    const wrong = await check();
    expect([wrong.code, wrong.stderr]).toEqual([1, '']);
    expect(wrong.stdout).toContain(
      'anon may read public.notes never: this is wrong.\n  without a session, another member’s row (id 1): allowed, claimed: not allowed\n',
    );
    const asJson = await cli(node, ['spec', app.ref, '--check', '--probe', '--json']);
    expect(asJson.code).toBe(1);
    expect((JSON.parse(asJson.stdout) as ProbeReport).disagree).toBeGreaterThan(0);
    await runSql(node, app.ref, `set role supabase_auth_admin; ${own?.rows[0]?.[0]}`);
    expect((await check()).code).toBe(0);
  });

  it.each(['helpdesk', 'booking', 'notes'])(
    'finds no difference between the template %s and its matrix',
    async (template) => {
      const ref = uniqueRef(template);
      const made = await cli(node, ['apps', 'create', ref, '--template', template]);
      expect([made.code, made.stderr]).toEqual([0, '']);
      const { cells } = await probeOf(node, ref);
      expect(cells.filter((cell) => cell.outcome === 'disagrees')).toEqual([]);
      expect(cells.filter((cell) => cell.outcome === 'not probed' && !dependsOnCode(cell))).toEqual([]);
    },
  );

  it('requires a builder or the operator, an existing app and valid options', async () => {
    const app = await createApp(node);
    const response = await fetch(`${node.url}/admin/v1/apps/${app.ref}/probe`, { method: 'POST' });
    expect(response.status).toBe(401);
    const usage = await cli(node, ['spec', app.ref, '--probe']);
    expect(usage.code).toBe(2);
    const missing = await cli(node, ['spec', 'no-such-app', '--check', '--probe']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('app_unknown')]);
  });

  it('tries all cells of 200 entities within its time limit', async () => {
    const report = await reportOf200;
    expect(report.cells).toHaveLength(200 * 4 * 3);
    expect(report).toMatchObject({ disagree: 0, not_probed: 0 });
    const seconds = (Date.parse(report.finished_at) - Date.parse(report.started_at)) / 1000;
    expect(seconds).toBeLessThan(limits.probeSeconds.default);
  });
});
