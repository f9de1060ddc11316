import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalFigures } from '../../contract/portal.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';

/** An app whose owner defines hostile pages, and callers who ask for more than a page defines. */
const node = inject('node');

let app: AppConnection;
let ada: Member;
beforeAll(async () => {
  app = await createApp(node);
  ada = await signUpMember(app);
});

/** A value that is too long to be sent completely. */
const LONG = `${'long'.repeat(25)}…`;

const NAME = `x") from pg_shadow; drop table public."kept'; --`;

const headersOf = (more: Record<string, string> = {}) => ({
  apikey: app.publishable_key,
  authorization: `Bearer ${ada.session.access_token}`,
  ...more,
});
const ask = (query: string, headers = headersOf()) => fetch(`${app.url}/portal/v1/figures?${query}`, { headers });
const figures = async (query: string, headers = headersOf()) =>
  (await (await ask(query, headers)).json()) as PortalFigures;
const define = (route: string, parts: readonly object[]) =>
  `select ninefold.define_page('${route}', '<img src=x onerror=alert(1)>', $page$${JSON.stringify(parts)}$page$);`;

describe('figures of a page', () => {
  it('end in time if functions of the owner sleep or change the timeout, and the other figures stay', async () => {
    const slow = { kind: 'bars', title: 'Slow', entity: 'public.slow', by: 'slept' };
    await runSql(
      node,
      app.ref,
      `create table public.fast (id int primary key); insert into public.fast values (1), (2);
       create function public.sleep() returns text language plpgsql volatile as $$ begin
         perform set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true);
         perform pg_sleep(60); return 'slept'; end $$;
       create view public.slow as select id, public.sleep() as slept from public.fast;
       grant select on public.fast, public.slow to authenticated;
       ${define('/slow', [slow, { kind: 'number', title: 'Fast', entity: 'public.fast' }])}
       ${define(
         '/slower',
         Array.from({ length: 12 }, () => slow),
       )}`,
    );
    const started = performance.now();
    expect((await figures('route=/slow&days=7')).parts).toMatchObject([
      { kind: 'failed', code: '57014' },
      { kind: 'number', value: 2 },
    ]);
    const all = await figures('route=/slower&days=7');
    expect(all.parts.map((part) => part.kind === 'failed' && part.code)).toEqual(Array(12).fill('57014'));
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('end in time if the function db_pre_request sleeps', async () => {
    const hook = `/apps/${app.ref}/settings/db_pre_request`;
    await runSql(
      node,
      app.ref,
      `grant execute on function public.sleep() to authenticated;
       ${define('/hooked', [{ kind: 'number', title: 'Fast', entity: 'public.fast' }])}`,
    );
    await admin(node, 'PUT', hook, { value: 'public.sleep' });
    try {
      const started = performance.now();
      expect((await figures('route=/hooked&days=7')).parts).toMatchObject([{ kind: 'failed', code: '57014' }]);
      expect(performance.now() - started).toBeLessThan(15_000);
    } finally {
      await admin(node, 'PUT', hook, { value: null });
    }
  });

  it('take names and values from the definition literally, and send no long value', async () => {
    await runSql(
      node,
      app.ref,
      `create table public."kept'" (id int primary key, "${NAME.replaceAll('"', '""')}" text, at timestamptz default now());
       insert into public."kept'" values (1, 'a'), (2, 'a'), (3, repeat('long', 1000000));
       grant select on public."kept'" to authenticated;
       ${define('/odd', [
         { kind: 'bars', title: 'Names', entity: `public."kept'"`, by: NAME },
         { kind: 'line', title: 'Lines', entity: `public."kept'"`, by: NAME, over: 'at' },
         { kind: 'number', title: 'Greatest', entity: `public."kept'"`, value: 'max', of: NAME },
         { kind: 'number', title: 'Filtered', entity: `public."kept'"`, filter: 'id=eq.1) or (true' },
         { kind: 'number', title: 'Limited', entity: `public."kept'"`, filter: 'limit=1&offset=1&select=id&order=id' },
       ])}`,
    );
    const response = await ask('route=/odd&days=30');
    const text = await response.text();
    expect(text.length).toBeLessThan(5000);
    const { parts } = JSON.parse(text) as PortalFigures;
    expect(parts).toMatchObject([
      {
        kind: 'bars',
        bars: [
          { by: 'a', value: 2 },
          { by: LONG, value: 1 },
        ],
        total: 3,
      },
      { kind: 'line', lines: [{ by: 'a' }, { by: LONG }] },
      { kind: 'number', value: LONG },
      { kind: 'failed', code: '22P02' },
    ]);
    // No caller may read the fields limit and select, so the part that filters by them is left out.
    expect(parts.length).toBe(4);
  });

  it('depend on nothing of the request but route, period, time zone and caller', async () => {
    const usual = await figures('route=/odd&days=7&zone=UTC');
    const extra = 'filter=id%3Deq.1&select=*&parts=%5B%5D&entity=auth.users&limit=1&role=service_role&index=0';
    const headers = headersOf({
      'accept-profile': 'auth',
      prefer: 'count=exact, tx=commit, handling=strict, nonsense',
      range: '0-0',
      accept: 'text/csv',
      'x-ninefold-as': 'service_role',
    });
    expect(await figures(`route=/odd&days=7&zone=UTC&${extra}`, headers)).toEqual(usual);
    for (const days of ['36500', '-7', '1e1', '7.0', '', '7 ', '٧']) {
      expect((await ask(`route=/odd&days=${encodeURIComponent(days)}`)).status).toBe(400);
    }
    for (const zone of ["UTC'; drop table x", '../etc/passwd', 'UTC/../UTC', '3', 'interval', '-03:00', 'posix/']) {
      expect([zone, (await ask(`route=/odd&days=7&zone=${encodeURIComponent(zone)}`)).status]).toEqual([zone, 400]);
    }
    for (const route of ['/odd/', '/ODD', '/%6fdd', '/', '', '/odd%00', 'odd']) {
      expect([route, (await ask(`route=${encodeURIComponent(route)}&days=7`)).status]).toEqual([route, 404]);
    }
    const other = await createApp(node);
    const foreign = await ask('route=/odd&days=7', headersOf({ apikey: other.publishable_key }));
    expect(foreign.status).toBe(401);
    expect((await ask('route=/odd&days=7', { ...headersOf(), authorization: '' })).status).toBe(404);
  });
});
