-- Tags: each member's own, also on the notes of others.

create table public.tags (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name text not null constraint tags_name_shape check (name ~ '^[^\s,]{1,40}$'),
  color text constraint tags_color_shape check (color ~ '^#[0-9a-f]{6}$'),
  constraint tags_name_once unique (owner, name)
);
comment on table public.tags is 'A member’s own words for notes.';
comment on column public.tags.id is 'Made when missing.';
comment on column public.tags.owner is 'Whose tag it is; the caller, when left out.';
comment on column public.tags.name is 'One word.';
comment on column public.tags.color is 'As in #1f6feb.';
comment on constraint tags_name_shape on public.tags is 'A tag is one word of 1 to 40 characters, without commas.';
comment on constraint tags_color_shape on public.tags is 'A color is written as in #1f6feb.';
comment on constraint tags_name_once on public.tags is 'You have a tag of this name already.';

create table public.note_tags (
  note uuid not null references public.notes (id) on delete cascade,
  tag uuid not null references public.tags (id) on delete cascade,
  constraint note_tags_pkey primary key (note, tag)
);
create index note_tags_tag on public.note_tags (tag);
comment on table public.note_tags is 'Which notes have which tags. Others do not see them.';
comment on column public.note_tags.note is 'What has the tag.';
comment on column public.note_tags.tag is 'Which tag.';
comment on constraint note_tags_pkey on public.note_tags is 'The note has this tag already.';

revoke all on public.tags, public.note_tags from anon, authenticated;
grant select, insert (name, color), update (name, color), delete on public.tags to authenticated;
grant select, insert (note, tag), delete on public.note_tags to authenticated;

alter table public.tags enable row level security;
create policy "own tags" on public.tags for all to authenticated
  using ((select auth.uid()) = owner) with check ((select auth.uid()) = owner);

alter table public.note_tags enable row level security;
create policy "own tags on notes" on public.note_tags for select to authenticated
  using (tag in (select t.id from public.tags t where t.owner = (select auth.uid())));
-- The query sees the notes that the member may read.
create policy "own tags on notes that the member may read" on public.note_tags for insert to authenticated with check (
  tag in (select t.id from public.tags t where t.owner = (select auth.uid()))
  and note in (select n.id from public.notes n));
create policy "take off own tags" on public.note_tags for delete to authenticated
  using (tag in (select t.id from public.tags t where t.owner = (select auth.uid())));
comment on policy "own tags on notes" on public.note_tags is 'own tag';
comment on policy "own tags on notes that the member may read" on public.note_tags is 'own tag, on a note that the member may read';
comment on policy "take off own tags" on public.note_tags is 'own tag';
