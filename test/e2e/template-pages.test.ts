import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalScreens } from '../../contract/portal.ts';
import { createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';
import { sheetOf } from '../support/picture-sheet.ts';
import { type Console, openConsole } from './console.ts';

/**
 * With SCREENSHOTS=FOLDER, opens every page of the templates as each kind of member, in all languages, widths and themes,
 * and writes one picture of all pages for each template and language. This takes some minutes. Without the folder,
 * nothing runs: portal.test.ts opens the most important of these pages, and checks their accessibility.
 */
const folder = process.env.SCREENSHOTS ?? '';

const widths = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
const looks = (['wide', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).map((scheme) => ({ size, scheme })),
);

type Members = ReadonlyMap<string, Member>;

/** Rows of each template, and its kinds of members. SQL contains `{role}` for the id of the member with this role. */
const templates = {
  booking: {
    roles: ['visitor', 'guest', 'staff'],
    sql: `select ninefold.grant_role('{staff}', 'staff');
      insert into public.bookings (resource, member, contact, people, starts_at, ends_at, note)
        select (select min(id) from public.resources), '{guest}', 'ada@example.com', 1 + n % 2,
          date_trunc('day', now()) + make_interval(days => 1 + n % 4, hours => 9 + 2 * (n / 4)),
          date_trunc('day', now()) + make_interval(days => 1 + n % 4, hours => 10 + 2 * (n / 4)), 'With a projector, please'
        from generate_series(0, 7) n
        where exists (
          select from public.slots s where s.resource = (select min(id) from public.resources)
            and s.starts_at <= date_trunc('day', now()) + make_interval(days => 1 + n % 4, hours => 9 + 2 * (n / 4))
            and s.ends_at >= date_trunc('day', now()) + make_interval(days => 1 + n % 4, hours => 10 + 2 * (n / 4)))`,
    more: async (members: Members) => {
      await members.get('staff')?.client.from('bookings').update({ status: 'confirmed' }).lt('id', 4);
    },
  },
  notes: {
    roles: ['author', 'reader'],
    sql: `insert into public.notebooks (owner, title) select '{author}', t from unnest(array['Garden', 'Kitchen', 'Journeys']) t;
      insert into public.notes (notebook, owner, title, body)
        select b.id, '{author}', x.title, x.body from public.notebooks b,
          (values ('Roses', E'Prune them in **March**.\\n\\n- sharp\\n- dry'), ('Compost', 'Turn it once a month.'), ('Beans', 'After the last frost.')) x (title, body);
      insert into public.shares (notebook, owner, member) select id, owner, '{reader}' from public.notebooks limit 1`,
    more: async () => undefined,
  },
  helpdesk: {
    roles: ['customer', 'agent', 'lead'],
    sql: `insert into public.agents (id, name, lead) values ('{agent}', 'Gus Miller', false), ('{lead}', 'Lea Brown', true);
      insert into public.tickets (customer, subject, description)
        select '{customer}', s, 'It began on Monday, after the update.'
        from unnest(array['The export stops at 10,000 rows', 'I was charged twice', 'How do I invite a colleague?', 'Reports are off by an hour']) s`,
    more: async (members: Members) => {
      for (let taken = 0; taken < 2; taken++) await members.get('agent')?.client.rpc('take_next_ticket');
    },
  },
} as const;

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

describe.runIf(folder !== '').each(Object.entries(templates))('the template %s', (template, { roles, sql, more }) => {
  const members = new Map<string, Member>();
  let app: AppConnection;
  beforeAll(async () => {
    app = await createApp(site.node, { template });
    for (const role of roles) if (role !== 'visitor') members.set(role, await signUpMember(app, role));
    await runSql(
      site.node,
      app.ref,
      sql.replaceAll(/\{(\w+)\}/g, (_, role: string) => members.get(role)?.user.id ?? ''),
    );
    await more(members);
  });

  it.each(['en', 'de', 'ar'] as const)(
    'fits its pages into the window for each kind of member, in %s',
    async (language) => {
      const rows: Buffer[][] = [];
      for (const role of roles) {
        const member = members.get(role) ?? null;
        const { page, context, problems } = await site.visit(`${app.origin}/account/sign-in`, { signedIn: false });
        await page.evaluate((chosen) => localStorage.setItem('ninefold-language', chosen), language);
        if (member) await signIn(page, member);
        const pages = await pathsOf(app, member);
        expect(pages.length).toBeGreaterThan(2);
        for (const path of pages) {
          const pictures: Buffer[] = [];
          await page.goto(`${app.origin}${path}`);
          for (const { size, scheme } of looks) {
            await page.setViewportSize(widths[size]);
            await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
            await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
            const loaded = page.locator('main:not(:has([aria-busy="true"], [role="progressbar"])) h1');
            await loaded.first().waitFor();
            const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            expect({ role, path, size, scheme, wider }).toMatchObject({ wider: 0 });
            pictures.push(await page.screenshot());
          }
          rows.push(pictures);
        }
        expect([role, problems]).toEqual([role, []]);
        await context.close();
      }
      await mkdir(folder, { recursive: true });
      await sheetOf(rows, join(folder, `${template}-${language}.webp`));
    },
  );
});

/** Signs a member in on the pages, whatever their language. */
async function signIn(page: Page, { email, password }: Member): Promise<void> {
  await page.reload();
  await page.locator('input[type="email"]').fill(email);
  await page.locator('input[type="password"]').fill(password);
  await page.locator('form button[type="submit"]').first().click();
  await page.waitForURL((url) => !url.pathname.startsWith('/account/sign-in'));
}

/** Returns the paths of the pages that a caller has: the first page, each screen, and for a member the account. */
async function pathsOf(app: AppConnection, member: Member | null): Promise<string[]> {
  const headers = {
    apikey: app.publishable_key,
    ...(member && { authorization: `Bearer ${member.session.access_token}` }),
  };
  const response = await fetch(`${app.url}/portal/v1/screens`, { headers });
  const { screens } = (await response.json()) as PortalScreens;
  const routes = screens.flatMap(({ route, kind }) => (kind === 'detail' || route.includes('{') ? [] : [route]));
  return [...new Set(['/', ...routes, ...(member ? ['/account', '/account/notifications'] : [])])];
}
