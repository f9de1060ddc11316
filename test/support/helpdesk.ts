import { beforeAll } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, createTemplate } from './apps.ts';
import type { NodeAddress } from './node.ts';

/** SQL of an app with rules, privileges and a function. Many tests read the specification of this app. */
export const helpdesk = `
  create type public.status as enum ('open', 'closed');
  create table public.tickets (
    id uuid primary key default gen_random_uuid(), title text not null check (length(title) between 3 and 120),
    status public.status not null default 'open', owner uuid default auth.uid() references auth.users
  );
  alter table public.tickets enable row level security;
  create policy own on public.tickets for select to authenticated using (owner = (select auth.uid()));
  create function public.close(ticket uuid) returns public.tickets language sql as 'select * from public.tickets limit 1';
  create table public.secrets (word text);
  revoke all on public.tickets, public.secrets from anon, authenticated;
  grant select, insert on public.tickets to authenticated;`;

/** Creates the help desk before the tests of the calling file. Returns a function that clones it for a test. */
export function helpdeskCopies(node: NodeAddress): (name?: string) => Promise<AppConnection> {
  let template: AppConnection;
  beforeAll(async () => {
    template = await createTemplate(node, helpdesk);
  });
  return (name = 'Helpdesk') => createApp(node, { from: template.ref, name });
}
