import type { Change } from '../../contract/changes.ts';
import { defaultRestSettings } from '../../contract/settings.ts';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { parseFacts } from '../../src/catalog/facts.ts';
import { compareDerivations, type DerivedSpecification } from '../../src/specification/compare/compare-derivations.ts';
import { diffChapters } from '../../src/specification/compare/diff.ts';
import { stableContent } from '../../src/specification/derive/content-hash.ts';
import { deriveChanged } from '../../src/specification/derive/specification.ts';
import type { JsonObject } from '../../src/specification/derive/words/sentence-parts.ts';
import { ownerTransaction } from './owner-transaction.ts';

const helpdesk = `
  create schema public;
  grant usage on schema public to anon, authenticated, service_role;
  create type public.status as enum ('open', 'closed');
  create table public.customers (id bigint generated always as identity primary key, email text not null unique);
  create table public.tickets (
    id uuid primary key default gen_random_uuid(),
    title text not null constraint title_length check (length(title) between 3 and 120),
    status public.status not null default 'open',
    customer bigint references public.customers on delete cascade,
    owner uuid default auth.uid()
  );
  alter table public.tickets enable row level security;
  create policy own on public.tickets for select to authenticated using (owner = auth.uid());
  create view public.open_tickets with (security_invoker) as select id, title from public.tickets;
  create function public.close(ticket uuid) returns void language sql as 'select 1';
  revoke execute on function public.close from public;
  grant select, insert on public.tickets to anon, authenticated;
  grant select on public.open_tickets to authenticated;`;

/** Can run SQL scripts as one role. */
interface Scripts {
  script(sql: string): Promise<unknown>;
}

/**
 * A help desk whose specification is compared with its specification before a change. At the start of each test, the
 * app is in its initial state.
 */
export interface DiffedApp {
  /** Runs SQL as the app's owner, in a transaction that is rolled back after each test. */
  owner: Scripts;
  /** Runs SQL as the superuser outside of this transaction, to change roles. The test itself must undo the change. */
  superuser: Scripts;
  /** Derives the chapters in the form of an export: converted to JSON and back, and without live figures. */
  derive(authSettings?: typeof defaultAuthSettings, restSettings?: typeof defaultRestSettings): Promise<JsonObject>;
  /** Returns the changes between two results of `derive`. Compares their facts, so that it finds renames by object ids. */
  diff(before: JsonObject, after: JsonObject): Change[];
}

/** Creates the help desk on a PostgreSQL of its own, for the tests of the calling file. */
export function diffedApp(name: string): DiffedApp {
  const { script, superuser, readFacts } = ownerTransaction(name, `drop schema public cascade; ${helpdesk}`);
  const derivations = new WeakMap<JsonObject, DerivedSpecification>();
  return {
    owner: { script },
    superuser: { script: superuser },
    derive: async (authSettings = defaultAuthSettings, restSettings = defaultRestSettings) => {
      const options = { exposedSchemas: ['public'], authenticator: 'app_authenticator' };
      const facts = parseFacts(await readFacts({ ...options, anonymous: restSettings.db_anon_role }));
      const app = { ref: 'helpdesk', name: 'Helpdesk', authSettings, restSettings };
      const derivation = deriveChanged(facts, app, null);
      const chapters = JSON.parse(JSON.stringify(stableContent(derivation.specification.chapters)));
      derivations.set(chapters, { ...derivation, facts, app });
      return chapters;
    },
    diff: (before, after) => {
      const [old, fresh] = [derivations.get(before), derivations.get(after)];
      return old && fresh ? compareDerivations(old, fresh) : diffChapters(before, after);
    },
  };
}
