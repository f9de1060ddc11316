/**
 * SQL of an example table that adds something to every chapter, and about which chapter 6 has no advice: the policy finds
 * rows by an index, and visitors have no rights on the table.
 */
export const firstTable = `create table public.notes (
  id    bigint primary key
        generated always as identity,
  owner uuid not null default auth.uid()
        references auth.users
        on delete cascade,
  title text not null
        check (length(title) <= 80)
);
create index on public.notes (owner);
comment on table public.notes
  is 'What a member wrote down';

revoke all on public.notes from anon;
alter table public.notes
  enable row level security;
create policy "own notes" on public.notes
  for all to authenticated
  using (owner = (select auth.uid()));`;
