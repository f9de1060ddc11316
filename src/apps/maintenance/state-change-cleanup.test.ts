import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import type { Pool } from '../../database/pool.ts';
import { rowsAsText } from '../../database/statement.ts';
import type { App } from '../app.ts';
import { readSettings } from '../settings.ts';
import { deleteOldStateChanges } from './state-change-cleanup.ts';

let database: AppDatabase;
let login: Pool;

beforeAll(async () => {
  database = await startAppDatabase('state_changes');
  login = database.as('app_server');
  await database.as('app_owner').script(`
    create table public.tickets (id int primary key, status text not null default 'open');
    select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": "open", "to": "closed"}, {"name": "reopen", "from": "closed", "to": "open"}]');`);
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const app = (days: number): Pick<App, 'serverDatabase' | 'settings'> => ({
  serverDatabase: login,
  settings: () => Promise.resolve(readSettings({ state_changes_days: days })),
});

/**
 * Inserts rows that were opened long ago and closed `days` days ago. Every second row was reopened yesterday. Then
 * deletes the last row.
 */
async function fill(rows: number, days: number): Promise<void> {
  await database.pool.script(`
    truncate public.tickets, ninefold.state_changes;
    insert into public.tickets select g from generate_series(1, ${rows}) g;
    update public.tickets set status = 'closed';
    update public.tickets set status = 'open' where id % 2 = 0;
    delete from public.tickets where id = ${rows};
    update ninefold.state_changes set at = case when from_state is null then now() - interval '9 years'
      when to_state = 'closed' then now() - interval '${days} days' else now() - interval '1 day' end;`);
}

async function left(): Promise<string[]> {
  const [result] = await database.pool.run([
    {
      text: `select key ->> 'id' || ' ' || coalesce(from_state, 'new') || ' ' || to_state as change from ninefold.state_changes order by id`,
      params: [],
    },
  ]);
  return (result ? rowsAsText(result) : []).map((row) => row.change ?? '');
}

describe('deleteOldStateChanges', () => {
  it('deletes old state changes except the last one of each existing row', async () => {
    await fill(4, 2000);
    expect(await deleteOldStateChanges(app(1825))).toBe(6);
    // The last state change of rows 1 and 3 is the closing. Row 2 was reopened. Of row 4, which was deleted, only the
    // recent state change stays.
    expect(await left()).toEqual(['1 open closed', '3 open closed', '2 closed open', '4 closed open']);
    expect(await deleteOldStateChanges(app(1825))).toBe(0);
  });

  it('deletes nothing if the app stores state changes forever, and retains at least 30 days', async () => {
    await fill(2, 20);
    expect(await deleteOldStateChanges(app(0))).toBe(0);
    expect(await deleteOldStateChanges(app(1))).toBe(2);
    expect(await left()).toEqual(['1 open closed', '2 open closed', '2 closed open']);
  });

  it('deletes in batches, and skips locked rows without waiting', async () => {
    await fill(2500, 2000);
    await database.pool.transaction(async (tx) => {
      await tx.run([{ text: `select from ninefold.state_changes where key ->> 'id' = '2' for update`, params: [] }]);
      expect(await deleteOldStateChanges(app(1825))).toBe(3748);
    });
    expect(await deleteOldStateChanges(app(1825))).toBe(2);
    expect((await left()).length).toBe(2500);
  });
});
