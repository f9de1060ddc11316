/** An app with 50 tables and 120 policies, generated identically each time, and the attempts that are made on it. */

export const TABLES = 50;
export const POLICIES = 120;
/** Number of rows in each table except `members`. */
export const ROWS = 40;

/** Conditions of policies, from conditions that are always true to conditions that are never true. */
const conditions = {
  own: () => '(select auth.uid()) = owner',
  team: (table: string) =>
    `exists (select 1 from public.members m where m.team = ${table}.team and m.who = (select auth.uid()))`,
  published: () => 'published',
  pro: () => `(select auth.jwt() -> 'app_metadata' ->> 'plan') = 'pro'`,
  desk: () => `(select ninefold.has_role('desk'))`,
  signedIn: () => '(select auth.uid()) is not null',
  everybody: () => 'true',
  nobody: () => 'false',
} as const;

type Kind = keyof typeof conditions;

/** Conditions of policies for all roles. For an anonymous caller each depends on the row or has a constant result. */
const forEverybody: readonly Kind[] = [
  'own',
  'published',
  'signedIn',
  'everybody',
  'nobody',
  'desk',
  'published',
  'own',
];
const forMembers: readonly Kind[] = ['own', 'team', 'published', 'pro', 'desk', 'everybody', 'nobody', 'team', 'own'];
const commands = ['all', 'select', 'insert', 'update', 'delete', 'select'] as const;

/** Returns a generator of reproducible pseudo-random numbers (Park and Miller). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

/** Returns the SQL of the app. `ids` are the members ada, bob, cleo and dora; the last two have the role desk. */
export function matrixAppSql(ids: readonly string[]): string {
  const [ada, bob, cleo, dora] = ids;
  const next = numbers(20_240_601);
  const statements = [
    `select ninefold.define_role('desk', 'Answers tickets');
     select ninefold.grant_role('${cleo}', 'desk'); select ninefold.grant_role('${dora}', 'desk');
     create table public.members (team int not null, who uuid not null references auth.users on delete cascade, primary key (team, who));
     alter table public.members enable row level security;
     revoke all on public.members from anon, authenticated; grant select on public.members to authenticated;
     create policy own on public.members for select to authenticated using (who = (select auth.uid()));
     insert into public.members values (1, '${ada}'), (2, '${bob}'), (2, '${cleo}'), (1, '${dora}');`,
  ];
  let policies = 1;
  for (let i = 1; i < TABLES; i++) {
    const table = `t${String(i).padStart(2, '0')}`;
    statements.push(
      `create table public.${table} (id int primary key, owner uuid, team int, published boolean, status text, note text default 'note');
       insert into public.${table} (id, owner, team, published, status)
         select row_number() over (), o, t, p, s from unnest(array['${ada}', '${bob}', '${cleo}', '${dora}', null]::uuid[]) o,
           unnest(array[1, 2]) t, unnest(array[true, false]) p, unnest(array['open', 'locked']) s;`,
      ...grants(table, next(9)),
    );
    if (next(12) > 0) statements.push(`alter table public.${table} enable row level security;`);
    // The remaining policies are spread evenly over the remaining tables.
    const count = Math.round((POLICIES - policies) / (TABLES - i));
    for (let n = 0; n < count; n++) statements.push(policy(table, n, next));
    policies += count;
    if (i % 10 === 0) statements.push(...views(table, i));
  }
  statements.push(
    `create function public.free() returns int language sql stable set search_path = '' as 'select 1';
     create function public.closed(a int) returns int language sql set search_path = '' as 'select 1';
     revoke execute on function public.closed from public, anon, authenticated;
     create function public.for_members() returns int language plpgsql security definer set search_path = '' as 'begin return 1; end';
     revoke execute on function public.for_members from public, anon, service_role;`,
  );
  return statements.join('\n');
}

function grants(table: string, kind: number): string[] {
  if (kind === 0) return [`revoke all on public.${table} from anon;`];
  if (kind === 1) return [`revoke insert, update, delete on public.${table} from anon, authenticated;`];
  if (kind === 2) {
    return [
      `revoke select, update on public.${table} from authenticated;`,
      `grant select (id, owner, note), update (note) on public.${table} to authenticated;`,
    ];
  }
  if (kind === 3)
    return [`revoke insert on public.${table} from anon; grant insert (id, note) on public.${table} to anon;`];
  return kind === 4 ? [`revoke all on public.${table} from anon, authenticated, service_role;`] : [];
}

function policy(table: string, n: number, next: (below: number) => number): string {
  const isRestrictive = n > 0 && next(5) === 0;
  const to = ['public', 'authenticated', 'anon, authenticated'][next(3)] ?? 'public';
  const command = commands[next(commands.length)] ?? 'all';
  const kinds = to === 'authenticated' ? forMembers : forEverybody;
  const kind = kinds[next(kinds.length)] ?? 'own';
  const condition = isRestrictive ? `status <> 'locked'` : conditions[kind](table);
  const clauses = command === 'insert' ? [`with check (${condition})`] : [`using (${condition})`];
  if ((command === 'update' || command === 'all') && next(3) === 0) clauses.push('with check (published)');
  return `create policy p${n} on public.${table} as ${isRestrictive ? 'restrictive' : 'permissive'} for ${command} to ${to} ${clauses.join(' ')};`;
}

function views(table: string, i: number): string[] {
  const invoker = i % 20 === 0 ? ' with (security_invoker = true)' : '';
  return [
    `create view public.v${i}${invoker} as select id, owner, team, published, status, note from public.${table};`,
  ];
}

/**
 * Returns rows that a caller tries to insert: own rows and rows of others, in both teams, published and unpublished,
 * open and locked.
 */
export function newRows(own: string | null, other: string): Record<string, unknown>[] {
  return [own, other, null].flatMap((owner) =>
    [1, 2].flatMap((team) =>
      [true, false].flatMap((published) =>
        ['open', 'locked'].map((status) => ({ id: 1000, owner, team, published, status, note: 'new' })),
      ),
    ),
  );
}
