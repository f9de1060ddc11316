-- When there is time left, and what is on.

-- As the owner of the tables: who wants to book has to know what is taken, and not by whom. It tells times alone.
create function public.free_times(resource bigint, from_time timestamptz, to_time timestamptz)
  returns table (starts_at timestamptz, ends_at timestamptz)
  language sql stable security definer
  set search_path = ''
begin atomic
  with asked as (
    select tstzrange(greatest(free_times.from_time, now()), least(free_times.to_time, free_times.from_time + interval '92 days')) as span
    where greatest(free_times.from_time, now()) < least(free_times.to_time, free_times.from_time + interval '92 days')
  ),
  open as (
    select range_agg(tstzrange(s.starts_at, s.ends_at) * a.span) as times
    from asked a, public.slots s join public.resources r on r.id = s.resource and r.active
    where s.resource = free_times.resource and tstzrange(s.starts_at, s.ends_at) && a.span
  ),
  taken as (
    select range_agg(tstzrange(b.starts_at, b.ends_at)) as times
    from asked a, public.bookings b
    where b.resource = free_times.resource and b.status in ('requested', 'confirmed') and tstzrange(b.starts_at, b.ends_at) && a.span
  )
  select lower(free), upper(free)
  from open, taken, unnest(open.times - coalesce(taken.times, '{}'::tstzmultirange)) free
  order by 1;
end;
comment on function public.free_times(bigint, timestamptz, timestamptz) is
  'When a resource is open and not booked, between two moments at most 92 days apart; never in the past. For everybody.';
revoke execute on function public.free_times(bigint, timestamptz, timestamptz) from public;

-- As the owner of the tables, too: the calendar shows everybody which times are taken.
create view public.times with (security_barrier = true) as
  select b.resource, b.starts_at, b.ends_at
  from public.bookings b join public.resources r on r.id = b.resource
  where r.active and b.status in ('requested', 'confirmed');
comment on view public.times is 'Which times are taken, and not by whom.';
revoke all on public.times from anon, authenticated;
grant select on public.times to anon, authenticated;

create view public.agenda with (security_invoker = true) as
  select b.id, r.name as resource, b.starts_at, b.ends_at, b.people, b.contact, b.status, b.note
  from public.bookings b join public.resources r on r.id = b.resource
  where b.status in ('requested', 'confirmed') and b.ends_at > now()
  order by b.starts_at, b.id;
comment on view public.agenda is 'What is requested or confirmed and not over; for a member, the own bookings.';
revoke all on public.agenda from anon, authenticated;
grant select on public.agenda to authenticated;
