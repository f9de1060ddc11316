import { beforeAll, describe, expect, it } from 'vitest';
import type { OnePage } from '../../../../contract/one-page.ts';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import { ownerTransaction } from '../../../../test/support/owner-transaction.ts';
import { parseFacts } from '../../../catalog/facts.ts';
import { deriveSpecification } from '../../derive/specification.ts';
import { onePage } from './one-page.ts';
import { onePageHtml, onePageMarkdown } from './texts.ts';

const { readFacts } = ownerTransaction(
  'one-page',
  `drop schema public cascade; create schema public; grant usage on schema public to anon, authenticated, service_role;
   select ninefold.describe_app(purpose => 'Members report <what> is broken.', audience => 'Everybody at work');
   select ninefold.define_role('lead', 'Closes tickets.');
   create table public.tickets (
     id bigint generated always as identity primary key,
     title text not null constraint title_length check (length(title) between 3 and 120),
     state text not null default 'new' check (state in ('new', 'done')),
     owner uuid not null default auth.uid() references auth.users);
   comment on table public.tickets is 'What is broken. And more.';
   comment on constraint title_length on public.tickets is 'A title is 3 to 120 characters.';
   alter table public.tickets enable row level security;
   revoke all on public.tickets from anon, authenticated;
   grant select, insert (title), delete on public.tickets to authenticated;
   create policy own on public.tickets for select to authenticated
     using (owner = (select auth.uid()) or (select ninefold.has_role('lead')));
   create policy write on public.tickets for insert to authenticated with check (owner = (select auth.uid()));
   create policy remove on public.tickets for delete to authenticated using ((select ninefold.has_role('lead')));
   select ninefold.define_machine('public.tickets', 'state', 'new',
     '[{"name": "finish", "from": "new", "to": "done", "roles": ["lead"]}]');
   create function public.refuse() returns void language plpgsql as $$
     begin raise exception using errcode = 'PT409', message = 'It is closed.'; end $$;`,
);

describe('onePage', () => {
  let page: OnePage;
  beforeAll(async () => {
    const facts = await readFacts({ exposedSchemas: ['public'], authenticator: 'app_authenticator' });
    const app = { ref: 'tickets', name: 'Tickets', authSettings: defaultAuthSettings };
    page = onePage(deriveSpecification(parseFacts(facts), app));
  });

  const linesOf = (title: string) =>
    (page.sections.find((section) => section.title === title)?.lines ?? []).map(({ term, words }) => [term, words]);

  it('describes the things, the state changes and the rules of the app', () => {
    expect(page).toMatchObject({ ref: 'tickets', name: 'Tickets', purpose: 'Members report <what> is broken.' });
    expect(linesOf('What it keeps')).toEqual([['tickets', 'What is broken.']]);
    expect(linesOf('How things move on')).toEqual([['tickets, state', 'Starts as new. finish: new → done (lead).']]);
    expect(linesOf('What is valid')[0]?.[1]).toContain('A title is 3 to 120 characters.');
    expect(linesOf('What it refuses')).toEqual([['PT409', 'It is closed.']]);
  });

  it('describes each role that policies bind, and of a role of members only what it has in addition', () => {
    expect(linesOf('Who may do what')).toEqual([
      ['A visitor', 'call refuse.'],
      ['A signed-in member', 'read tickets (own); add tickets (own); call refuse.'],
      ['A lead', 'Closes tickets. In addition: read tickets; delete tickets.'],
    ]);
  });

  it('leaves out sections without lines', () => {
    expect(page.sections.map(({ title }) => title)).not.toContain('What runs by itself');
    expect(page.sections.every(({ lines }) => lines.length > 0)).toBe(true);
  });

  it('becomes Markdown and HTML in which texts of the app stay texts', () => {
    expect(onePageMarkdown(page)).toMatch(
      /^# Tickets\n\nMembers report \\<what\\> is broken\.\n\n- For: Everybody at work/,
    );
    const html = onePageHtml(page);
    expect(html).toContain('<p>Members report &lt;what&gt; is broken.</p>');
    expect(html).toContain(
      '<li><strong>A lead</strong>: Closes tickets. In addition: read tickets; delete tickets.</li>',
    );
    expect(html).not.toContain('<what>');
  });
});
