import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Member } from '../support/clients.ts';
import { type Console, openWithMember, tabTo } from './console.ts';

let site: Console;
let app: AppConnection;
let ines: Member;
beforeAll(async () => {
  const made = await openWithMember(
    `create table public.notes (id bigint generated always as identity primary key, title text not null
       constraint title_length check (char_length(title) <= 20), owner uuid not null default auth.uid());
     alter table public.notes enable row level security;
     create policy "own notes" on public.notes for select to authenticated using (owner = auth.uid());
     create policy "write own" on public.notes for insert to authenticated with check (owner = auth.uid());
     insert into public.notes (title, owner) values ('somebody else''s', gen_random_uuid());
     create function public.rename_notes() returns void language plpgsql as $f$ begin
       update public.notes set title = '' where id = 0;
       if not found then raise exception 'No such note' using errcode = 'NT001'; end if; end $f$;
     create function public.echo(word text) returns text language sql stable as 'select word';`,
  );
  ({ site, app, member: ines } = made);
  await ines.client.from('notes').insert({ title: 'of Ines' });
});
afterAll(() => site.close());

const open = async (call: string) => {
  const visit = await site.visit(`/app/${app.ref}/calls?call=${encodeURIComponent(call)}`);
  const form = visit.page.getByRole('form', { name: 'Try it' });
  await form.waitFor();
  return { ...visit, form };
};

const asMember = async (page: Page) => {
  await page.getByRole('button', { name: 'A member', exact: true }).click();
  await page.getByRole('combobox', { name: 'Member' }).fill(ines.user.email ?? '');
  await page.getByRole('option', { name: ines.user.email ?? '' }).click();
};

describe('TryIt', () => {
  it('sends a call as a member, shows the rows that the member may read, and links to its trace', async () => {
    const { page, form, context, problems } = await open('rest.public.notes.select');
    const reply = page.getByRole('region', { name: 'Reply' });
    await asMember(page);
    await form.getByRole('button', { name: 'Send' }).click();
    await reply.getByText(/in .*, 1 row/).waitFor();
    expect(await reply.textContent()).toContain('of Ines');
    await page.getByRole('button', { name: 'Service key' }).click();
    await form.getByRole('button', { name: 'Send' }).click();
    await reply.getByText(/in .*, 2 rows/).waitFor();
    const functions = page.getByRole('table', { name: 'Functions' });
    await functions.getByText('Changes notes.').waitFor();
    await functions.getByText('Raises “No such note” (NT001).').waitFor();
    await reply.getByRole('link', { name: 'Request trace' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('service_role').first().waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('rolls a write back unless the reader chooses to save it', async () => {
    const { page, form, context } = await open('rest.public.notes.insert');
    const reply = page.getByRole('region', { name: 'Reply' });
    const count = async () => (await ines.client.from('notes').select()).data?.length;
    await asMember(page);
    await page.getByRole('textbox', { name: 'Body' }).fill(`{"title": "tried", "owner": "${ines.user.id}"}`);
    await form.getByRole('button', { name: 'Send POST, then undo' }).click();
    await reply.getByText(/undone/).waitFor();
    expect(await reply.textContent()).toContain('tried');
    expect(await count()).toBe(1);
    await page.getByRole('checkbox', { name: 'Undo afterwards' }).uncheck();
    await page.getByText('This request changes data permanently.').waitFor();
    await form.getByRole('button', { name: 'Send POST, and write' }).click();
    await reply.getByText(/written/).waitFor();
    expect(await count()).toBe(2);
    await context.close();
  });

  it('warns if the server reads an argument in the query as a filter', async () => {
    const { form, context, problems } = await open('rpc.public.echo(text).get');
    const field = form.getByRole('textbox', { name: 'word' });
    const filters = [
      'eq.1',
      'not.gt.1',
      'in.(1,2)',
      'is.null',
      'fts(english).a',
      'like(any).{a}',
      'isdistinct.1',
      'in.1',
    ];
    const values = ['1', 'equal', 'eq', 'eq1.5', 'x.eq.1', 'EQ.1', 'eq(some).1', 'fts(a-b).c', ' eq.1'];
    for (const value of [...filters, ...values]) {
      await field.fill(value);
      const answer = await fetch(`${app.url}/rest/v1/rpc/echo?word=${encodeURIComponent(value)}`, {
        headers: { apikey: app.publishable_key },
      });
      const isArgument = answer.ok && (await answer.json()) === value;
      expect([value, isArgument]).toEqual([value, values.includes(value)]);
      const reported = await form.getByText(/filters the result/).count();
      expect([value, reported]).toEqual([value, isArgument ? 0 : 1]);
    }
    await field.fill('eq.1');
    expect(await form.textContent()).toContain('A value that begins with eq. filters the result.');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('explains why a policy refuses a call', async () => {
    const { page, form, context } = await open('rest.public.notes.insert');
    const reply = page.getByRole('region', { name: 'Reply' });
    await asMember(page);
    await page
      .getByRole('textbox', { name: 'Body' })
      .fill('{"title": "for others", "owner": "00000000-0000-0000-0000-000000000000"}');
    await form.getByRole('button', { name: 'Send POST, then undo' }).click();
    await reply.getByText('403', { exact: true }).waitFor();
    expect(await reply.textContent()).toContain('42501');
    await reply.getByRole('button', { name: 'Why is it refused?' }).click();
    await reply.getByText('write own', { exact: true }).waitFor();
    await reply.getByText('owner is the caller').first().waitFor();
    await reply.getByRole('link', { name: '42501' }).click();
    await page.getByRole('complementary', { name: 'Error 42501' }).waitFor();
    await context.close();
  });
});

it('the keyboard alone opens, sends and closes a call', async () => {
  const { page, context, problems } = await site.visit(`/app/${app.ref}/calls`);
  const focused = page.locator(':focus');
  await page.getByRole('button', { name: 'POST /rest/v1/notes', exact: true }).waitFor();
  await page.keyboard.press('f');
  await page.keyboard.type('rest/v1/notes');
  // The page filters the table with each typed letter, so other calls disappear before Enter.
  await page.getByRole('button', { name: 'POST /auth/v1/signup', exact: true }).waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  for (let presses = 0; presses < 9; presses++) {
    if ((await focused.getAttribute('aria-label')) === 'POST /rest/v1/notes') break;
    await page.keyboard.press('ArrowUp');
  }
  await page.keyboard.press('Enter');
  const form = page.getByRole('form', { name: 'Try it' });
  await form.waitFor();

  await page.keyboard.press('e');
  await page.keyboard.press('Tab');
  expect(await focused.textContent()).toBe('A member');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Member');
  const email = ines.user.email ?? '';
  await page.getByRole('option', { name: email }).waitFor();
  // The keys are pressed at once, as by a fast typist, although the server's search takes longer.
  await page.keyboard.type(email);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Body');
  await page.keyboard.press('Control+a');
  await page.keyboard.type(`{"title": "by keys", "owner": "${ines.user.id}"}`);
  await tabTo(page, 'Undo afterwards');
  expect(await focused.isChecked()).toBe(true);
  await tabTo(page, 'Send POST, then undo');
  await page.keyboard.press('Enter');
  const reply = page.getByRole('region', { name: 'Reply' });
  await reply.getByText(/undone/).waitFor();
  expect(await focused.textContent()).toBe('Send POST, then undo');

  await tabTo(page, 'Why these rows?');
  await page.keyboard.press('Enter');
  await reply.getByText('write own', { exact: true }).waitFor();
  expect(await focused.getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  expect(await focused.getAttribute('aria-label')).toBe('POST /rest/v1/notes');
  expect(problems).toEqual([]);
  await context.close();
});

describe('CallPanel', () => {
  it('lists the errors that the call can return with links to chapter 8, and its figures', async () => {
    const { page, context } = await open('rest.public.notes.insert');
    const panel = page.getByRole('complementary', { name: 'POST /rest/v1/notes' });
    await panel.getByRole('button', { name: '24 h' }).click();
    await panel.getByText(/calls? in 24 hours/).waitFor();
    await panel.getByText(/errors of the protocols and the server/).click();
    await panel.getByRole('link', { name: 'PGRST102' }).waitFor();
    await panel.getByRole('link', { name: 'title_length' }).click();
    await page.getByRole('complementary', { name: 'Error title_length' }).waitFor();
    await context.close();
  });
});
