import { median, number, table } from '../figures.ts';
import { sharedNow, timeText } from './clock.ts';
import { withGenerator } from './generator.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';
import { memberId } from './tokens.ts';

const WRITES = 30;
const MEMBERS = 1000;

const SCHEMA = `
  create table public.members (user_id uuid primary key, team_id int not null);
  alter table public.members enable row level security;
  create policy "see own" on public.members for select to authenticated using (user_id = (select auth.uid()));
  insert into public.members select ('00000000-0000-4000-8000-' || lpad(to_hex(g), 12, '0'))::uuid, 1
    from generate_series(0, ${MEMBERS - 1}) g;
  create table public.own (id bigint generated always as identity primary key, owner_id uuid not null, at text);
  create table public.of_team (id bigint generated always as identity primary key, team_id int not null, at text);
  alter table public.own enable row level security;
  alter table public.of_team enable row level security;
  create policy "see own" on public.own for select to authenticated using (owner_id = (select auth.uid()));
  create policy "see of team" on public.of_team for select to authenticated
    using (team_id in (select team_id from public.members where user_id = (select auth.uid())));
  grant select on public.members, public.own, public.of_team to authenticated;
  grant all on public.members, public.own, public.of_team to service_role;
  analyze public.members;
  alter publication supabase_realtime add table public.own, public.of_team`;

interface PolicyCase {
  readonly name: string;
  readonly table: 'own' | 'of_team';
  readonly rows: number;
  readonly members: number;
}

const cases: readonly PolicyCase[] = [
  { name: 'own row: 1 row', table: 'own', rows: 1, members: 1 },
  { name: 'own row: 1 row', table: 'own', rows: 1, members: 1000 },
  { name: 'own row: 100 rows', table: 'own', rows: 100, members: 100 },
  { name: 'membership: 1 row', table: 'of_team', rows: 1, members: 1 },
  { name: 'membership: 1 row', table: 'of_team', rows: 1, members: 1000 },
  { name: 'membership: 100 rows', table: 'of_team', rows: 100, members: 1 },
  { name: 'membership: 100 rows', table: 'of_team', rows: 100, members: 100 },
];

/**
 * Measures the time from a write of the API to the last message about it, end to end. Lines with one member have the time
 * without the work for many members.
 */
export async function measurePolicies(app: RealtimeApp): Promise<void> {
  await app.sql(SCHEMA);
  const rows: string[][] = [];
  for (const each of cases) {
    const [middle, slow] = await timesOf(app, each);
    rows.push([`${each.name} × ${number(each.members)} members`, `${middle.toFixed(1)} ms`, `${slow.toFixed(1)} ms`]);
  }
  table(['From a write through the API to the last message', 'p50', `slowest of ${WRITES}`], rows);
}

function timesOf(app: RealtimeApp, { table: name, rows, members }: PolicyCase): Promise<[number, number]> {
  return withGenerator(async (generator) => {
    const config = { postgres_changes: [{ event: 'INSERT', schema: 'public', table: name }] };
    const target = app.target({ topic: 'policies', config, asMembers: true });
    await generator.open(target, members);
    // An own row has one reader. A row of the team has all.
    const messages = name === 'own' ? rows : rows * members;
    const times: number[] = [];
    // The first writes prepare statements.
    for (let i = -5; i < WRITES; i++) {
      const body = Array.from({ length: rows }, (_, row) => ({
        at: timeText(),
        ...(name === 'own' ? { owner_id: memberId((i + 5 + row) % members) } : { team_id: 1 }),
      }));
      const started = sharedNow();
      await app.write(`/${name}`, body);
      const { received, lastAt } = await generator.expect(messages);
      if (received !== messages) throw new Error(`${received} messages arrived, and ${messages} were expected`);
      if (i >= 0) times.push(lastAt - started);
    }
    return [median(times), Math.max(...times)];
  });
}
