-- Notes: private until they are published in a notebook.

create type public.note_status as enum ('draft', 'published', 'archived');

create table public.notes (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null default auth.uid() references auth.users (id) on delete cascade,
  notebook uuid references public.notebooks (id) on delete set null,
  title text not null constraint notes_title_length check (length(title) between 1 and 200),
  body text not null default '' constraint notes_body_length check (length(body) <= 100000),
  status public.note_status not null default 'draft',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  published_at timestamptz,
  archived_at timestamptz
);
create index notes_owner on public.notes (owner, updated_at desc);
create index notes_notebook on public.notes (notebook, status);
comment on table public.notes is 'Notes. A draft is its author’s alone; a published one is read by all who share its notebook.';
comment on column public.notes.id is 'Made when missing.';
comment on column public.notes.owner is 'The author; the caller, when left out.';
comment on column public.notes.notebook is 'Where it belongs; empty for a note that belongs nowhere.';
comment on column public.notes.title is 'In one line.';
comment on column public.notes.body is 'Markdown.';
comment on column public.notes.status is 'Where it stands: see the states.';
comment on column public.notes.created_at is 'When it was begun.';
comment on column public.notes.updated_at is 'When its title or its text was changed last.';
comment on column public.notes.published_at is 'When it was published last.';
comment on column public.notes.archived_at is 'When it was archived; empty while it is not.';
comment on constraint notes_title_length on public.notes is 'A title is 1 to 200 characters.';
comment on constraint notes_body_length on public.notes is 'A note is at most 100,000 characters.';

revoke all on public.notes from anon, authenticated;
grant select, insert (id, notebook, title, body), update (notebook, title, body, status), delete on public.notes to authenticated;

alter table public.notes enable row level security;
create policy "own notes, and published ones of shared notebooks" on public.notes for select to authenticated using (
  (select auth.uid()) = owner
  or status = 'published' and (
    notebook in (select n.id from public.notebooks n where n.owner = (select auth.uid()))
    or notebook in (select s.notebook from public.shares s where s.member = (select auth.uid()))));
create policy "own notes, nowhere or where the member may write" on public.notes for insert to authenticated with check (
  (select auth.uid()) = owner and (
    notebook is null
    or notebook in (select n.id from public.notebooks n where n.owner = (select auth.uid()))
    or notebook in (select s.notebook from public.shares s where s.member = (select auth.uid()) and s.rights = 'write')));
create policy "own notes, and published ones where the member may write" on public.notes for update to authenticated
  using (
    (select auth.uid()) = owner
    or status = 'published'
      and notebook in (select s.notebook from public.shares s where s.member = (select auth.uid()) and s.rights = 'write'))
  with check (
    (select auth.uid()) = owner and (
      notebook is null or notebook in (select n.id from public.notebooks n where n.owner = (select auth.uid())))
    or notebook in (select s.notebook from public.shares s where s.member = (select auth.uid()) and s.rights = 'write'));
create policy "delete own notes" on public.notes for delete to authenticated using ((select auth.uid()) = owner);
comment on policy "own notes, and published ones of shared notebooks" on public.notes is
  'own note (or one published in an own or shared notebook)';
comment on policy "own notes, nowhere or where the member may write" on public.notes is
  'own note, in no notebook or in one that the member may write to';
comment on policy "own notes, and published ones where the member may write" on public.notes is
  'own note (or one published in a notebook shared for writing), which stays in no notebook or in one that the member may write to';

create function public.note_change() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if new.notebook is distinct from old.notebook and current_user = 'authenticated' and old.owner is distinct from (select auth.uid()) then
    raise exception using errcode = 'NT003',
      message = 'Only its author moves a note to another notebook.',
      hint = 'Copy the text into a note of your own.';
  end if;
  if new.notebook is null and old.notebook is not null and new.status = 'published' and current_user = 'authenticated' then
    raise exception using errcode = 'NT004',
      message = 'A published note stays in a notebook.',
      hint = 'Withdraw it with the same update: status draft, notebook empty.';
  end if;
  if (new.title, new.body) is distinct from (old.title, old.body) then
    new.updated_at := now();
  end if;
  return new;
end
$$;
comment on function public.note_change() is 'Keeps published notes where their readers find them, and notes when the text changed.';
revoke execute on function public.note_change() from public, anon, authenticated, service_role;
create trigger note_change before update of notebook, title, body on public.notes
  for each row execute function public.note_change();

select ninefold.define_machine('public.notes', 'status', 'draft', $$[
  {"name": "publish", "from": "draft", "to": "published", "when": "owner = auth.uid()", "requires": ["notebook"],
    "sets": {"published_at": "now()"}},
  {"name": "withdraw", "from": "published", "to": "draft", "when": "owner = auth.uid()"},
  {"name": "archive", "from": ["draft", "published"], "to": "archived", "when": "owner = auth.uid()", "sets": {"archived_at": "now()"}},
  {"name": "restore", "from": "archived", "to": "draft", "when": "owner = auth.uid()", "sets": {"archived_at": null}}
]$$);
