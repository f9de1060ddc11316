-- Finding notes again.

create view public.library with (security_invoker = true) as
  select b.id, b.title, b.owner = (select auth.uid()) as own, s.rights,
    count(n.id) filter (where n.status = 'published') as published,
    count(n.id) filter (where n.status = 'draft') as drafts,
    max(n.updated_at) as updated_at
  from public.notebooks b
  left join public.shares s on s.notebook = b.id and s.member = (select auth.uid())
  left join public.notes n on n.notebook = b.id and n.status <> 'archived'
  group by b.id, b.title, b.owner, s.rights
  order by b.title, b.id;
comment on view public.library is 'The member’s notebooks, the own and the shared ones, with what the member sees in each.';
revoke all on public.library from anon, authenticated;
grant select on public.library to authenticated;

create function public.search_notes(words text) returns setof public.notes
  language sql stable
  set search_path = ''
begin atomic
  select n.* from public.notes n
  where n.status <> 'archived'
    and to_tsvector('simple', n.title || ' ' || n.body) @@ websearch_to_tsquery('simple', search_notes.words)
  order by n.updated_at desc, n.id
  limit 100;
end;
comment on function public.search_notes(text) is
  'The 100 notes with these words that changed last, written as for a web search: garden "last summer" -roses.';
revoke execute on function public.search_notes(text) from public, anon;
