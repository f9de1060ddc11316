import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, createAppWith, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { mailsTo } from '../support/mails.ts';
import { uniqueEmail } from '../support/unique.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole, sizes } from './console.ts';
import { inBoth, signUpOnPages } from './portal-pages.ts';

let site: Console;
let app: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  app = await createAppWith(
    site.node,
    `insert into ninefold.settings (key, value) values ('mailer_autoconfirm', 'false'), ('smtp_max_frequency', '0'), ('rate_limit_sign_in_account', '3');
     select ninefold.describe_app(name => 'Harbour', purpose => 'Berths are booked.', audience => 'Skippers.')`,
  );
});
afterAll(() => site.close());

const visit = (path: string, size: keyof typeof sizes = 'wide') =>
  site.visit(`${app.origin}${path}`, { signedIn: false, viewport: sizes[size] });

/** Returns the newest mail of a kind to an address. */
async function mailTo(email: string) {
  const mail = (await mailsTo(site.node, app, email)).at(-1);
  if (!mail) throw new Error(`no mail to ${email}`);
  return mail.data;
}

/** Ends the session of a page on the server. The page gets to know of it with its next request. */
const endSession = (page: Page, { publishable_key }: AppConnection) =>
  page.evaluate(async (apikey) => {
    const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token')) ?? '';
    const { access_token } = JSON.parse(localStorage.getItem(key) ?? '{}');
    const headers = { apikey, authorization: `Bearer ${access_token}` };
    await fetch('/auth/v1/logout?scope=local', { method: 'POST', headers });
  }, publishable_key);

const password = (page: Page, name = 'Password') => page.getByRole('textbox', { name, exact: true });

/** Creates an account with the code of the mail, and leaves the browser signed in. */
async function makeAccount(page: Page, email: string) {
  await page.getByLabel('Your name').fill('Zoë Quick');
  await page.getByLabel('E-mail').fill(email);
  await password(page).fill('plum-kettle-91');
  await page.getByRole('button', { name: 'Make account' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.getByLabel('Code from the mail, 6 digits').fill((await mailTo(email)).Token);
}

it('the code of a mail signs a member up, who adds a passkey and a second factor, and needs them at the next sign-in', async () => {
  const email = uniqueEmail();
  const { page, context } = await visit('/account');
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  await page.getByText('Berths are booked.').waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Make an account' }).click();
  await makeAccount(page, email);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/account');

  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Rename Passkey' }).waitFor();
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  const key = (await page.getByText('No camera?').locator('code').innerText()).replaceAll(' ', '');
  expect(await faults(page)).toEqual([]);
  const code = page.getByLabel('Code from your authenticator app, 6 digits');
  await code.fill('000000');
  await page.getByText('This code is wrong, or was used before.').waitFor();
  await code.fill(new TOTP({ secret: key }).generate());
  await page.getByText('Authenticator app').waitFor();
  await page.getByRole('button', { name: 'Make recovery codes' }).click();
  await page.getByText('They are shown only now').waitFor();
  const recoveryCode = (await page.getByRole('region', { name: 'Second factor' }).getByRole('listitem').allInnerTexts())
    .map((text) => text.trim())
    .find((text) => /^\w{24}$/.test(text));

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await password(page).fill('not my password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('E-mail or password is wrong.').waitFor();
  await password(page).fill('plum-kettle-91');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await page.goto(`${app.origin}/account`);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(recoveryCode ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('You have 9 recovery codes left.').waitFor();

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  // A passkey counts as the first factor, as in GoTrue, so the app still asks for the second one.
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await context.close();
});

it('a link recovers a password, the page asks before it uses the session, and signs the other devices out', async () => {
  const email = uniqueEmail();
  const first = await visit('/account/sign-up');
  await makeAccount(first.page, email);
  await first.page.getByRole('heading', { name: 'What needs you today?' }).waitFor();

  const { page, context } = await visit('/account/recover', 'phone');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto((await mailTo(email)).ConfirmationURL);
  await page.getByRole('button').click();
  await page.getByRole('heading', { name: `Go on as ${email}?` }).waitFor();
  expect(page.url()).toBe(`${app.origin}/account/arrive`);
  const stored = () => page.evaluate(() => Object.keys(localStorage));
  expect(await stored()).not.toContain(`sb-${app.ref}-auth-token`);
  await page.getByRole('button', { name: 'Go on' }).click();
  const field = password(page, 'New password');
  await field.waitFor();
  expect(await stored()).toContain(`sb-${app.ref}-auth-token`);
  await field.fill('short');
  await page.getByText('8 characters or more: 3 are missing').waitFor();
  expect(await faults(page)).toEqual([]);
  await field.fill('another-kettle-92');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByRole('heading', { name: 'What needs you today?' }).waitFor();
  await first.page.goto(`${app.origin}/account`);
  await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await Promise.all([context.close(), first.context.close()]);
});

it('an invited member chooses a password and is signed in', async () => {
  const email = uniqueEmail();
  const { error } = await clientOf(app, app.secret_key).auth.admin.inviteUserByEmail(email);
  expect(error).toBeNull();
  const { page, context } = await site.visit((await mailTo(email)).ConfirmationURL, { signedIn: false });
  await page.getByRole('button').click();
  await page.getByRole('button', { name: 'Go on' }).click();
  await password(page, 'New password').fill('plum-kettle-91');
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.waitForURL(`${app.origin}/`);
  await page.goto(`${app.origin}/account`);
  await page.getByText(email).first().waitFor();
  await context.close();
});

it('the page says when a member can sign in after too many attempts, and counts down to this time', async () => {
  const { page, context } = await visit('/account/sign-in', 'phone');
  await page.getByLabel('E-mail').fill(uniqueEmail());
  const locked = page.getByText(/^Too many tries. You can try again at \d+:\d\d/);
  for (let attempt = 1; attempt <= 4; attempt++) {
    await password(page).fill(`wrong ${attempt}`);
    await page.keyboard.press('Enter');
    await (attempt === 4 ? locked : page.getByText('E-mail or password is wrong.')).waitFor();
  }
  await page.getByRole('button', { name: /^Sign in at \d+:\d\d/, disabled: true }).waitFor();
  const left = await page.getByRole('timer').innerText();
  expect(left).toMatch(/^In \d+ min \d+ s$/);
  await page.getByText(left).waitFor({ state: 'detached' });
  await inBoth(page);
  await context.close();
});

it('the sign-in redirects only to pages of the app', async () => {
  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    const { page, context } = await visit(`/account/sign-in?next=${encodeURIComponent(next)}`);
    const way = page.getByRole('link', { name: 'Make an account' });
    expect(await way.getAttribute('href')).toBe('/account/sign-up?next=%2F');
    await context.close();
  }
});

it('the portal is served only on the app’s own origin, and loads nothing from other origins', async () => {
  const path = await fetch(`${site.node.url}/apps/${app.ref}/account/sign-in`, { headers: { accept: 'text/html' } });
  expect(path.status).toBe(404);
  const { page, problems, context } = await visit('/no/such/page');
  // A caller without a session must not learn which screens an app has.
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  expect(page.url()).toContain('next=%2Fno%2Fsuch%2Fpage');
  expect(problems).toEqual([]);
  expect(await page.evaluate(() => fetch('/no/such/page').then(({ status }) => status))).toBe(404);
  await context.close();
});

const signUp = (of: AppConnection, name: string, size: keyof typeof sizes) => signUpOnPages(site, of, name, size);

describe('the helpdesk with the portal only', () => {
  let desk: AppConnection;
  beforeAll(async () => {
    desk = await createApp(site.node, { template: 'helpdesk' });
  });

  it('handles a ticket from the customer’s question to its solution, and lets the customer reopen it', async () => {
    const customer = await signUp(desk, 'Maren Holt', 'phone');
    const agent = await signUp(desk, 'Priya Nair', 'wide');
    await runSql(
      site.node,
      desk.ref,
      `insert into public.agents (id, name) select id, name from public.customers where email = '${agent.email}'`,
    );

    await inBoth(customer.page);
    await customer.page.getByRole('link', { name: 'New', exact: true }).click();
    await customer.page.getByRole('heading', { name: 'Ask for help' }).waitFor();
    await customer.page.getByLabel('Subject').fill('No');
    await customer.page.getByRole('button', { name: 'Save' }).click();
    await customer.page.getByText('A subject is 3 to 200 characters. This one has 2.').waitFor();
    await inBoth(customer.page);
    await customer.page.getByLabel('Subject').fill('The invoice <b>is</b> wrong');
    await customer.page.getByLabel('Description').fill('It has the old number.');
    await customer.page.locator('select').and(customer.page.getByLabel('Topic')).selectOption('Billing');
    await customer.page.getByRole('button', { name: 'Save' }).click();
    await customer.page.getByRole('heading', { name: 'The invoice <b>is</b> wrong' }).waitFor();
    const ticket = new URL(customer.page.url()).pathname;
    await customer.page.getByRole('button', { name: 'Withdraw' }).waitFor();
    expect(await customer.page.getByText('Take', { exact: true }).count()).toBe(0);
    await inBoth(customer.page);

    await agent.page.goto(`${desk.origin}/queue`);
    await agent.page.getByRole('searchbox', { name: 'Search in this list' }).fill('invoice');
    await agent.page.getByText('One ticket.').waitFor();
    await agent.page.waitForURL(/q=invoice/);
    const screens = agent.page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: 'Customers' }).getByText(/^\d+$/).waitFor();
    expect(await screens.getByRole('link', { name: 'My profile' }).innerText()).toBe('My profile');
    await inBoth(agent.page);
    await agent.page.getByRole('link', { name: 'The invoice' }).click();
    await agent.page.getByText('Only the customer, Maren Holt, can do this.').waitFor();
    await agent.page.getByRole('button', { name: 'Take' }).click();
    await agent.page.getByText('Open by you').waitFor();
    await agent.page.getByRole('button', { name: 'Ask' }).click();
    await agent.page.getByText('Waiting by you').waitFor();
    await inBoth(agent.page);

    await customer.page.reload();
    await customer.page.getByLabel('Body').fill('The new number is DE 298.');
    expect(await customer.page.getByLabel('Internal').count()).toBe(0);
    await customer.page.getByRole('button', { name: 'Send' }).click();
    await customer.page.getByRole('listitem').getByText('The new number is DE 298.').waitFor();
    // The customer's comment changes the ticket back to open.
    await customer.page.getByText('Open by you').waitFor();

    await agent.page.reload();
    await agent.page.getByRole('listitem').getByText('The new number is DE 298.').waitFor();
    await agent.page.getByLabel('Internal').waitFor();
    // After an @, a list has the members whose names contain the letters.
    const body = agent.page.getByLabel('Body');
    await body.pressSequentially('Thanks @hol');
    await agent.page.getByRole('listbox', { name: 'Members' }).getByRole('option', { name: 'Maren Holt' }).waitFor();
    await inBoth(agent.page);
    await body.press('Enter');
    expect(await body.inputValue()).toBe('Thanks @Maren Holt ');
    await body.fill('');
    await agent.page.getByRole('button', { name: /^Solve/ }).click();
    await agent.page.getByRole('button', { name: 'Solve', exact: true }).click();
    await agent.page.getByText('Solution is missing.').waitFor();
    await agent.page.getByLabel('Solution').fill('A new invoice is on its way.');
    await agent.page.getByRole('button', { name: 'Solve', exact: true }).click();
    await agent.page.getByText('Solved by you').waitFor();

    await customer.page.goto(desk.origin + ticket);
    await customer.page.getByText('A new invoice is on its way.').waitFor();
    await customer.page.getByRole('button', { name: 'Reopen' }).click();
    await customer.page.getByText('Solved to Open').waitFor();
    await customer.page.getByText('Solved by Priya Nair').waitFor();

    await agent.page.goto(`${desk.origin}/tickets/board`);
    const lane = (name: string) => agent.page.getByRole('region', { name });
    await lane('Open').getByRole('link', { name: 'The invoice' }).waitFor();
    await inBoth(agent.page);
    await lane('Open').getByRole('article').first().focus();
    await agent.page.keyboard.press('Space');
    await agent.page.keyboard.press('ArrowRight');
    await agent.page.getByRole('status').getByText('Over Waiting.').waitFor();
    await agent.page.keyboard.press('Space');
    await lane('Waiting').getByRole('link', { name: 'The invoice' }).waitFor();
    // One column is read slowly, but the card can be moved again as soon as its own column was read.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await agent.context.route(/status=eq\.solved/, async (route) => {
      await held;
      // The page has cancelled the requests before the last one.
      await route.continue().catch(() => undefined);
    });
    // The menu of a moved card appears when the card can be moved again.
    await lane('Waiting').getByLabel('Move The invoice').waitFor();
    await lane('Waiting').getByRole('article').first().dragTo(lane('Open'));
    await lane('Open').getByRole('link', { name: 'The invoice' }).waitFor();
    await agent.page.getByLabel('Move The invoice').selectOption({ label: 'Ask' });
    await lane('Waiting').getByRole('link', { name: 'The invoice' }).waitFor();
    await agent.page.getByText('The invoice <b>is</b> wrong: Ask.').waitFor();
    release();
    await agent.context.unroute(/status=eq\.solved/);
    await agent.page.getByRole('button', { name: 'Undo' }).click();
    await lane('Open').getByRole('link', { name: 'The invoice' }).waitFor();
    await agent.page.getByText('Undone.').waitFor();

    // The agent and the statement change the priority. Only the agent changes the subject.
    await agent.page.goto(`${desk.origin}${ticket}?edit=true`);
    await agent.page.getByLabel('Subject').fill('The invoice is wrong');
    await agent.page.getByRole('button', { name: 'Urgent' }).click();
    await runSql(site.node, desk.ref, `update public.tickets set priority = 'high'`);
    // The draft survives a reload, and is still a change of the row as it was when the agent began.
    await agent.page.reload();
    await agent.page.getByText('Your draft was kept on this device.').waitFor();
    expect(await agent.page.getByLabel('Subject').inputValue()).toBe('The invoice is wrong');
    await agent.page.getByRole('button', { name: 'Save' }).click();
    await agent.page.getByRole('heading', { name: 'Somebody else changed this' }).waitFor();
    await agent.page.getByText('Your other changes are saved. Choose what holds.', { exact: true }).waitFor();
    await inBoth(agent.page);
    await agent.page.getByRole('radio', { name: 'Urgent' }).check();
    await agent.page.getByRole('button', { name: 'Keep what is chosen' }).click();
    await agent.page.getByRole('heading', { name: 'The invoice is wrong' }).waitFor();
    await agent.page.getByRole('definition').getByText('Urgent').waitFor();

    // Two members change one row in two browsers. The later member keeps both the own words and the values of the other.
    const other = await signUp(desk, 'Jonas Weber', 'phone');
    await runSql(
      site.node,
      desk.ref,
      `insert into public.agents (id, name) select id, name from public.customers where email = '${other.email}'`,
    );
    const { page: second } = other;
    for (const form of [agent.page, second]) {
      await form.goto(`${desk.origin}${ticket}?edit=true`);
      await form.getByLabel('Subject').waitFor();
    }
    await second.getByLabel('Subject').fill('The second subject');
    await second.getByRole('button', { name: 'Save' }).click();
    await second.getByRole('heading', { name: 'The second subject' }).waitFor();
    await agent.page.getByLabel('Subject').fill('The first subject');
    const refused = agent.page.waitForResponse((response) => response.status() === 409);
    await agent.page.getByRole('button', { name: 'Save' }).click();
    expect(await (await refused).json()).toMatchObject({
      code: 'row_changed',
      details: { subject: 'The second subject' },
    });
    await agent.page.getByRole('radio', { name: 'The second subject' }).waitFor();
    // The subject is the only change, so no other change is saved.
    await agent.page.getByText('Choose what holds.', { exact: true }).waitFor();
    expect(await agent.page.getByLabel('Subject', { exact: true }).inputValue()).toBe('The first subject');
    await agent.page.getByRole('radio', { name: 'The first subject' }).check();
    await agent.page.getByRole('button', { name: 'Keep what is chosen' }).click();
    await agent.page.getByRole('heading', { name: 'The first subject' }).waitFor();
    await inBoth(second);
    await other.context.close();

    // A screen that the customer may not open shows the same page as an unknown screen.
    await customer.page.goto(`${desk.origin}/queue`);
    await customer.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    // The browser logs the two refused changes.
    const conflict = 'error: Failed to load resource: the server responded with a status of 409 (Conflict)';
    expect([...customer.problems, ...agent.problems]).toEqual([conflict, conflict]);
    await Promise.all([customer.context.close(), agent.context.close()]);
  });

  it('shows screens that are open to anon without a sign-in', async () => {
    await runSql(
      site.node,
      app.ref,
      `create table public.berths (id int primary key, name text not null); insert into public.berths values (1, 'North 1');
      revoke all on public.berths from anon, authenticated; grant select on public.berths to anon;
      create view public.totals as select count(*) as berths, 12.5::numeric(10,2) as total_fee from public.berths;
      create view public.months as select m as month, m * 10 as guests from generate_series(1, 3) m;
      grant select on public.totals, public.months to anon;
      select ninefold.define_screen('/totals', 'Totals', 'figures', 'public.totals', home => true);
      select ninefold.define_screen('/months', 'Months', 'figures', 'public.months', place => 1);
      select ninefold.set_look(accent => '#d01060')`,
    );
    const { page, context, problems } = await visit('/berths');
    await page.getByRole('link', { name: 'North 1' }).click();
    await page.getByRole('heading', { name: 'North 1' }).waitFor();
    await inBoth(page);
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBeGreaterThan(0);
    // The first page is the screen that the app defines so.
    await page.goto(`${app.origin}/`);
    await page.waitForURL(/\/totals$/);
    await page.getByRole('definition').getByText('12.50').waitFor();
    await inBoth(page);
    expect(await page.evaluate(() => document.documentElement.style.getPropertyValue('--hue'))).toBe('6');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Months' }).click();
    await page.getByRole('cell', { name: '30' }).waitFor();
    await inBoth(page);
    expect(problems).toEqual([]);
    await context.close();
  });
});

it('a member books a time on a phone, a second booking of the time is refused, and staff open days and confirm', async () => {
  const booking = await createApp(site.node, { template: 'booking' });
  const guest = await signUp(booking, 'Lena Fischer', 'phone');
  const staff = await signUp(booking, 'Jonas Weber', 'wide');
  await runSql(
    site.node,
    booking.ref,
    `select ninefold.grant_role(id, 'staff') from auth.users where email = '${staff.email}'`,
  );
  const day = new Date(Date.now() + 400 * 24 * 3_600_000).toISOString().slice(0, 10);

  // Staff opens a day that no slot of the template covers.
  await staff.page.goto(`${booking.origin}/opening-times`);
  await staff.page.getByRole('button', { name: 'Open days' }).click();
  const form = staff.page.getByRole('form', { name: 'Open days' });
  await form.getByRole('button', { name: 'Open days' }).click();
  await form.getByText('Resource is missing.').waitFor();
  await form.locator('select').and(form.getByLabel('Resource')).selectOption('Meeting room');
  for (const [name, value] of [
    ['First', day],
    ['Last', day],
    ['Opens', '08:00'],
    ['Closes', '18:00'],
  ] as const) {
    await form.getByLabel(name).fill(value);
  }
  await form.getByLabel('Weekdays').fill('1\n2\n3\n4\n5\n6\n7');
  await inBoth(staff.page);
  await form.getByRole('button', { name: 'Open days' }).click();
  await staff.page.getByText('Open days: done. 1').waitFor();
  // The list has more rows than a page. It draws and reads those in sight; the next page begins after the last row.
  const times = staff.page.getByRole('table', { name: 'Opening times' });
  const count = Number(await times.getAttribute('aria-rowcount'));
  expect(count).toBeGreaterThan(100);
  const next = staff.page.waitForRequest((request) => request.url().includes('&or='));
  await staff.page.locator('main').evaluate((main) => main.scrollTo(0, 45 * 48));
  await next;
  await times.locator('tr[aria-rowindex="60"] td[data-field="starts_at"] time').waitFor();
  await staff.page.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
  await times.locator(`tr[aria-rowindex="${count}"] td[data-field="starts_at"] time`).waitFor();
  expect(await staff.page.getByRole('row').count()).toBeLessThan(80);
  const downloaded = staff.page.waitForEvent('download');
  await staff.page.getByRole('button', { name: 'Download as CSV' }).click();
  expect((await downloaded).suggestedFilename()).toBe('Opening times.csv');

  const book = async (page: Page, from: string, to: string) => {
    await page.goto(`${booking.origin}/resources/1`);
    await page.getByRole('link', { name: 'Book', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Book', exact: true }).waitFor();
    await page
      .locator('select')
      .and(page.getByLabel('Resource'))
      .getByText('Meeting room')
      .and(page.locator(':checked'))
      .waitFor({ state: 'attached' });
    await page.getByLabel('Starts').fill(`${day}T${from}`);
    await page.getByLabel('Ends').fill(`${day}T${to}`);
    await page.getByRole('button', { name: 'Save' }).click();
  };
  await book(guest.page, '09:00', '10:00');
  await guest.page.getByRole('button', { name: 'Withdraw' }).waitFor();
  await inBoth(guest.page);
  const path = new URL(guest.page.url()).pathname;
  await book(staff.page, '09:30', '10:30');
  await staff.page.getByText('That time is taken: choose a free one.').first().waitFor();

  await staff.page.goto(`${booking.origin}/bookings/calendar?view=month&on=${day}`);
  await inBoth(staff.page);
  await staff.page
    .getByRole('table')
    .getByRole('link', { name: /09:00|9:00/ })
    .click();
  await staff.page.getByRole('button', { name: 'Confirm' }).click();
  await staff.page.getByText('Confirmed by you').waitFor();
  await guest.page.goto(`${booking.origin}/times?of=1&view=week&on=${day}`);
  await inBoth(guest.page);
  await guest.page.getByRole('link', { name: /Confirmed/ }).click();
  await guest.page.getByRole('button', { name: 'Cancel' }).click();
  await guest.page.getByText('Cancelled by you').waitFor();
  expect(new URL(guest.page.url()).pathname).toBe(path);
  expect([...guest.problems, ...staff.problems].filter((problem) => !/400|409/.test(problem))).toEqual([]);
  await Promise.all([guest.context.close(), staff.context.close()]);
});

it('a member writes a note, keeps its draft over the end of the session, shares its notebook by a code, and finds the note', async () => {
  const notes = await createApp(site.node, { template: 'notes' });
  const author = await signUp(notes, 'Ewa Lis', 'wide');
  const reader = await signUp(notes, 'Kei Tanaka', 'phone');
  const { page } = author;
  await page.goto(`${notes.origin}/notebooks/new`);
  await page.getByLabel('Title').fill('Garden');
  // The session ends while the form is open. The member signs in again over the form.
  await endSession(page, notes);
  await page.getByRole('button', { name: 'Save' }).click();
  const again = page.getByRole('dialog', { name: 'Please sign in again' });
  await again.getByLabel(`Password of ${author.email}`).fill('plum-kettle-91');
  await page.keyboard.press('Escape');
  expect(await faults(page)).toEqual([]);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitFor({ state: 'detached' });
  expect(await page.getByText('Your draft was kept on this device.').count()).toBe(0);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Garden' }).waitFor();

  await page.goto(`${notes.origin}/notes/new`);
  await page.getByLabel('Title').fill('Roses');
  await page.getByLabel('Body').fill('Prune them in **March**.\n\n- sharp\n- dry\n\n<img src=x onerror=alert(1)>');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('button', { name: 'Cancel' }).evaluate((one) => one === document.activeElement)).toBe(
    true,
  );
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.endsWith('-auth-token')) localStorage.removeItem(key);
  });
  await page.reload();
  await page.getByLabel('E-mail').fill(author.email);
  await password(page).fill('plum-kettle-91');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Your draft was kept on this device.').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Roses');
  await page.locator('select').and(page.getByLabel('Notebook')).selectOption('Garden');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Roses' }).waitFor();
  expect(await page.getByRole('strong').innerText()).toBe('March');
  await page.getByText('<img src=x onerror=alert(1)>').waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published by you').waitFor();
  await inBoth(page);

  await page.goto(`${notes.origin}/invitations/new`);
  await page.locator('select').and(page.getByLabel('Notebook')).selectOption('Garden');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/invitations\/[0-9a-f-]{36}$/);
  const code = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  await reader.page.goto(`${notes.origin}/library`);
  await reader.page.getByRole('button', { name: 'Join notebook' }).click();
  const form = reader.page.getByRole('form', { name: 'Join notebook' });
  await form.getByLabel('Code').fill(code);
  await form.getByRole('button', { name: 'Join notebook' }).click();
  await reader.page.getByText('Join notebook: done.').waitFor();
  await reader.page.getByRole('heading', { name: 'Garden', level: 1 }).waitFor();
  await inBoth(reader.page);
  await reader.page.goto(`${notes.origin}/published`);
  await reader.page.getByRole('searchbox', { name: 'Search in this list' }).fill('march');
  await reader.page.getByText('One note.').waitFor();
  await reader.page.getByRole('button', { name: 'Keep this view' }).click();
  await reader.page.getByLabel('Name of the view').fill('Spring');
  await reader.page.getByRole('button', { name: 'Save', exact: true }).click();
  await reader.page.getByRole('button', { name: 'More', exact: true }).click();
  const more = reader.page.getByRole('dialog', { name: 'All screens' });
  await more.getByRole('link', { name: 'Spring' }).getByText('1', { exact: true }).waitFor();
  await reader.page.keyboard.press('Escape');
  await inBoth(reader.page);
  await reader.page.goto(`${notes.origin}/published`);
  await reader.page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Spring' }).click();
  await reader.page.waitForURL(/q=march/);
  await reader.page.getByRole('button', { name: 'Share this view' }).click();
  await reader.page.getByRole('button', { name: 'Share', exact: true }).click();
  await reader.page.getByRole('button', { name: 'Stop sharing the view Spring' }).waitFor();
  await inBoth(reader.page);
  await page.goto(`${notes.origin}/published`);
  await page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Spring' }).click();
  await page.getByRole('button', { name: 'Keep as my own' }).click();
  await page.getByRole('button', { name: 'Delete the view Spring' }).waitFor();
  await reader.page.getByRole('link', { name: 'Roses' }).click();
  await reader.page.getByRole('heading', { name: 'Roses' }).waitFor();
  // Only the author may take the transitions, so the reader sees no buttons for them.
  expect(await reader.page.getByRole('button', { name: /Withdraw|Archive/ }).count()).toBe(0);
  await inBoth(reader.page);

  await page.goto(`${notes.origin}/tags/new`);
  await page.getByLabel('Name').fill('summer');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'summer' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'summer' }).waitFor();
  // The browser reports the two requests with which the page gets to know of the ended session.
  expect(author.problems.filter((problem) => !/40[13]/.test(problem))).toEqual([]);
  expect(reader.problems).toEqual([]);
  await Promise.all([author.context.close(), reader.context.close()]);
});
