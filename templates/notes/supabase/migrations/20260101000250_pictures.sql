-- Pictures of notes. Who reads a note sees its pictures.

alter table public.notes add column pictures text[] not null default '{}'
  constraint notes_pictures_few check (cardinality(pictures) <= 50);
create index notes_pictures on public.notes using gin (pictures);
comment on column public.notes.pictures is 'Pictures that belong to the note.';
comment on constraint notes_pictures_few on public.notes is 'A note has up to 50 pictures.';
grant insert (pictures), update (pictures) on public.notes to authenticated;

select ninefold.file_field('public.notes', 'pictures', 'pictures', array['image/*'], 10000000);

create policy "own pictures, and those of visible notes" on storage.objects for select to authenticated using (
  bucket_id = 'pictures' and (
    owner_id = (select auth.uid())::text
    or exists (select from public.notes n where n.pictures @> array[objects.name])));
comment on policy "own pictures, and those of visible notes" on storage.objects is 'own picture, or one of a visible note';
create policy "pictures in the own folder" on storage.objects for insert to authenticated with check (
  bucket_id = 'pictures' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "own pictures" on storage.objects for delete to authenticated using (
  bucket_id = 'pictures' and owner_id = (select auth.uid())::text);

-- A member adds only own uploads, so that nobody reads a picture by its name alone.
create function public.check_pictures() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if current_user = 'authenticated' and exists (
    select unnest(new.pictures) except select unnest(case when tg_op = 'UPDATE' then old.pictures end)
    except select o.name from storage.objects o
      where o.bucket_id = 'pictures' and o.name = any (new.pictures) and o.owner_id = (select auth.uid())::text) then
    raise exception using errcode = 'NT005',
      message = 'One of the new pictures does not exist, or another member uploaded it.',
      hint = 'Upload it again.';
  end if;
  return null;
end
$$;
comment on function public.check_pictures() is 'Refuses pictures that the member has not uploaded.';
revoke execute on function public.check_pictures() from public, anon, authenticated, service_role;
create trigger check_pictures after insert or update of pictures on public.notes
  for each row execute function public.check_pictures();

-- As the owner of the tables: another member may have added a picture to the deleted note.
create function public.delete_pictures() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from storage.objects o where o.bucket_id = 'pictures' and o.name = any (old.pictures);
  return null;
end
$$;
comment on function public.delete_pictures() is 'Deletes the pictures of a deleted note.';
revoke execute on function public.delete_pictures() from public, anon, authenticated, service_role;
create trigger delete_pictures after delete on public.notes for each row execute function public.delete_pictures();
