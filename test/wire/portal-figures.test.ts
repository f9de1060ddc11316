import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalFigure, PortalFigures } from '../../contract/portal.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';

const node = inject('node');

let app: AppConnection;
let ada: Member;
let gus: Member;

const SETUP = `
  create type public.stage as enum ('new', 'open', 'won''t do');
  create table public.topics (id int primary key, name text not null);
  create table public.tasks (id bigint generated always as identity primary key, owner uuid references auth.users (id),
    stage public.stage not null default 'new', topic int references public.topics (id), cost numeric(10,2), urgent boolean,
    payload json, at timestamptz not null default now(), due date, "odd ""name" text, local timestamp);
  create table public.hours (at timestamptz primary key);
  create table public.secrets (id int primary key, stage public.stage);
  insert into public.topics values (1, 'Printers'), (2, 'Ink');
  insert into public.hours select generate_series(date_trunc('hour', now()) - interval '400 days', now(), interval '1 hour');
  insert into public.secrets values (1, 'new');
  revoke all on public.secrets from anon, authenticated;
  grant select on public.hours, public.topics to anon, authenticated;
  grant select on public.tasks to authenticated;
  alter table public.tasks enable row level security;
  create policy own on public.tasks for select to authenticated using (owner = (select auth.uid()) or (select ninefold.has_role('lead')));
  select ninefold.define_role('lead');`;

const PARTS = [
  { kind: 'text', text: 'Welcome' },
  { kind: 'number', title: 'All', entity: 'public.tasks' },
  { kind: 'number', title: 'Mine', entity: 'public.tasks', filter: 'owner=eq.auth.uid()&stage=neq.open' },
  { kind: 'number', title: 'Cost', entity: 'public.tasks', value: 'sum', of: 'cost', over: 'at' },
  { kind: 'number', title: 'Mean', entity: 'public.tasks', value: 'avg', of: 'cost', filter: 'stage=eq.open' },
  { kind: 'number', title: 'Next', entity: 'public.tasks', value: 'min', of: 'due' },
  { kind: 'bars', title: 'Stages', entity: 'public.tasks', by: 'stage' },
  { kind: 'bars', title: 'Topics', entity: 'public.tasks', by: 'topic', value: 'sum', of: 'cost' },
  { kind: 'bars', title: 'Urgent', entity: 'public.tasks', by: 'urgent' },
  { kind: 'bars', title: 'Failing', entity: 'public.tasks', by: 'payload' },
  { kind: 'line', title: 'Hours', entity: 'public.hours', over: 'at' },
  { kind: 'line', title: 'By stage', entity: 'public.tasks', over: 'local', by: 'stage' },
  { kind: 'bars', title: 'Odd', entity: 'public.tasks', by: 'odd "name', filter: 'or=(urgent.is.true,topic.eq.1)' },
  { kind: 'number', title: 'Hidden', entity: 'public.secrets' },
];

beforeAll(async () => {
  app = await createApp(node);
  await runSql(node, app.ref, SETUP);
  [ada, gus] = [await signUpMember(app, 'ada'), await signUpMember(app, 'gus')];
  await runSql(
    node,
    app.ref,
    `insert into public.tasks (owner, stage, topic, cost, urgent, payload, at, due, "odd ""name", local)
       select '${ada.user.id}', (array['new', 'open', 'won''t do'])[1 + n % 3]::public.stage, nullif(n % 3, 0), n * 1.5, n % 2 = 0,
         '{}', now() - n * interval '1 day', date '2030-01-01' + n, 'a' || n % 2, now() - n * interval '1 day'
       from generate_series(0, 11) n;
     insert into public.tasks (owner, cost) values ('${gus.user.id}', 1000);
     select ninefold.define_page('/desk', 'Desk', $p$${JSON.stringify(PARTS)}$p$, roles => '{authenticated}');
     select ninefold.define_page('/team', 'Team', '[{"kind": "number", "title": "All", "entity": "public.tasks"}]', roles => '{lead}');
     select ninefold.define_page('/welcome', 'Welcome', '[{"kind": "bars", "title": "Topics", "entity": "public.topics", "by": "name"},
       {"kind": "number", "title": "Mine", "entity": "public.topics", "filter": "name=eq.auth.uid()"}]', roles => '{anon,authenticated}');`,
  );
});

async function ask(
  member: Member | null,
  query: string,
): Promise<{ status: number; body: PortalFigures & { code?: string } }> {
  const bearer = member && { authorization: `Bearer ${member.session.access_token}` };
  const response = await fetch(`${app.url}/portal/v1/figures?${query}`, {
    headers: { apikey: app.publishable_key, ...bearer },
  });
  return { status: response.status, body: (await response.json()) as PortalFigures };
}

const parts = async (member: Member | null, query: string): Promise<PortalFigure[]> => [
  ...(await ask(member, query)).body.parts,
];
const [at, title] = [
  (index: number) => ({ index }),
  (wanted: string) => PARTS.findIndex((part) => part.title === wanted),
];

it('GET /portal/v1/figures computes the parts of a page from the rows of the caller', async () => {
  const found = await parts(ada, 'route=/desk&days=7&zone=UTC');
  const figure = (wanted: string) => found.find(({ index }) => index === title(wanted));
  expect(found.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(figure('All')).toEqual({ ...at(1), kind: 'number', value: 12 });
  expect(figure('Mine')).toMatchObject({ value: 8 });
  // The last 7 days have n from 0 to 6, the 7 days before have n from 7 to 11.
  expect(figure('Cost')).toMatchObject({ value: 31.5, before: 67.5 });
  expect(Number((figure('Mean') as { value: unknown }).value)).toBe(8.25);
  expect(figure('Next')).toMatchObject({ value: '2030-01-01' });
  const four = { value: 4 };
  expect(figure('Stages')).toEqual({
    ...{ index: 6, kind: 'bars', total: 12, further: 0 },
    bars: [
      { by: 'new', ...four },
      { by: 'open', ...four },
      { by: "won't do", ...four },
    ],
  });
  expect(figure('Topics')).toMatchObject({
    total: 99,
    bars: [
      { by: 2, value: 39 },
      { by: 1, value: 33 },
      { by: null, value: 27 },
    ],
  });
  expect(figure('Urgent')).toMatchObject({
    bars: [
      { by: false, value: 6 },
      { by: true, value: 6 },
    ],
  });
  expect(figure('Odd')).toMatchObject({
    bars: [
      { by: 'a0', value: 6 },
      { by: 'a1', value: 2 },
    ],
  });
  // A part that PostgreSQL refuses does not affect the others.
  expect(figure('Failing')).toMatchObject({ kind: 'failed', code: '42883', message: expect.stringMatching(/json/) });
  const line = figure('By stage');
  expect(line).toMatchObject({
    kind: 'line',
    further: 0,
    at: expect.arrayContaining([new Date().toISOString().slice(0, 10)]),
  });
  const sums =
    line?.kind === 'line' ? line.lines.map(({ by, values }) => [by, values.map(Number).reduce((a, b) => a + b)]) : [];
  expect(sums.sort()).toEqual([
    ['new', 3],
    ['open', 2],
    ["won't do", 2],
  ]);
  // The policies of another member leave one row. A day without rows is 0, a sum without rows is null.
  expect((await parts(gus, 'route=/desk&days=30')).slice(0, 5)).toMatchObject([
    { value: 1 },
    { value: 1 },
    { value: 1000, before: null },
    { value: null },
    { value: null },
  ]);
});

it('GET /portal/v1/figures counts days and weeks in the time zone of the request', async () => {
  const weeks = async (zone: string) => {
    const figure = (await parts(ada, `route=/desk&days=365&zone=${zone}`)).find(
      ({ index }) => index === title('Hours'),
    );
    return figure?.kind === 'line' ? (figure.lines[0]?.values ?? []) : [];
  };
  const usual = 7 * 24;
  const berlin = await weeks('Europe/Berlin');
  // The last week is the present one. A year has one change to summer time and one back.
  expect(berlin.length).toBe(53);
  expect(
    berlin
      .slice(0, -1)
      .filter((count) => count !== usual)
      .sort(),
  ).toEqual([usual - 1, usual + 1]);
  expect((await weeks('Asia/Kolkata')).slice(0, -1).filter((count) => count !== usual)).toEqual([]);
  const days = async (zone: string) => (await ask(ada, `route=/desk&days=7&zone=${zone}`)).body;
  const today = (zone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date());
  for (const zone of ['Pacific/Kiritimati', 'America/Los_Angeles', 'UTC'])
    expect((await days(zone)).to).toBe(today(zone));
});

it('GET /portal/v1/figures refuses pages of others, other periods and unknown zones', async () => {
  const status = async (member: Member | null, query: string) => {
    const { status: code, body } = await ask(member, query);
    return [code, body.code];
  };
  expect(await status(ada, 'route=/team&days=7')).toEqual([404, 'not_found']);
  expect(await status(null, 'route=/desk&days=7')).toEqual([404, 'not_found']);
  await runSql(node, app.ref, `select ninefold.grant_role('${gus.user.id}', 'lead')`);
  expect(await parts(gus, 'route=/team&days=7')).toEqual([{ index: 0, kind: 'number', value: 13 }]);
  for (const query of [
    '',
    '&days=8',
    '&days=7&zone=Mars/Phobos',
    '&days=7&zone=UTC%00',
    `&days=7&zone=${'a'.repeat(500)}`,
  ])
    expect(await status(ada, `route=/desk${query}`)).toEqual([400, 'validation_invalid']);
  // A visitor has no rows of their own, so the part about them is left out.
  const visitor = await parts(null, 'route=/welcome&days=7');
  expect(visitor).toMatchObject([{ index: 0, total: 2, bars: [{ by: 'Ink' }, { by: 'Printers' }] }]);
  const without = await fetch(`${app.url}/portal/v1/figures?route=/welcome&days=7`);
  expect(without.status).toBe(401);
  const posted = await fetch(`${app.url}/portal/v1/figures`, {
    method: 'POST',
    headers: { apikey: app.publishable_key },
  });
  expect(posted.status).toBe(405);
});

it('GET /portal/v1/figures computes the parts of a draft for a builder, with the rights of the caller whom the builder acts as', async () => {
  const number = {
    kind: 'number',
    index: 0,
    title: 'All',
    entity: 'public.tasks',
    filter: null,
    value: 'count',
    of: null,
    over: null,
  };
  const tasks = { name: 'tasks', schema: null };
  const askDraft = async (as: string, parts: unknown) => {
    const query = new URLSearchParams({ route: '/nowhere', days: '7', parts: JSON.stringify(parts) });
    const response = await fetch(`${node.url}/admin/v1/apps/${app.ref}/portal/v1/figures?${query}`, {
      headers: { authorization: `Bearer ${node.operatorToken}`, 'x-ninefold-as': as },
    });
    return { status: response.status, body: (await response.json()) as PortalFigures & { code?: string } };
  };
  const drafts = [
    { part: number, entity: tasks },
    { part: { ...number, index: 1, kind: 'bars', by: 'stage' }, entity: tasks },
    { part: { ...number, index: 2 }, entity: { name: 'secrets', schema: null } },
    { part: { ...number, index: 3, of: 'cost") from auth.users --', value: 'max' }, entity: tasks },
  ];
  const { body } = await askDraft(ada.user.id, drafts);
  expect(body.parts).toMatchObject([
    { index: 0, value: 12 },
    { index: 1, total: 12, bars: [{ value: 4 }, { value: 4 }, { value: 4 }] },
    { index: 2, kind: 'failed', code: '42501' },
    { index: 3, kind: 'failed', code: '42703' },
  ]);
  for (const parts of [
    {},
    [{ part: { ...number, value: 'count(*) --' }, entity: tasks }],
    [{ part: number, entity: { ...tasks, name: '\ud800' } }],
    Array.from({ length: 21 }, () => drafts[0]),
  ]) {
    const refused = await askDraft(ada.user.id, parts);
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_invalid']);
  }
  // Members get only the parts of pages that are defined.
  const member = await ask(ada, `route=/nowhere&days=7&parts=${encodeURIComponent(JSON.stringify(drafts))}`);
  expect([member.status, member.body.code]).toEqual([404, 'not_found']);
});

it('GET /portal/v1/figures needs no aggregates in data calls, and runs the function db_pre_request', async () => {
  const refused = await ada.client.from('tasks').select('cost.sum()');
  expect(refused.error?.code).toBe('PGRST123');
  await runSql(
    node,
    app.ref,
    `create function public.checked() returns void language plpgsql as $$ begin
       if current_setting('request.headers')::json ->> 'x-blocked' is not null then
         raise sqlstate 'PT403' using message = 'blocked'; end if; end $$`,
  );
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_pre_request`, { value: 'public.checked' });
  const headers = { apikey: app.publishable_key, 'x-blocked': 'yes' };
  const answer = await fetch(`${app.url}/portal/v1/figures?route=/welcome&days=7`, { headers });
  expect(((await answer.json()) as PortalFigures).parts).toMatchObject([{ kind: 'failed', message: 'blocked' }]);
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_pre_request`, { value: null });
});
