import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Change } from '../../contract/changes.ts';
import { defaultRestSettings } from '../../contract/settings.ts';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { parseFacts, type RawFacts, readFactsWithin } from '../../src/catalog/facts.ts';
import type { Transaction } from '../../src/database/database.ts';
import { plain } from '../../src/database/statement.ts';
import type { JsonObject } from '../../src/spec/changes/differences.ts';
import { stableContent } from '../../src/spec/content-hash.ts';
import { diffChapters } from '../../src/spec/diff/diff.ts';
import { deriveSpecification } from '../../src/spec/specification.ts';
import { type ObjectIds, objectIds } from '../../src/spec/versions/object-ids.ts';
import { type AppDatabase, startAppDatabase } from './app-database.ts';

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
  /** Returns the changes between two results of `derive`. Uses the ids of their objects to find renames. */
  diff(before: JsonObject, after: JsonObject): Change[];
}

/** Creates the help desk on a PostgreSQL of its own, for the tests of the calling file. */
export function diffedApp(name: string): DiffedApp {
  let database: AppDatabase;
  let tx: Transaction;
  let end: () => void = () => undefined;
  /** The catalog facts of the initial state. They are read only once, because reading them takes longer than everything else. */
  let initial: RawFacts | null = null;
  let isInitial = true;
  const ids = new WeakMap<JsonObject, ObjectIds>();
  beforeAll(async () => {
    database = await startAppDatabase(name);
    const owner = database.as('app_owner');
    await owner.script(`drop schema public cascade; ${helpdesk}`);
    tx = await new Promise((resolve, reject) => {
      const untilEnd = (begun: Transaction): Promise<void> => {
        resolve(begun);
        return new Promise((finish) => {
          end = finish;
        });
      };
      owner.transaction(untilEnd).catch(reject);
    });
    await tx.run([plain('savepoint initial')]);
  });
  beforeEach(async () => {
    await tx.run([plain('rollback to savepoint initial')]);
    isInitial = true;
  });
  afterAll(async () => {
    end();
    await database?.stop();
  });
  const readRawFacts = async (options: RawFacts['options']): Promise<RawFacts> => {
    if (isInitial && initial !== null) return { ...initial, options };
    await tx.run([plain('savepoint reading')]);
    const facts = await readFactsWithin(tx, options);
    // readFactsWithin changes the search path and other settings of the transaction. The rollback restores them.
    await tx.run([plain('rollback to savepoint reading')]);
    if (isInitial) initial = facts;
    return facts;
  };
  const scripts = (run: (sql: string) => Promise<unknown>): Scripts => ({
    script: (sql) => {
      isInitial = false;
      return run(sql);
    },
  });
  return {
    owner: scripts((sql) => tx.script(sql)),
    superuser: scripts((sql) => database.pool.script(sql)),
    derive: async (authSettings = defaultAuthSettings, restSettings = defaultRestSettings) => {
      const facts = parseFacts(
        await readRawFacts({
          exposedSchemas: ['public'],
          authenticator: 'app_authenticator',
          anonymous: restSettings.db_anon_role,
        }),
      );
      const app = { ref: 'helpdesk', name: 'Helpdesk', authSettings, restSettings };
      const chapters = JSON.parse(JSON.stringify(stableContent(deriveSpecification(facts, app).chapters)));
      ids.set(chapters, objectIds(facts));
      return chapters;
    },
    diff: (before, after) =>
      diffChapters(before, after, { before: ids.get(before) ?? null, after: ids.get(after) ?? null }),
  };
}
