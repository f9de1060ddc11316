import { beforeAll, expect, inject, it, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalAdditions, PortalScreens, PortalSharedViews } from '../../contract/portal.ts';
import { createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';

const node = inject('node');

let app: AppConnection;
let ada: Member;
let gus: Member;

beforeAll(async () => {
  app = await createApp(node, { template: 'helpdesk' });
  [ada, gus] = [await signUpMember(app, 'ada'), await signUpMember(app, 'gus')];
  await runSql(node, app.ref, `insert into public.agents (id, name) values ('${gus.user.id}', 'Gus')`);
});

function ask(member: Member | null, headers: Record<string, string> = {}): Promise<Response> {
  const bearer = member && { authorization: `Bearer ${member.session.access_token}` };
  return fetch(`${app.url}/portal/v1/screens`, { headers: { apikey: app.publishable_key, ...bearer, ...headers } });
}

const screensOf = async (member: Member | null): Promise<PortalScreens> =>
  (await (await ask(member)).json()) as PortalScreens;
const routes = ({ screens }: PortalScreens) => screens.map(({ route }) => route);

it('GET /portal/v1/screens shows each caller the screens of the caller’s roles, with the rows that supabase-js returns', async () => {
  const [customer, agent] = [await screensOf(ada), await screensOf(gus)];
  const formOf = ({ screens }: PortalScreens) =>
    screens.find(({ kind, entity }) => kind === 'form' && entity === 'public.comments')?.columns;
  // The policy refuses internal comments of customers, so the form does not offer the field to customers.
  expect([formOf(customer), formOf(agent)]).toEqual([
    ['ticket', 'body', 'attachments'],
    ['ticket', 'body', 'attachments', 'internal'],
  ]);
  // The agent sees all tickets, so their list is not named as the caller's own.
  const unfiltered = ({ screens }: PortalScreens) =>
    screens
      .filter(({ kind, entity, filter }) => kind === 'list' && entity === 'public.tickets' && filter === null)
      .map(({ route, title }) => [route, title]);
  expect([unfiltered(customer), unfiltered(agent)]).toEqual([[], [['/tickets', 'Tickets']]]);
  for (const route of ['/queue', '/unassigned', '/tickets/board']) {
    expect(route === '/tickets/board' || !routes(customer).includes(route)).toBe(true);
    expect(routes(agent)).toContain(route);
  }
  expect(JSON.stringify(customer)).not.toMatch(/"take"|"ask"|"solve"/);
  expect((await screensOf(null)).screens).toEqual([]);
  await ada.client.from('tickets').insert({ subject: 'The printer', description: 'It blinks.' }).throwOnError();
  for (const member of [ada, gus]) {
    const { screens, entities } = await screensOf(member);
    for (const screen of screens.filter(({ kind }) => kind === 'list')) {
      const name = entities.find(({ id }) => id === screen.entity)?.name ?? '';
      // Every column that is shown can be read.
      const { error } = await member.client.from(name).select(screen.columns.join(','));
      expect([screen.route, error]).toEqual([screen.route, null]);
    }
  }
});

it.each(['helpdesk', 'booking', 'notes'])(
  'GET /portal/v1/screens shows in the app %s only what the caller may read and call, whatever the roles',
  async (template) => {
    const of = await createApp(node, { template });
    const [plain, holder] = [await signUpMember(of), await signUpMember(of)];
    await runSql(node, of.ref, `select ninefold.grant_role('${holder.user.id}', name) from ninefold.roles`);
    let actions = 0;
    for (const member of [null, plain, holder]) {
      const headers = {
        apikey: of.publishable_key,
        'content-type': 'application/json',
        ...(member && { authorization: `Bearer ${member.session.access_token}` }),
      };
      const { screens, entities } = (await (
        await fetch(`${of.url}/portal/v1/screens`, { headers })
      ).json()) as PortalScreens;
      for (const screen of screens) {
        const entity = entities.find(({ id }) => id === screen.entity);
        const readable = entity?.fields.filter((field) => field.readable).map(({ name }) => name) ?? [];
        const params = new URLSearchParams(screen.filter ?? '');
        params.set('select', [...readable, ...(screen.kind === 'form' ? [] : screen.columns)].join(','));
        const searched =
          entity?.fields.filter(({ searchable }) => searchable).map(({ name }) => `${name}.ilike."*x*"`) ?? [];
        if (searched.length > 0) params.append('or', `(${searched.join(',')})`);
        params.set('order', [screen.group, screen.order].filter(Boolean).join(',') || (readable[0] ?? ''));
        const read =
          readable.length > 0 ? await fetch(`${of.url}/rest/v1/${entity?.name}?${params}`, { headers }) : null;
        expect([screen.route, read?.status ?? 200]).toEqual([screen.route, 200]);
        for (const { name, fields, row } of screen.actions) {
          const names = [...fields.map((field) => field.name), ...(row ? [row.argument] : [])];
          const body = JSON.stringify(Object.fromEntries(names.map((argument) => [argument, null])));
          const called = await fetch(`${of.url}/rest/v1/rpc/${name}`, { method: 'POST', headers, body });
          // The function may refuse empty arguments, but the call is neither unknown nor forbidden.
          expect([name, [401, 403, 404].includes(called.status)]).toEqual([name, false]);
          actions += 1;
        }
      }
    }
    expect(actions).toBeGreaterThan(0);
  },
);

it('GET /portal/v1/screens replaces auth.uid() in the filter of a screen by the id of the caller, and leaves the screen out for visitors', async () => {
  const own = async (member: Member) =>
    (await screensOf(member)).screens.find(({ route }) => route === '/my-tickets')?.filter;
  expect(await own(ada)).toBe(`or=(customer.eq.${ada.user.id},assignee.eq.${ada.user.id})`);
  expect((await ask(ada)).headers.get('etag')).not.toBe(
    (await ask(await signUpMember(app, 'eve'))).headers.get('etag'),
  );
  await ada.client.from('tickets').insert({ subject: 'The scanner', description: 'It hums.' }).throwOnError();
  const read = async (member: Member) => {
    const { data } = await member.client.from('tickets').select('subject').or(`customer.eq.${member.user.id}`);
    return data?.map(({ subject }) => subject);
  };
  expect(await read(ada)).toContain('The scanner');
  // The agent may read the ticket, but did not ask for it.
  expect(await read(gus)).toEqual([]);
  await runSql(
    node,
    app.ref,
    `grant select on public.topics to anon; create policy anyone on public.topics for select to anon using (true);
     select ninefold.define_screen('/all-topics', 'All', 'list', 'public.topics', columns => array['name'], roles => array['anon']);
     select ninefold.define_screen('/own-topics', 'Own', 'list', 'public.topics', columns => array['name'],
       filter => 'name=eq.auth.uid()', roles => array['anon']);
     select ninefold.define_screen('/odd-topics', 'Odd', 'list', 'public.topics', columns => array['name'],
       filter => 'id=eq.auth.uid()', roles => array['authenticated']);`,
  );
  await vi.waitFor(async () => expect(routes(await screensOf(null))).toContain('/all-topics'), { timeout: 5000 });
  expect(routes(await screensOf(null))).not.toContain('/own-topics');
  // A number cannot be the id of a caller, so the screen is broken.
  expect(routes(await screensOf(ada))).not.toContain('/odd-topics');
  await runSql(
    node,
    app.ref,
    `select ninefold.drop_screen(route) from unnest(array['/all-topics', '/own-topics', '/odd-topics', '/my-tickets']) route;
     drop policy anyone on public.topics; revoke select on public.topics from anon`,
  );
  await vi.waitFor(async () => expect(routes(await screensOf(null))).toEqual([]), { timeout: 5000 });
});

it('GET /portal/v1/screens sends an entity tag, which is different only for callers with different roles', async () => {
  const first = await ask(ada);
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  expect(first.headers.get('vary')).toContain('Authorization');
  expect((await ask(ada, { 'if-none-match': `W/${etag}` })).status).toBe(304);
  expect((await ask(gus, { 'if-none-match': etag })).status).toBe(200);
  const other = await signUpMember(app, 'bob');
  expect((await ask(other)).headers.get('etag')).toBe(etag);
  await runSql(node, app.ref, `select ninefold.grant_role('${other.user.id}', 'agent')`);
  // A page of the team counts the rows of the caller, so its filter has the id of the caller.
  const tagOf = async (member: Member) => (await ask(member)).headers.get('etag')?.replace(member.user.id, '');
  expect(await tagOf(other)).toBe(await tagOf(gus));
  await runSql(node, app.ref, `select ninefold.revoke_role('${other.user.id}', 'agent')`);
  expect((await ask(other, { 'if-none-match': etag })).status).toBe(304);
  // A change of objects without a privilege of the caller does not change the tag. The screen of the team follows it.
  await runSql(
    node,
    app.ref,
    `create table public.payroll (id int primary key, wage numeric check (wage > 0)); revoke all on public.payroll from anon, authenticated;
     comment on table public.payroll is 'Wages'; select ninefold.define_role('auditor', 'Reads wages.');
     select ninefold.label('en', 'Wages', entity => 'public.payroll');
     select ninefold.define_screen('/watched', 'Watched', 'list', 'public.tickets', columns => array['subject'], roles => array['agent'])`,
  );
  await vi.waitFor(async () => expect(routes(await screensOf(gus))).toContain('/watched'), { timeout: 5000 });
  expect((await ask(ada, { 'if-none-match': etag })).status).toBe(304);
});

it('GET /portal/v1/screens returns a changed screen after the app has changed, and HTML in a label as plain text', async () => {
  const hostile = '</script><img src=x onerror=alert(1)>';
  await ask(ada);
  await runSql(
    node,
    app.ref,
    `select ninefold.define_screen('/extra', $label$${hostile}$label$, 'list', 'public.topics', columns => array['name']);
     comment on column public.topics.name is $label$${hostile}$label$;`,
  );
  await vi.waitFor(async () => expect(routes(await screensOf(ada))).toContain('/extra'), {
    interval: 20,
    timeout: 5000,
  });
  const { screens, entities } = await screensOf(ada);
  expect(screens.find(({ route }) => route === '/extra')?.title).toBe(hostile);
  expect(entities.find(({ name }) => name === 'topics')?.fields.find(({ name }) => name === 'name')?.help).toContain(
    '<img',
  );
  expect((await ask(ada)).headers.get('content-type')).toBe('application/json; charset=utf-8');
  await runSql(node, app.ref, 'revoke select on public.topics from authenticated');
  await vi.waitFor(async () => expect(JSON.stringify(await screensOf(ada))).not.toContain('topics'), { timeout: 5000 });
});

it('the app saves views for each member up to the limit, and does not show them to other members', async () => {
  const views = (member: Member | null, method = 'GET', query = '', body?: unknown) =>
    fetch(`${app.url}/portal/v1/views${query}`, {
      method,
      headers: {
        apikey: app.publishable_key,
        'content-type': 'application/json',
        ...(member && { authorization: `Bearer ${member.session.access_token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const view = { route: '/queue', name: 'Mine', search: 'q=printer&f.status=eq.open' };
  expect(await (await views(gus, 'PUT', '', view)).json()).toEqual([view]);
  const changed = { ...view, search: 'q=ink' };
  expect(await (await views(gus, 'PUT', '', changed)).json()).toEqual([changed]);
  expect([await (await views(gus)).json(), await (await views(ada)).json()]).toEqual([[changed], []]);
  expect(await (await views(null)).json()).toEqual([]);
  for (const wrong of [
    {},
    { ...view, name: ' ' },
    { ...view, user_id: ada.user.id },
    { ...view, name: 'a\u0000' },
    'x',
  ]) {
    expect((await views(gus, 'PUT', '', wrong)).status).toBe(400);
  }
  expect((await views(null, 'PUT', '', view)).status).toBe(400);
  expect((await views(gus, 'POST', '', view)).status).toBe(405);
  const numbered = (n: number) => views(ada, 'PUT', '', { ...view, name: `View ${n}` });
  const saved = await Promise.all(Array.from({ length: 95 }, (_, n) => numbered(n)));
  expect(saved.every(({ status }) => status === 200)).toBe(true);
  // Of requests at the same time, only as many succeed as the limit allows.
  const last = await Promise.all(Array.from({ length: 16 }, (_, n) => numbered(95 + n)));
  expect(last.filter(({ status }) => status === 200)).toHaveLength(5);
  expect([(await numbered(200)).status, (await numbered(94)).status]).toEqual([400, 200]);
  expect((await views(ada, 'DELETE', '?route=%00&name=%00')).status).toBe(400);
  await views(ada, 'DELETE', '?route=%2Fqueue&name=Mine');
  expect(await (await views(gus)).json()).toEqual([changed]);
  expect(await (await views(gus, 'DELETE', '?route=%2Fqueue&name=Mine')).json()).toEqual([]);
});

it('GET /portal/v1/screens returns the accent and the logo of the app to a visitor, and set_look refuses invalid values', async () => {
  const logo = `data:image/png;base64,${Buffer.from('x').toString('base64')}`;
  const look = async () => (await (await fetch(`${app.url}/portal/v1/app`)).json()) as { accent: string; logo: string };
  expect(await look()).toMatchObject({ accent: null, logo: null });
  await runSql(node, app.ref, `select ninefold.set_look('#1F6FEB', '${logo}')`);
  expect(await look()).toMatchObject({ accent: '#1f6feb', logo });
  for (const wrong of [`'red'`, `null, 'https://evil.example/x.png'`, `null, 'data:text/html;base64,eA=='`]) {
    await expect(runSql(node, app.ref, `select ninefold.set_look(${wrong})`)).rejects.toThrow('violates check');
  }
  await runSql(node, app.ref, 'select ninefold.set_look()');
  expect(await look()).toMatchObject({ accent: null, logo: null });
});

it('members share views only of their lists and with their roles, up to the limit, and remove only their own', async () => {
  const of = await createApp(node, { template: 'helpdesk' });
  const [customer, agent, lead] = [await signUpMember(of), await signUpMember(of), await signUpMember(of)];
  await runSql(
    node,
    of.ref,
    `insert into public.agents (id, name, lead) values ('${agent.user.id}', 'A', false), ('${lead.user.id}', 'L', true)`,
  );
  const call = (member: Member | string | null, method = 'GET', query = '', body?: unknown) =>
    fetch(`${of.url}/portal/v1/shared-views${query}`, {
      method,
      headers: {
        apikey: typeof member === 'string' ? member : of.publishable_key,
        'content-type': 'application/json',
        ...(member && typeof member === 'object' && { authorization: `Bearer ${member.session.access_token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const seen = async (member: Member | string | null) => (await (await call(member)).json()) as PortalSharedViews;
  const names = async (member: Member | string | null) => (await seen(member)).views.map(({ name }) => name);
  const view = { route: '/queue', name: 'Waiting', search: 'f.status=eq.waiting', role: null };

  // The policies of the lead’s list are not those of the agent’s, and a customer has no role.
  expect((await seen(agent)).roles).toEqual([{ name: 'agent', label: 'Agent' }]);
  expect((await seen(lead)).roles?.map(({ name }) => name)).toEqual(['agent', 'lead']);
  expect(await seen(customer)).toEqual({ views: [], roles: null });
  expect(await seen(null)).toEqual({ views: [], roles: null });
  expect((await call(agent, 'PUT', '', view)).status).toBe(200);
  expect(await (await call(lead, 'PUT', '', { ...view, name: 'Leads', role: 'lead' })).json()).toMatchObject({
    views: [
      { name: 'Leads', role: 'Lead', is_own: true },
      { name: 'Waiting', role: null, is_own: false },
    ],
  });
  expect([await names(agent), await names(lead), await names(customer), await names(null)]).toEqual([
    ['Waiting'],
    ['Leads', 'Waiting'],
    [],
    [],
  ]);
  // The customer has a list of own tickets, but not the queue.
  await call(lead, 'PUT', '', { ...view, route: '/tickets', name: 'All' });
  const mine = routes(
    (await (
      await fetch(`${of.url}/portal/v1/screens`, {
        headers: { apikey: of.publishable_key, authorization: `Bearer ${customer.session.access_token}` },
      })
    ).json()) as PortalScreens,
  );
  expect(await names(customer)).toEqual(mine.includes('/tickets') ? ['All'] : []);

  for (const [member, wrong] of [
    [customer, view],
    [null, view],
    [agent, { ...view, role: 'lead' }],
    [agent, { ...view, role: 'nobody' }],
    [agent, { ...view, route: '/secret' }],
    [agent, { ...view, route: '/tickets/:id' }],
    [agent, { ...view, name: 'a\u0000' }],
    [agent, { ...view, user_id: lead.user.id }],
    [of.secret_key, view],
  ] as const) {
    const { status } = await call(member, 'PUT', '', wrong);
    expect([JSON.stringify(wrong), status]).toEqual([JSON.stringify(wrong), 400]);
  }
  const shared = (await seen(agent)).views.find(({ name }) => name === 'Waiting');
  expect((await call(lead, 'DELETE', `?id=${shared?.id}`)).status).toBe(200);
  expect((await call(null, 'DELETE', `?id=${shared?.id}`)).status).toBe(200);
  expect(await names(agent)).toContain('Waiting');
  expect((await call(agent, 'DELETE', '?id=x')).status).toBe(400);
  expect((await call(agent, 'POST', '', view)).status).toBe(405);
  const made = await Promise.all(
    Array.from({ length: 24 }, (_, n) => call(agent, 'PUT', '', { ...view, name: `View ${n}` })),
  );
  expect(made.filter(({ status }) => status === 200)).toHaveLength(19);
  expect(await (await call(agent, 'PUT', '', { ...view, name: 'One more' })).json()).toMatchObject({
    code: 'validation_invalid',
  });
  expect((await call(agent, 'PUT', '', { ...view, search: 'q=changed' })).status).toBe(200);
  expect((await call(of.secret_key, 'DELETE', `?id=${shared?.id}`)).status).toBe(200);
  expect(await names(lead)).not.toContain('Waiting');
  expect(await names(of.secret_key)).toContain('Leads');
  // A role that ends takes its views along, and an account its own.
  await runSql(node, of.ref, `select ninefold.drop_role('lead')`);
  expect(await names(of.secret_key)).not.toContain('Leads');
  await runSql(node, of.ref, `delete from ninefold.shared_views where name like 'View%'`);
  expect(await names(of.secret_key)).toEqual(['All']);
});

it('GET /portal/v1/screens refuses callers without a key or with an ended session, tokens of another app and other methods', async () => {
  const bare = await fetch(`${app.url}/portal/v1/screens`);
  expect([bare.status, ((await bare.json()) as { code: string }).code]).toEqual([401, 'key_missing']);
  const other = await createApp(node);
  const stranger = await signUpMember(other);
  expect((await ask(stranger)).status).toBe(401);
  const authorization = `Bearer ${stranger.session.access_token}`;
  for (const [method, query] of [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', '?route=%2Fqueue&name=Mine'],
  ] as const) {
    const refused = await fetch(`${app.url}/portal/v1/views${query}`, {
      method,
      headers: { apikey: app.publishable_key, authorization, 'content-type': 'application/json' },
      ...(method === 'PUT' && { body: JSON.stringify({ route: '/queue', name: 'Mine', search: '' }) }),
    });
    expect([method, refused.status, refused.headers.get('cache-control')]).toEqual([method, 401, 'no-store']);
  }
  const post = await fetch(`${app.url}/portal/v1/screens`, {
    method: 'POST',
    headers: { apikey: app.publishable_key },
  });
  expect(post.status).toBe(405);
  const ended = await signUpMember(app);
  await ended.client.auth.signOut();
  await vi.waitFor(async () => expect((await ask(ended)).status).toBeGreaterThanOrEqual(401), { timeout: 5000 });
});

it('GET /portal/v1/rights says whether the policies let the caller change and delete one row, and nothing about other rows', async () => {
  const of = await createApp(node);
  const [owner, reader] = [await signUpMember(of), await signUpMember(of)];
  await runSql(
    node,
    of.ref,
    `create table public.plants (id bigint primary key, owner uuid, name text, secret text);
     insert into public.plants values (1, '${owner.user.id}', 'Fern', 'x'), (2, null, 'Moss', 'x');
     alter table public.plants enable row level security;
     create policy seen on public.plants for select to authenticated using (id < 10);
     create policy own on public.plants for update to authenticated using (owner = (select auth.uid()));
     create policy gone on public.plants for delete to authenticated using (owner = (select auth.uid()) and name <> 'Fern');
     create policy calm on public.plants as restrictive for update to authenticated using (name is not null);`,
  );
  const rights = async (member: Member | null, query: string) => {
    const bearer = member && { authorization: `Bearer ${member.session.access_token}` };
    const headers = { apikey: of.publishable_key, ...bearer };
    const response = await fetch(`${of.url}/portal/v1/rights?${query}`, { headers });
    return response.ok ? await response.json() : response.status;
  };
  const plant = (id: unknown) => `entity=plants&key=${encodeURIComponent(JSON.stringify({ id }))}`;
  expect(await rights(owner, plant(1))).toEqual({ update: true, delete: false });
  expect(await rights(reader, plant(1))).toEqual({ update: false, delete: false });
  expect(await rights(owner, plant('2'))).toEqual({ update: false, delete: false });
  const unknown = { update: null, delete: null };
  expect(await rights(owner, plant(3))).toEqual(unknown);
  expect(await rights(null, plant(1))).toEqual(unknown);
  expect(await rights(owner, plant('1; drop table plants'))).toEqual(unknown);
  expect(await rights(owner, 'entity=nothing&key={"id":1}')).toEqual(unknown);
  for (const wrong of [
    '',
    'entity=plants',
    'entity=plants&key=[1]',
    'entity=users&schema=auth&key={"id":1}',
    'entity=plants&key={"id":{}}',
  ]) {
    expect([wrong, await rights(owner, wrong)]).toEqual([wrong, 400]);
  }
  // Without a policy that limits the rows, the privileges alone decide.
  await runSql(node, of.ref, 'alter table public.plants disable row level security');
  expect(await rights(reader, plant(1))).toEqual({ update: true, delete: true });
});

it('GET /portal/v1/additions names the entities to which the policies let the caller add no row, and evaluates as the caller', async () => {
  const shop = await createApp(node);
  const [clerk, guest] = [await signUpMember(shop, 'clerk'), await signUpMember(shop, 'guest')];
  const grant = 'grant all on all tables in schema public to authenticated';
  await runSql(
    node,
    shop.ref,
    `create table public.staff (id uuid primary key);
     insert into public.staff values ('${clerk.user.id}');
     create function public.is_staff() returns boolean language sql stable security definer set search_path = ''
       as 'select exists (select from public.staff s where s.id = auth.uid())';
     create function public.write() returns boolean language plpgsql as $$ begin insert into public.notes values ('x'); return true; end $$;
     create table public.notes (note text);
     create table public.by_function (id int); create policy p on public.by_function for all to authenticated using (public.is_staff());
     create table public.by_subquery (id int); create policy p on public.by_subquery for insert to authenticated
       with check (exists (select from public.staff s where s.id = (select auth.uid())));
     create table public.by_row (id int, owner uuid); create policy p on public.by_row for insert to authenticated
       with check (public.is_staff() or owner = auth.uid());
     create table public.correlated (id int, owner uuid); create policy p on public.correlated for insert to authenticated
       with check (exists (select from public.staff s where s.id = correlated.owner));
     create table public.restricted (id int); create policy p on public.restricted for insert to authenticated with check (true);
     create policy r on public.restricted as restrictive for insert to authenticated with check (public.is_staff());
     create table public.of_others (id int); create policy p on public.of_others for insert to anon with check (true);
     create table public.unchecked (id int); create policy p on public.unchecked for insert to authenticated;
     create table public.open (id int);
     ${['by_function', 'by_subquery', 'by_row', 'correlated', 'restricted', 'of_others', 'unchecked'].map((name) => `alter table public.${name} enable row level security;`).join('\n')}
     create policy readable on public.staff for select to authenticated using (id = auth.uid());
     alter table public.staff enable row level security; ${grant}`,
  );
  const closed = async (member: Member | null, init: RequestInit = {}) => {
    const bearer = member && { authorization: `Bearer ${member.session.access_token}` };
    const headers = { apikey: shop.publishable_key, ...bearer };
    const response = await fetch(`${shop.url}/portal/v1/additions`, { headers, ...init });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    return ((await response.json()) as PortalAdditions).closed.map((id) => id.replace('public.', '')).sort();
  };
  expect(await closed(guest)).toEqual(['by_function', 'by_subquery', 'restricted']);
  expect(await closed(clerk)).toEqual([]);
  expect(await closed(null)).toEqual([]);
  // A condition that writes or fails changes nothing, and the pages then offer what they cannot tell.
  await runSql(
    node,
    shop.ref,
    'alter policy p on public.by_function using (public.write()); grant execute on function public.write to authenticated',
  );
  expect(await closed(clerk)).toEqual([]);
  const { results } = await runSql(node, shop.ref, 'select count(*) from public.notes');
  expect(results[0]?.rows).toEqual([['0']]);
  const refused = await fetch(`${shop.url}/portal/v1/additions`, {
    method: 'POST',
    headers: { apikey: shop.publishable_key },
  });
  expect(refused.status).toBe(405);
});
