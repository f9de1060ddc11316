import pg from 'pg';
import { number, table } from '../figures.ts';
import { percentile, timeText } from './clock.ts';
import { withGenerator } from './generator.ts';
import type { Target } from './orders.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';

const LISTENERS = 16;
const WRITES = 100;
/** Longest pause between two writes. Pauses are random, so that writes meet every moment between two reads. */
const PAUSE_MILLISECONDS = 400;

export const NOTES = `create table public.notes (id bigint generated always as identity primary key, at text not null, title text);
  grant select on public.notes to anon, authenticated;
  grant all on public.notes to service_role;
  alter publication supabase_realtime add table public.notes`;

export const changeHead = ['A change, from the write to the client', 'p50', 'p99', 'lost'];

/** Measures the time from a write to the message about it, through the API and by SQL that the node does not see. */
export async function measureChanges(app: RealtimeApp): Promise<void> {
  await app.sql(NOTES);
  const owner = new pg.Client(app.app.database_url ?? '');
  await owner.connect();
  try {
    const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] };
    const target = app.target({ topic: 'notes', config });
    const byApi = () => app.write('/notes', { at: timeText(), title: 'a title' });
    const bySql = () => owner.query('insert into public.notes (at, title) values ($1, $2)', [timeText(), 'a title']);
    table(changeHead, [
      await changeRow('insert through the API', target, byApi),
      await changeRow('insert by other SQL', target, bySql),
    ]);
  } finally {
    await owner.end();
  }
}

/** Returns the line of a table: the ages of changes when they arrive at clients in both workers. */
export function changeRow(name: string, target: Target, write: () => Promise<unknown>): Promise<string[]> {
  return withGenerator(async (generator) => {
    await generator.open(target, LISTENERS);
    for (let i = 0; i < WRITES; i++) {
      await write();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MILLISECONDS));
    }
    const { ages, received } = await generator.expect(WRITES * LISTENERS);
    const lost = WRITES * LISTENERS - received;
    return [name, ...[0.5, 0.99].map((share) => `${percentile(ages, share).toFixed(1)} ms`), number(lost)];
  });
}
