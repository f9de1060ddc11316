import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalEntity, PortalFigures, PortalScreen, PortalScreens } from '../../contract/portal.ts';
import { en } from '../../web/language/en.ts';
import { setLanguage } from '../../web/language/messages.ts';
import type { Portal } from '../../web/portal/queries/client.ts';
import { figures } from '../../web/portal/queries/figures.ts';
import { keyOf } from '../../web/portal/queries/query.ts';
import { callFunction, callRest, type Row } from '../../web/portal/queries/rest.ts';
import { allRows, list, PageChain, rowPage } from '../../web/portal/queries/row-pages.ts';
import { choices, count, figureRows, lane, readRow, rowsBetween } from '../../web/portal/queries/rows.ts';
import { entityIn, fieldIn, placeAt, readableFields, rowPath } from '../../web/portal/queries/screens.ts';
import { missingFor, moveRow, waysOf } from '../../web/portal/queries/transitions.ts';
import { choicesOf, dataConditions, hasRange, narrowingIn } from '../../web/portal/screens/list/list-search.ts';
import { barLink, listLink } from '../../web/portal/screens/page/list-link.ts';
import { quoted } from '../../web/rows/query.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { designSchemas, designs } from '../support/portal-schemas.ts';

const node = inject('node');
const browserFetch = globalThis.fetch;

let app: AppConnection;
let plain: Member;
let agent: Member;

/** Requests that the server refused, since the last check. */
let refused: string[] = [];

beforeAll(async () => {
  setLanguage('en', en);
  app = await createApp(node);
  for (const design of designs) await runSql(node, app.ref, design);
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_schemas`, { value: ['public', ...designSchemas] });
  [plain, agent] = [await signUpMember(app), await signUpMember(app)];
  await runSql(
    node,
    app.ref,
    `select ninefold.grant_role('${agent.user.id}', 'agent');
     insert into people.members (id, name) select id, 'Member' from auth.users;
     insert into clinic.patients (member, name) select id, 'Patient ' || n from auth.users, generate_series(1, 3) n;
     insert into public.requests (owner, title) select id, 'Request ' || n from auth.users, generate_series(1, 4) n`,
  );
  // The functions of the pages send their requests to the origin of the page.
  globalThis.fetch = async (input, init) => {
    const address = String(input instanceof Request ? input.url : input);
    if (!address.startsWith('/')) return browserFetch(input, init);
    const response = await browserFetch(app.url + address, init);
    if (!response.ok) {
      refused.push(`${init?.method ?? 'GET'} ${decodeURIComponent(address)}: ${await response.clone().text()}`);
    }
    return response;
  };
});
afterAll(() => {
  globalThis.fetch = browserFetch;
});

const portalOf = (member: Member | null): Portal =>
  ({
    app: { publishable_key: app.publishable_key },
    auth: { getSession: async () => ({ data: { session: member?.session ?? null }, error: null }) },
  }) as unknown as Portal;

async function screensOf(member: Member | null): Promise<PortalScreens> {
  const bearer = member && { authorization: `Bearer ${member.session.access_token}` };
  const response = await fetch(`${app.url}/portal/v1/screens`, { headers: { apikey: app.publishable_key, ...bearer } });
  return (await response.json()) as PortalScreens;
}

/** Runs the function of a query of the pages. */
const run = <T>(query: { queryFn?: unknown }): Promise<T> =>
  (query.queryFn as (context: object) => Promise<T>)({ pageParam: { after: null, offset: 0 } });

/** A caller of the pages, with the screens of this caller. */
interface Caller {
  readonly member: Member | null;
  readonly portal: Portal;
  readonly all: PortalScreens;
}

const noQuery = { filter: null, order: null, conditions: {}, search: '' };

/** Reads a list as its page does: pages, count, search, every order and every filter. Returns all of its rows. */
async function openList({ portal, all }: Caller, screen: PortalScreen, entity: PortalEntity): Promise<Row[]> {
  const columns = screen.group === null ? screen.columns : [...screen.columns, screen.group];
  const order = [screen.group && quoted(screen.group), screen.order].filter(Boolean).join(',') || null;
  const query = { ...noQuery, filter: screen.filter, order };
  const chain = new PageChain();
  const paged: Row[] = [];
  for (let page = 0; ; page += 1) {
    const { rows } = await run<{ rows: Row[] }>(rowPage(portal, all, { entity, columns, query }, chain, page));
    paged.push(...rows);
    if (rows.length < 50) break;
  }
  await run(count(portal, all, entity, query, 'exact'));
  await run(list(portal, all, { entity, columns, query: { ...query, search: `the "prin"ter's (50%` } }));
  for (const field of entity.fields.filter(({ readable }) => readable)) {
    const asked = [
      ...choicesOf(field).map(({ condition }) => condition),
      ...(hasRange(field)
        ? [field.editor.startsWith('date') ? 'gte.2026-01-01,lte.2026-12-31' : 'gte.-1.5,lte.20']
        : []),
    ];
    // Not every value of the type of a whole number is one of its range.
    for (const condition of asked.filter((one) => !one.includes('1.5') || field.editor === 'money')) {
      const conditions = { [field.name]: dataConditions(entity, field.name, condition, new Date()) };
      await run(list(portal, all, { entity, columns, query: { ...query, conditions } }));
    }
    if (field.sortable && field.editor !== 'json' && field.editor !== 'array') {
      const sorted = { ...query, order: `${quoted(field.name)}.desc` };
      const rows = await allRows(portal, all, { entity, columns, query: sorted });
      expect([screen.route, field.name, rows.length]).toEqual([screen.route, field.name, paged.length]);
      const next = new PageChain();
      const pages = [];
      for (const page of [0, 1]) {
        pages.push(
          ...(await run<{ rows: Row[] }>(rowPage(portal, all, { entity, columns, query: sorted }, next, page))).rows,
        );
      }
      expect([screen.route, field.name, pages.length]).toEqual([screen.route, field.name, Math.min(100, paged.length)]);
    }
  }
  return paged;
}

/** Reads the page of a row and its related lists, and checks that the address of the row leads back to it. */
async function openDetail({ portal, all }: Caller, entity: PortalEntity, row: Row): Promise<Row> {
  const read = await readRow(portal, all, entity, keyOf(entity, row));
  expect([entity.id, read && keyOf(entity, read)]).toEqual([entity.id, keyOf(entity, row)]);
  const path = new URL(rowPath(all, entity, row) ?? '', app.url).pathname;
  const place = placeAt(all, path);
  const values = Object.values(keyOf(entity, row)).map(String);
  expect([path, place?.screen.kind, Object.values(place?.rowKey ?? {})]).toEqual([path, 'detail', values]);
  for (const { entity: id, field } of entity.related) {
    const other = entityIn(all, id);
    const target = other && fieldIn(other, field)?.reference?.field;
    if (!other || target === undefined || !read) continue;
    const columns = readableFields(
      other,
      other.fields.map(({ name }) => name),
    ).map(({ name }) => name);
    const conditions = { [field]: `eq.${String(read[target])}` };
    const { rows } = await run<{ rows: Row[] }>(
      list(portal, all, { entity: other, columns, query: { ...noQuery, conditions } }),
    );
    expect(rows.filter((one) => String(one[field]) !== String(read[target]))).toEqual([]);
  }
  return read ?? {};
}

/** Tries what the buttons of an entity do, on no row. Returns the refusals of a missing privilege. */
async function tryButtons({ portal }: Caller, entity: PortalEntity): Promise<string[]> {
  const before = refused;
  const none = () => new URLSearchParams(entity.key.map((name) => [quoted(name), 'is.null']));
  const values = (fields: PortalEntity['fields']) => Object.fromEntries(fields.map(({ name }) => [name, null]));
  const attempt = (call: Promise<unknown>) => call.catch(() => null);
  refused = [];
  if (entity.access.insert.open) {
    const body = values(entity.fields.filter(({ insertable }) => insertable));
    await attempt(callRest(portal, entity, { method: 'POST', body, prefer: 'return=minimal, tx=rollback' }));
  }
  if (entity.access.update.open && entity.key.length > 0) {
    const body = values(entity.fields.filter(({ updatable }) => updatable));
    await attempt(callRest(portal, entity, { method: 'PATCH', params: none(), body }));
  }
  if (entity.access.delete.open && entity.key.length > 0) {
    await attempt(callRest(portal, entity, { method: 'DELETE', params: none() }));
  }
  const missing = refused.filter((one) => /permission denied|428C9|42703|PGRST|55000|42804|22P02/.test(one));
  refused = before;
  return missing;
}

/** Makes each transition that the page of a row offers, and tries those that it does not offer. */
async function tryTransitions({ portal, all }: Caller, entity: PortalEntity, row: Row): Promise<string[]> {
  const { machine } = entity;
  if (!machine) return [];
  const wrong: string[] = [];
  const before = refused;
  const key = keyOf(entity, row);
  let now = (await readRow(portal, all, entity, key)) ?? row;
  const closed = waysOf(machine, now).filter(({ isOpen }) => !isOpen);
  // Only a caller who may read the values of a condition can know the result.
  for (const { transition } of closed.filter(({ transition: { name } }) => !machine.undecided?.includes(name))) {
    const values = Object.fromEntries(missingFor(transition, now).map((name) => [name, 'Because']));
    const result = await moveRow(portal, entity, machine, { row: now, to: transition.to, values }).catch(
      () => 'refused',
    );
    if (result === 'moved') wrong.push(`${entity.id}: ${transition.name} is not offered, but accepted`);
  }
  for (let step = 0; step < 6; step += 1) {
    now = (await readRow(portal, all, entity, key)) ?? now;
    const way = waysOf(machine, now).find(({ isOpen }) => isOpen);
    if (!way) break;
    const values = Object.fromEntries(missingFor(way.transition, now).map((name) => [name, 'Because']));
    const result = await moveRow(portal, entity, machine, { row: now, to: way.transition.to, values }).catch(
      (error) => error,
    );
    if (result !== 'moved') wrong.push(`${entity.id}: ${way.transition.name} is offered, but ${result}`);
  }
  refused = before;
  return wrong;
}

/** Opens a screen with the requests of its page. Returns the rows of a list. */
async function openScreen(caller: Caller, screen: PortalScreen, entity: PortalEntity): Promise<Row[]> {
  const { portal, all } = caller;
  switch (screen.kind) {
    case 'list':
    case 'gallery':
      return openList(caller, screen, entity);
    case 'board':
      for (const { value } of entity.machine?.states ?? []) {
        await run(lane(portal, all, entity, screen, entity.machine?.field ?? '', value));
      }
      return [];
    case 'calendar':
      if (screen.span && screen.calendar) {
        const month = [new Date(2026, 10, 1), new Date(2026, 11, 1)] as const;
        const { rows, taken } = screen.calendar;
        for (const id of new Set([entity.id, rows, taken])) {
          const shown = all.entities.find((one) => one.id === id);
          const columns = id === entity.id ? screen.columns : [];
          if (shown) await run(rowsBetween(portal, all, shown, { ...screen, columns }, screen.span, month));
        }
      }
      return [];
    case 'figures':
      await run(figureRows(portal, all, entity, screen));
      return [];
    default:
      for (const { reference } of entity.fields) {
        if (!reference) continue;
        await run(choices(portal, all, reference.entity, ''));
        await run(choices(portal, all, reference.entity, `a"b,(c)`));
      }
      return [];
  }
}

/** Returns the rows of a list as the stock client of the caller reads them. */
async function rowsOfClient({ member }: Caller, screen: PortalScreen, entity: PortalEntity): Promise<Row[]> {
  const client = member?.client ?? clientOf(app);
  const from = entity.schema === null ? client.from(entity.name) : client.schema(entity.schema).from(entity.name);
  let query = from
    .select(screen.columns.some((name) => name.includes('"')) ? '*' : screen.columns.map(quoted).join(','))
    .limit(1000);
  for (const [name, condition] of new URLSearchParams(screen.filter ?? '')) {
    const [operator = '', ...value] = condition.split('.');
    query = query.filter(name, operator, value.join('.'));
  }
  const { data, error } = await query;
  expect([screen.route, error]).toEqual([screen.route, null]);
  return data as unknown as Row[];
}

const texts = (screen: PortalScreen, rows: readonly Row[]): string[] =>
  rows.map((row) => JSON.stringify(screen.columns.map((name) => String(row[name])))).sort();

/** Time for all screens of 23 designs, on a machine that does much else. */
const DESIGNS_MILLISECONDS = 300_000;

it.each(['anon', 'member', 'agent'] as const)(
  'the portal shows the caller %s only what the server gives and accepts, in every screen of 23 designs',
  async (name) => {
    const member = name === 'anon' ? null : name === 'agent' ? agent : plain;
    const caller: Caller = { member, portal: portalOf(member), all: await screensOf(member) };
    const { screens, entities } = caller.all;
    expect(screens.length).toBeGreaterThan(name === 'anon' ? 20 : 80);
    const differences: unknown[] = [];
    refused = [];
    for (const screen of screens) {
      const entity = entityIn(caller.all, screen.entity);
      if (!entity) throw new Error(`${screen.route} has no entity`);
      const rows = await openScreen(caller, screen, entity);
      for (const action of screen.actions) {
        const before = refused;
        refused = [];
        const names = [...action.fields.map((field) => field.name), ...(action.row ? [action.row.argument] : [])];
        await callFunction(caller.portal, action, Object.fromEntries(names.map((one) => [one, null]))).catch(
          () => null,
        );
        differences.push(...refused.filter((one) => /permission denied|PGRST/.test(one)));
        refused = before;
      }
      if (screen.kind !== 'list') continue;
      const own = texts(screen, await rowsOfClient(caller, screen, entity));
      // The stock client rounds numbers that JavaScript cannot represent.
      if (entity.name !== 'places' && JSON.stringify(texts(screen, rows)) !== JSON.stringify(own)) {
        differences.push([screen.route, rows.length, own.length]);
      }
      for (const row of entity.key.length > 0 ? rows.slice(0, 8) : []) await openDetail(caller, entity, row);
    }
    for (const entity of entities) differences.push(...(await tryButtons(caller, entity)));
    expect(refused).toEqual([]);
    for (const entity of entities.filter(({ machine }) => machine)) {
      const screen = screens.find(({ kind, entity: id }) => kind === 'list' && id === entity.id);
      const rows = screen ? await openList(caller, screen, entity) : [];
      for (const row of rows) differences.push(...(await tryTransitions(caller, entity, row)));
    }
    expect(differences).toEqual([]);
  },
  DESIGNS_MILLISECONDS,
);

/** Fields by which a page draws bars here: their values are compared as text. */
const counted = ({ readable, sortable, editor, full_text }: PortalEntity['fields'][number]): boolean =>
  readable &&
  sortable === true &&
  !full_text &&
  ['enum', 'boolean', 'reference', 'text', 'number', 'date'].includes(editor);

/** Defines a page for each list that shows all rows of an entity, with their number and bars of its fields. */
async function definePages({ screens, entities }: PortalScreens): Promise<void> {
  const shown = entities.filter(({ id }) => screens.some((one) => one.kind === 'list' && one.entity === id));
  const pages = shown.map(({ id, fields }, i) => {
    const parts = [
      { kind: 'number', title: 'All', entity: id },
      ...fields
        .filter(counted)
        .slice(0, 8)
        .map(({ name, label }) => ({ kind: 'bars', title: label, entity: id, by: name })),
      ...fields
        .filter(({ readable, editor }) => readable && editor === 'date and time')
        .map(({ name, label }) => ({ kind: 'line', title: label, entity: id, over: name })),
    ];
    return `select ninefold.define_page('/page-${i}', 'Page', $p$${JSON.stringify(parts)}$p$, roles => '{anon,authenticated}')`;
  });
  await runSql(node, app.ref, pages.join(';'));
}

it('the figures of a page are those of the lists to which they link, for each caller', async () => {
  await definePages(await screensOf(plain));
  for (const member of [null, plain]) {
    const portal = portalOf(member);
    const all = await screensOf(member);
    expect(all.pages.length).toBeGreaterThan(member ? 25 : 10);
    refused = [];
    const differences: unknown[] = [];
    let followed = 0;
    for (const page of all.pages) {
      const { parts } = await run<PortalFigures>(figures(portal, page, 365));
      const asked = page.parts.flatMap((part) => ('index' in part ? part.index : []));
      expect([page.route, parts.map(({ index }) => index)]).toEqual([page.route, asked]);
      for (const figure of parts) {
        const part = page.parts.find((one) => 'index' in one && one.index === figure.index);
        const entity = part && 'entity' in part ? entityIn(all, part.entity) : undefined;
        if (!part || !entity || figure.kind === 'failed') {
          differences.push([page.route, figure]);
          continue;
        }
        const links =
          figure.kind === 'number'
            ? [{ value: figure.value, link: listLink(all, entity, null) }]
            : figure.kind === 'bars' && part.kind === 'bars'
              ? figure.bars.slice(0, 3).map(({ by, value }) => ({ value, link: barLink(all, entity, part, by) }))
              : [];
        for (const { value, link } of links) {
          if (!link) continue;
          const narrowing = narrowingIn(link.search, entity, new Date());
          const total = await run<number>(count(portal, all, entity, { ...noQuery, ...narrowing }, 'exact'));
          if (total !== value) differences.push([page.route, entity.id, link, value, total]);
          followed += 1;
        }
      }
    }
    expect(differences).toEqual([]);
    expect(refused).toEqual([]);
    expect(followed).toBeGreaterThan(member ? 100 : 30);
  }
});

it('the portal names nothing that the caller may not read or write', async () => {
  const texts = await Promise.all([null, plain].map(async (member) => JSON.stringify(await screensOf(member))));
  expect(texts[0]).not.toMatch(/salaries|requests|nameless|hidden|purge|"clinic|people/);
  expect(texts[1]).not.toMatch(/"amount"|"iban"|"secret"|hidden|purge|"approve"|"reject"|events_2026/);
  expect(texts[1]).toMatch(/"shown"/);
});

it('no screen gets the path of another page of the origin', async () => {
  const routes = (await screensOf(plain)).screens.map(({ route }) => route);
  expect(routes.filter((route) => /^\/(account(\/|$)|$)/.test(route))).toEqual([]);
  expect(routes).toContain('/public.account');
});

it('a search finds rows by the words of an index, by several texts, and by a part of a text with signs', async () => {
  const all = await screensOf(plain);
  const found = async (id: string, search: string) => {
    const entity = entityIn(all, id);
    if (!entity) throw new Error(`no entity ${id}`);
    const columns = entity.fields.filter(({ searchable }) => searchable).map(({ name }) => name);
    return (await allRows(portalOf(plain), all, { entity, columns, query: { ...noQuery, search } })).length;
  };
  expect(entityIn(all, 'public.articles')?.fields.find(({ name }) => name === 'words')?.full_text).toEqual({
    configuration: 'english',
  });
  const counts = [];
  for (const [id, search] of [
    ['public.articles', 'print'],
    ['public.articles', 'the blinking printer'],
    ['public.articles', `it's ink`],
    ['public.articles', 'blinds'],
    ['public.letters', 'printer'],
    ['public.order_lines', 'Item 3'],
    ['public.staff', '%'],
  ] as const) {
    counts.push(await found(id, search));
  }
  expect(counts).toEqual([1, 1, 1, 0, 2, 12, 0]);
});
