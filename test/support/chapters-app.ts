import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import type { Specification } from '../../contract/specification.ts';
import { parseFacts } from '../../src/catalog/facts.ts';
import { deriveSpecification } from '../../src/specification/derive/specification.ts';
import { specificationMarkdown } from '../../src/specification/render/markdown/specification.ts';
import { ownerTransaction } from './owner-transaction.ts';

const app = { ref: 'helpdesk', name: 'Helpdesk', authSettings: defaultAuthSettings };

const helpdesk = `
    drop schema if exists public cascade; create schema public;
    grant usage on schema public to anon, authenticated, service_role;
    select ninefold.define_role('agent', 'Answers tickets.');
    create type public.ticket_status as enum ('open', 'held', 'closed', 'lost');
    create table public.tickets (
      id bigint generated always as identity primary key, title text not null, status public.ticket_status not null default 'open',
      assignee uuid, resolution text, closed_at timestamptz, notes jsonb
    );
    create table public.staff (id int primary key);
    create view public.titles with (security_invoker) as select title from public.tickets group by title;
    alter table public.tickets enable row level security;
    create policy everyone on public.tickets to authenticated using (true);
    grant all on public.tickets, public.titles to authenticated, service_role;
    select ninefold.define_machine('public.tickets', 'status', 'open', $$[
      {"name": "hold", "from": "open", "to": "held"},
      {"name": "close", "from": ["open", "held"], "to": "closed", "roles": "agent", "requires": "resolution",
        "when": "assignee = auth.uid() and title <> '(tickets).title' and exists (select from public.staff s where s.id = tickets.id)",
        "sets": {"closed_at": "now()", "notes": "jsonb_build_object('by', auth.uid(), 'note', 'a, (b')"}},
      {"name": "reopen", "from": "any", "to": "open"}
    ]$$)`;

/**
 * A help desk with a state machine, for tests of the schema ninefold. Each test begins with the initial state of the
 * app.
 */
export interface ChaptersApp {
  /** Runs SQL as the app's owner. */
  owner: { script(sql: string): Promise<unknown> };
  /** Derives the app's chapters as the server does, and returns them also as text. */
  derive(exposedSchemas?: string[]): Promise<Specification['chapters'] & { hash: string; markdown: string }>;
}

/** Creates the help desk on a separate PostgreSQL for the tests of the calling file. */
export function chaptersApp(name: string): ChaptersApp {
  const { script, readFacts } = ownerTransaction(name, helpdesk);
  return {
    owner: { script },
    derive: async (exposedSchemas = ['public']) => {
      const facts = parseFacts(await readFacts({ exposedSchemas, authenticator: 'app_authenticator' }));
      const specification = deriveSpecification(facts, app);
      return { ...specification.chapters, hash: specification.hash, markdown: specificationMarkdown(specification) };
    },
  };
}
