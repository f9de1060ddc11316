import type { Browser, Page } from 'playwright-core';
import type { AppConnection } from '../contract/admin.ts';
import { launchChromium } from '../test/support/chromium.ts';
import { auth, EMAIL, PASSWORD, sql } from './app.ts';
import { median, table } from './figures.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

const ROUNDS = 9;
const CACHED_REQUESTS = 50;
const TABLES = 50;
/** Rows of the list that is scrolled, and the number of frames for which it is. */
const ROWS = 100_000;
const FRAMES = 300;
const FRAME_PIXELS = [30, 100, 400];
const TEMPLATES = ['helpdesk', 'booking', 'notes'];

/** Measures the pages for members: their screens after changes, a first screen, the frames of a long list, and a dashboard. */
export async function measurePortal(): Promise<void> {
  const node = await startNode({ workers: 1 });
  const browser = await launchChromium();
  try {
    await measureScreens(node);
    await measureFirstScreens(node, browser);
    await measureFrames(node, browser);
    await measureDashboard(node, browser);
  } finally {
    await browser.close();
    await node.stop();
    removeHome(node.home);
  }
}

/** Changes of an app with the tables t0 to t49, by their name; `n` is the number of the change. */
const changes: Readonly<Record<string, (n: number) => string>> = {
  'a comment on a table': (n) => `comment on table public.t0 is 'Change ${n}.'`,
  'a label': (n) => `select ninefold.label('de', 'Namen ${n}', entity => 'public.t1')`,
  'a new policy': (n) => `create policy p${n} on public.t2 for select to authenticated using (done)`,
  'a new field': (n) => `alter table public.t3 add column field_${n} text`,
  'a new table': (n) => `create table public.added_${n} (id bigint primary key, name text)`,
};

/** Measures the screens of a member: cached, and at once after each kind of change. The kinds take turns. */
async function measureScreens(node: BenchNode): Promise<void> {
  const app = await admin<AppConnection>(node, 'POST', '/apps', { ref: 'screens' });
  await sql(node, app.ref, Array.from({ length: TABLES }, (_, n) => tableOf(n)).join('\n'));
  const { access_token } = await auth<{ access_token: string }>(app, '/signup', { email: EMAIL, password: PASSWORD });
  const headers = { apikey: app.publishable_key, authorization: `Bearer ${access_token}` };
  let bytes = 0;
  const read = async () => {
    const started = performance.now();
    const response = await fetch(`${app.url}/portal/v1/screens`, { headers });
    bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok) throw new Error(`screens: ${response.status}`);
    return performance.now() - started;
  };
  await read();
  const cached: number[] = [];
  for (let i = 0; i < CACHED_REQUESTS; i++) cached.push(await read());
  const rows = [[`cached (${Math.round(bytes / 1000)} KB)`, '20 ms', milliseconds(cached)]];
  const times = new Map(Object.keys(changes).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, change] of Object.entries(changes)) {
      await sql(node, app.ref, change(round));
      const time = await read();
      // The first round warms the code up.
      if (round > 0) times.get(name)?.push(time);
    }
  }
  for (const [name, measured] of times) rows.push([`at once after ${name}`, '100 ms', milliseconds(measured)]);
  table(['`GET /portal/v1/screens`', 'target', 'median (least to most)'], rows);
}

const tableOf = (n: number): string => `
  create table public.t${n} (id bigint generated always as identity primary key,
    owner uuid not null default auth.uid() references auth.users (id),
    name text not null constraint t${n}_name check (length(name) between 1 and 200), note text, amount numeric(10,2),
    due date, done boolean not null default false, starts_at timestamptz, ends_at timestamptz
    ${n === 0 ? '' : `, parent bigint references public.t${n - 1} (id)`});
  comment on column public.t${n}.name is 'How it is called.';
  alter table public.t${n} enable row level security;
  create policy own on public.t${n} to authenticated using (owner = (select auth.uid()));`;

/** Measures the time from the press on "Sign in" until the first page shows its rows, for each template. */
async function measureFirstScreens(node: BenchNode, browser: Browser): Promise<void> {
  const rows: string[][] = [];
  for (const template of TEMPLATES) {
    const app = await admin<AppConnection>(node, 'POST', '/apps', { ref: template, template });
    await auth(app, '/signup', { email: EMAIL, password: PASSWORD });
    const [signIns, reloads]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      const page = await openPage(browser);
      await page.goto(`${app.origin}/account/sign-in`);
      const started = await signIn(page);
      await untilShown(page);
      const signedIn = performance.now() - started;
      const reloaded = performance.now();
      await page.reload();
      await untilShown(page);
      if (round > 0) {
        signIns.push(signedIn);
        reloads.push(performance.now() - reloaded);
      }
      await page.context().close();
    }
    rows.push([template, '1,000 ms', milliseconds(signIns), milliseconds(reloads)]);
  }
  table(['first screen of', 'target', 'after the sign-in', 'after a reload'], rows);
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  return context.newPage();
}

/** Fills in the sign-in form and sends it. Returns the time of the press. */
async function signIn(page: Page): Promise<number> {
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
  const started = performance.now();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  return started;
}

/** Waits until a page of a member is drawn with its rows. The page itself looks at each frame, because Playwright waits longer. */
const untilShown = (page: Page) =>
  page.evaluate(`(async () => {
    const isShown = () => !location.pathname.startsWith('/account') && document.querySelector('main h1') !== null &&
      document.querySelector('main [role=progressbar], main [aria-busy=true]') === null;
    while (!isShown()) await new Promise((resolve) => requestAnimationFrame(resolve));
  })()`);

/** Scrolls a list of 100,000 rows at several speeds, and measures the intervals between frames. */
async function measureFrames(node: BenchNode, browser: Browser): Promise<void> {
  const app = await admin<AppConnection>(node, 'POST', '/apps', { ref: 'frames' });
  await auth(app, '/signup', { email: EMAIL, password: PASSWORD });
  await sql(
    node,
    app.ref,
    `create table public.parcels (id bigint generated always as identity primary key, name text not null, weight numeric(8,2) not null,
       sent date not null, state text not null default 'new', note text);
     insert into public.parcels (name, weight, sent) select 'Parcel ' || n, n / 10.0, current_date - n % 400
       from generate_series(1, ${ROWS}) n;
     grant select on public.parcels to authenticated;
     analyze public.parcels`,
  );
  const page = await openPage(browser);
  await page.goto(`${app.origin}/account/sign-in?next=/parcels`);
  await signIn(page);
  await page.getByRole('link', { name: 'Parcel 1', exact: true }).waitFor();
  const rows: string[][] = [];
  for (const pixels of FRAME_PIXELS) {
    const gaps = await page.evaluate<number[]>(scrolling(pixels));
    const sorted = [...gaps].sort((a, b) => a - b);
    rows.push([
      `${pixels} px a frame`,
      '16.7 ms',
      `${median(gaps).toFixed(1)} ms`,
      `${sorted[Math.floor(sorted.length * 0.95)]?.toFixed(1)} ms`,
    ]);
  }
  table([`list of ${ROWS.toLocaleString('en-US')} rows`, 'target', 'interval (median)', '95 %'], rows);
}

/** Returns a script that scrolls the page at each frame, and returns the intervals between the frames in milliseconds. */
const scrolling = (pixels: number): string => `(async () => {
  const main = document.querySelector('main');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const gaps = [];
  let last = await frame();
  for (let i = 0; i < ${FRAMES}; i++) {
    main.scrollBy(0, ${pixels});
    const now = await frame();
    gaps.push(now - last);
    last = now;
  }
  return gaps;
})()`;

/** Parts of a dashboard over the table `parcels`, whose policy lets members read their own rows. */
const PARTS = [
  { kind: 'number', title: 'On the way', entity: 'public.parcels', filter: 'state=eq.sent' },
  { kind: 'number', title: 'Sent', entity: 'public.parcels', over: 'sent_at' },
  { kind: 'line', title: 'Sent by day', entity: 'public.parcels', over: 'sent_at', by: 'state' },
  { kind: 'bars', title: 'Weight by state', entity: 'public.parcels', by: 'state', value: 'sum', of: 'weight' },
  { kind: 'list', title: 'Heaviest', entity: 'public.parcels', order_by: 'weight.desc' },
];

/** Measures a dashboard of 5 parts over 100,000 rows of one member: its figures, and the page until every part is drawn. */
async function measureDashboard(node: BenchNode, browser: Browser): Promise<void> {
  const app = await admin<AppConnection>(node, 'POST', '/apps', { ref: 'dashboard' });
  const { access_token, user } = await auth<{ access_token: string; user: { id: string } }>(app, '/signup', {
    email: EMAIL,
    password: PASSWORD,
  });
  await sql(
    node,
    app.ref,
    `create table public.parcels (id bigint generated always as identity primary key, owner uuid not null, name text not null,
       weight numeric(8,2) not null, state text not null, sent_at timestamptz not null);
     create index on public.parcels (owner); create index on public.parcels (weight);
     insert into public.parcels (owner, name, weight, state, sent_at)
       select '${user.id}', 'Parcel ' || n, n / 10.0, (array['new', 'sent', 'lost', 'there'])[1 + n % 4], now() - n % 400 * interval '1 day'
       from generate_series(1, ${ROWS}) n;
     alter table public.parcels enable row level security;
     create policy own on public.parcels for select to authenticated using (owner = (select auth.uid()));
     grant select on public.parcels to authenticated; analyze public.parcels;
     select ninefold.define_page('/parcels-today', 'How is it going?', $p$${JSON.stringify(PARTS)}$p$)`,
  );
  const headers = { apikey: app.publishable_key, authorization: `Bearer ${access_token}` };
  const figures: Record<number, number[]> = { 7: [], 30: [], 365: [] };
  const shown: number[] = [];
  const page = await openPage(browser);
  await page.goto(`${app.origin}/account/sign-in?next=/parcels-today`);
  await signIn(page);
  await page.getByRole('slider').waitFor();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [days, times] of Object.entries(figures)) {
      const started = performance.now();
      const response = await fetch(`${app.url}/portal/v1/figures?route=/parcels-today&days=${days}`, { headers });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`figures: ${response.status}`);
      if (round > 0) times.push(performance.now() - started);
    }
    const reloaded = performance.now();
    await page.reload();
    await untilShown(page);
    if (round > 0) shown.push(performance.now() - reloaded);
  }
  await page.context().close();
  const words = `dashboard of ${PARTS.length} parts, ${ROWS.toLocaleString('en-US')} rows`;
  table(
    [words, 'target', 'median (least to most)'],
    [
      ...Object.entries(figures).map(([days, times]) => [`figures of ${days} days`, '300 ms', milliseconds(times)]),
      ['page, until every part is drawn', '1,000 ms', milliseconds(shown)],
    ],
  );
}

function milliseconds(times: readonly number[]): string {
  const [least, most] = [Math.min(...times), Math.max(...times)].map((time) =>
    Math.round(time).toLocaleString('en-US'),
  );
  const middle = median(times);
  return `${middle < 10 ? middle.toFixed(1) : Math.round(middle).toLocaleString('en-US')} ms (${least} to ${most})`;
}
