-- Files of tickets and comments. Who sees a ticket or a comment sees its files.

alter table public.tickets add column attachments text[] not null default '{}'
  constraint tickets_attachments_few check (cardinality(attachments) <= 20);
alter table public.comments add column attachments text[] not null default '{}'
  constraint comments_attachments_few check (cardinality(attachments) <= 20);
create index tickets_attachments on public.tickets using gin (attachments);
create index comments_attachments on public.comments using gin (attachments);
comment on column public.tickets.attachments is 'Pictures, recordings and other files that show it.';
comment on column public.comments.attachments is 'Files that belong to what was said.';
comment on constraint tickets_attachments_few on public.tickets is 'A ticket has up to 20 files.';
comment on constraint comments_attachments_few on public.comments is 'A comment has up to 20 files.';
grant insert (attachments), update (attachments) on public.tickets to authenticated;
grant insert (attachments) on public.comments to authenticated;

select ninefold.file_field('public.tickets', 'attachments', 'attachments', max_bytes => 50000000),
  ninefold.file_field('public.comments', 'attachments', 'attachments', max_bytes => 50000000);

create policy "own files, those of visible tickets and comments, and all for the team" on storage.objects
  for select to authenticated using (
    bucket_id = 'attachments' and (
      owner_id = (select auth.uid())::text
      or (select ninefold.has_role('agent')) or (select ninefold.has_role('lead'))
      or exists (select from public.tickets t where t.attachments @> array[objects.name])
      or exists (select from public.comments c where c.attachments @> array[objects.name])));
comment on policy "own files, those of visible tickets and comments, and all for the team" on storage.objects is
  'own attachment, or one of a visible ticket or comment (agent, lead: any attachment)';
create policy "attachments in the own folder" on storage.objects for insert to authenticated with check (
  bucket_id = 'attachments' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "own attachments, and all for leads" on storage.objects for delete to authenticated using (
  bucket_id = 'attachments' and (owner_id = (select auth.uid())::text or (select ninefold.has_role('lead'))));

-- A member adds only own uploads, so that nobody reads a file by its name alone.
create function public.check_attachments() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if current_user = 'authenticated' and exists (
    select unnest(new.attachments) except select unnest(case when tg_op = 'UPDATE' then old.attachments end)
    except select o.name from storage.objects o
      where o.bucket_id = 'attachments' and o.name = any (new.attachments) and o.owner_id = (select auth.uid())::text) then
    raise exception using errcode = 'HD004',
      message = 'One of the new files does not exist, or another member uploaded it.',
      hint = 'Upload it again.';
  end if;
  return null;
end
$$;
comment on function public.check_attachments() is 'Refuses files that the member has not uploaded.';
revoke execute on function public.check_attachments() from public, anon, authenticated, service_role;
create trigger check_attachments after insert or update of attachments on public.tickets
  for each row execute function public.check_attachments();
create trigger check_attachments after insert or update of attachments on public.comments
  for each row execute function public.check_attachments();

-- Customers remove only their own files, and none once the ticket is closed.
create function public.keep_attachments() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if current_user = 'authenticated' and not (ninefold.has_role('agent') or ninefold.has_role('lead'))
    and new.attachments <> old.attachments and (old.status = 'closed' or exists (
      select from unnest(old.attachments) as known (name)
      where known.name <> all (new.attachments) and split_part(known.name, '/', 1) <> (select auth.uid())::text)) then
    raise exception using errcode = 'HD005',
      message = 'You remove only your own files from a ticket, and none once it is closed.',
      hint = 'Say it in a comment.';
  end if;
  return new;
end
$$;
comment on function public.keep_attachments() is 'Refuses changes of files that customers may not make.';
revoke execute on function public.keep_attachments() from public, anon, authenticated, service_role;
create trigger keep_attachments before update of attachments on public.tickets
  for each row execute function public.keep_attachments();

-- As the owner of the tables: whoever deletes a ticket, or an account with its tickets, does not own all files.
create function public.delete_attachments() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from storage.objects o where o.bucket_id = 'attachments' and o.name = any (old.attachments);
  return null;
end
$$;
comment on function public.delete_attachments() is 'Deletes the files of a deleted ticket or comment.';
revoke execute on function public.delete_attachments() from public, anon, authenticated, service_role;
create trigger delete_attachments after delete on public.tickets for each row execute function public.delete_attachments();
create trigger delete_attachments after delete on public.comments for each row execute function public.delete_attachments();
