-- Notebooks, and with whom they are shared.

create table public.notebooks (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null default auth.uid() references auth.users (id) on delete cascade,
  title text not null constraint notebooks_title_length check (length(title) between 1 and 120),
  created_at timestamptz not null default now(),
  -- What shares point to, so that each knows whose notebook it is for.
  constraint notebooks_with_owner unique (id, owner)
);
create index notebooks_owner on public.notebooks (owner);
comment on table public.notebooks is 'Notes that belong together, and can be shared together.';
comment on column public.notebooks.id is 'Made when missing.';
comment on column public.notebooks.owner is 'Who made it; the caller, when left out.';
comment on column public.notebooks.title is 'As all who share it see it.';
comment on column public.notebooks.created_at is 'When it was made.';
comment on constraint notebooks_title_length on public.notebooks is 'A title is 1 to 120 characters.';
comment on constraint notebooks_with_owner on public.notebooks is 'A notebook has one owner.';

create type public.share_rights as enum ('read', 'write');

create table public.shares (
  notebook uuid not null,
  owner uuid not null,
  member uuid not null references auth.users (id) on delete cascade,
  rights public.share_rights not null default 'read',
  since timestamptz not null default now(),
  constraint shares_pkey primary key (notebook, member),
  constraint shares_notebook_fkey foreign key (notebook, owner) references public.notebooks (id, owner) on delete cascade,
  constraint shares_with_others check (member <> owner)
);
create index shares_notebook on public.shares (notebook, owner);
create index shares_member on public.shares (member);
create index shares_owner on public.shares (owner);
comment on table public.shares is 'Who may use whose notebook. Members come in by invitation: see join_notebook.';
comment on column public.shares.notebook is 'What is shared.';
comment on column public.shares.owner is 'The notebook’s owner.';
comment on column public.shares.member is 'With whom it is shared.';
comment on column public.shares.rights is 'read: the published notes. write: to change them, and to add notes of one’s own.';
comment on column public.shares.since is 'When the member joined.';
comment on constraint shares_pkey on public.shares is 'The notebook is shared with this member already.';
comment on constraint shares_with_others on public.shares is 'A notebook is shared with others.';

create table public.invitations (
  code uuid primary key default gen_random_uuid(),
  notebook uuid not null references public.notebooks (id) on delete cascade,
  rights public.share_rights not null default 'read',
  expires_at timestamptz not null default now() + interval '7 days',
  constraint invitations_for_a_while check (expires_at <= now() + interval '90 days')
);
create index invitations_notebook on public.invitations (notebook);
comment on table public.invitations is 'Invitations to notebooks. Whoever has the code may join until it expires or is deleted.';
comment on column public.invitations.code is 'What the owner hands on, and join_notebook takes.';
comment on column public.invitations.notebook is 'What it invites to.';
comment on column public.invitations.rights is 'What whoever joins may do.';
comment on column public.invitations.expires_at is 'Until when it lets in; seven days, when left out.';
comment on constraint invitations_for_a_while on public.invitations is 'An invitation expires within 90 days.';

revoke all on public.notebooks, public.shares, public.invitations from anon, authenticated;
grant select, insert (id, title), update (title), delete on public.notebooks to authenticated;
grant select, update (rights), delete on public.shares to authenticated;
grant select, insert (notebook, rights, expires_at), delete on public.invitations to authenticated;

alter table public.notebooks enable row level security;
create policy "own and shared notebooks" on public.notebooks for select to authenticated using (
  (select auth.uid()) = owner
  or id in (select s.notebook from public.shares s where s.member = (select auth.uid())));
comment on policy "own and shared notebooks" on public.notebooks is 'own or shared notebook';
create policy "add own notebooks" on public.notebooks for insert to authenticated with check ((select auth.uid()) = owner);
create policy "rename own notebooks" on public.notebooks for update to authenticated using ((select auth.uid()) = owner);
create policy "delete own notebooks" on public.notebooks for delete to authenticated using ((select auth.uid()) = owner);

alter table public.shares enable row level security;
create policy "both sides know of a share" on public.shares for select to authenticated
  using ((select auth.uid()) = member or (select auth.uid()) = owner);
create policy "the owner says what others may do" on public.shares for update to authenticated using ((select auth.uid()) = owner);
create policy "both sides end a share" on public.shares for delete to authenticated
  using ((select auth.uid()) = member or (select auth.uid()) = owner);

alter table public.invitations enable row level security;
create policy "own notebooks’ invitations" on public.invitations for select to authenticated
  using (notebook in (select n.id from public.notebooks n where n.owner = (select auth.uid())));
create policy "invite to own notebooks" on public.invitations for insert to authenticated
  with check (notebook in (select n.id from public.notebooks n where n.owner = (select auth.uid())));
create policy "take back own invitations" on public.invitations for delete to authenticated
  using (notebook in (select n.id from public.notebooks n where n.owner = (select auth.uid())));
comment on policy "own notebooks’ invitations" on public.invitations is 'invitation to an own notebook';
comment on policy "invite to own notebooks" on public.invitations is 'invitation to an own notebook';
comment on policy "take back own invitations" on public.invitations is 'invitation to an own notebook';

-- As the owner of the tables: whoever is invited does not see the notebook yet. The code is what lets in.
create function public.join_notebook(code uuid) returns public.notebooks
  language plpgsql security definer
  set search_path = ''
as $$
declare
  invited public.invitations;
  joined public.notebooks;
begin
  select * into invited from public.invitations i where i.code = join_notebook.code and i.expires_at > now();
  if not found then
    raise exception using errcode = 'NT001',
      message = 'There is no such invitation, or it has expired.',
      hint = 'Ask the owner of the notebook for a new one.';
  end if;
  select * into joined from public.notebooks n where n.id = invited.notebook;
  if joined.owner = (select auth.uid()) then
    raise exception using errcode = 'NT002',
      message = 'It is your own notebook.',
      hint = 'Hand the code on to somebody else.';
  end if;
  insert into public.shares (notebook, owner, member, rights)
  values (joined.id, joined.owner, (select auth.uid()), invited.rights)
  on conflict (notebook, member) do update set rights = greatest(shares.rights, excluded.rights);
  return joined;
end
$$;
comment on function public.join_notebook(uuid) is
  'Shares a notebook with the caller, by the code of an invitation. A member who has joined already keeps the larger right.';
revoke execute on function public.join_notebook(uuid) from public, anon, service_role;
