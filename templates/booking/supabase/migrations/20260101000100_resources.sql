-- What can be booked, and when it is open.

create extension if not exists btree_gist with schema extensions;

select ninefold.define_role('staff', 'Keeps resources and opening times, and confirms bookings.');

-- Resources -------------------------------------------------------------------------------------------------------------------
create table public.resources (
  id bigint generated always as identity primary key,
  name text not null constraint resources_name_length check (length(name) between 1 and 120),
  description text constraint resources_description_length check (length(description) between 1 and 2000),
  capacity integer not null default 1 constraint resources_capacity_range check (capacity between 1 and 10000),
  time_zone text not null default 'UTC'
    constraint resources_time_zone_known check (timezone(time_zone, timestamptz '2000-01-01 00:00:00+00') is not null),
  shortest interval not null default '30 minutes',
  longest interval not null default '4 hours',
  notice interval not null default '24 hours' constraint resources_notice_range check (notice between interval '0' and interval '90 days'),
  active boolean not null default true,
  constraint resources_name_once unique (name),
  constraint resources_lengths check (shortest >= interval '5 minutes' and longest >= shortest and longest <= interval '31 days')
);
comment on table public.resources is 'What can be booked: rooms, people, courts, cars.';
comment on column public.resources.id is 'Its number.';
comment on column public.resources.name is 'As visitors see it.';
comment on column public.resources.description is 'What to expect.';
comment on column public.resources.capacity is 'How many people a booking may be for.';
comment on column public.resources.time_zone is 'In which opening times are meant: a name such as Europe/Vienna.';
comment on column public.resources.shortest is 'The least that can be booked.';
comment on column public.resources.longest is 'The most that can be booked at once.';
comment on column public.resources.notice is 'Until how long before its start members may cancel a confirmed booking.';
comment on column public.resources.active is 'Whether it is shown and can be booked.';
comment on constraint resources_name_length on public.resources is 'A name is 1 to 120 characters.';
comment on constraint resources_description_length on public.resources is 'A description is 1 to 2,000 characters, or left out.';
comment on constraint resources_capacity_range on public.resources is 'A resource takes 1 to 10,000 people.';
comment on constraint resources_time_zone_known on public.resources is 'A time zone is a name such as Europe/Vienna.';
comment on constraint resources_notice_range on public.resources is 'The notice is at most 90 days.';
comment on constraint resources_name_once on public.resources is 'There is a resource of this name already.';
comment on constraint resources_lengths on public.resources is
  'A booking lasts 5 minutes to 31 days, and the longest is not shorter than the shortest.';

revoke all on public.resources from anon, authenticated;
grant select on public.resources to anon;
grant select, insert (name, description, capacity, time_zone, shortest, longest, notice, active),
  update (name, description, capacity, time_zone, shortest, longest, notice, active), delete on public.resources to authenticated;

alter table public.resources enable row level security;
create policy "what is active is public" on public.resources for select to anon using (active);
create policy "what is active, and all for staff" on public.resources for select to authenticated
  using (active or (select ninefold.has_role('staff')));
create policy "staff adds resources" on public.resources for insert to authenticated with check ((select ninefold.has_role('staff')));
create policy "staff changes resources" on public.resources for update to authenticated using ((select ninefold.has_role('staff')));
create policy "staff deletes resources" on public.resources for delete to authenticated using ((select ninefold.has_role('staff')));

-- Slots -----------------------------------------------------------------------------------------------------------------------
create table public.slots (
  id bigint generated always as identity primary key,
  resource bigint not null references public.resources (id) on delete cascade,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  constraint slots_forward check (starts_at < ends_at),
  constraint slots_apart exclude using gist (resource with =, tstzrange(starts_at, ends_at) with &&)
);
create index slots_resource on public.slots (resource, starts_at);
comment on table public.slots is 'When a resource is open. A booking lies within one slot, and may take a part of it.';
comment on column public.slots.id is 'Its number.';
comment on column public.slots.resource is 'What is open.';
comment on column public.slots.starts_at is 'From when on it is open.';
comment on column public.slots.ends_at is 'Until when it is open.';
comment on constraint slots_resource_fkey on public.slots is 'There is no such resource.';
comment on constraint slots_forward on public.slots is 'A slot ends after it starts.';
comment on constraint slots_apart on public.slots is 'The resource has a slot at that time already: slots do not overlap.';

revoke all on public.slots from anon, authenticated;
grant select on public.slots to anon;
grant select, insert (resource, starts_at, ends_at), update (starts_at, ends_at), delete on public.slots to authenticated;

alter table public.slots enable row level security;
create policy "slots of what is active are public" on public.slots for select to anon
  using (resource in (select r.id from public.resources r where r.active));
create policy "slots of what is active, and all for staff" on public.slots for select to authenticated using (
  (select ninefold.has_role('staff')) or resource in (select r.id from public.resources r where r.active));
comment on policy "slots of what is active are public" on public.slots is 'slot of an active resource';
comment on policy "slots of what is active, and all for staff" on public.slots is 'slot of an active resource (staff: of any)';
create policy "staff adds slots" on public.slots for insert to authenticated with check ((select ninefold.has_role('staff')));
create policy "staff changes slots" on public.slots for update to authenticated using ((select ninefold.has_role('staff')));
create policy "staff deletes slots" on public.slots for delete to authenticated using ((select ninefold.has_role('staff')));

create function public.open_days(
  resource bigint, first date, last date, opens time, closes time, weekdays integer[] default '{1,2,3,4,5}'
) returns integer
  language plpgsql
  set search_path = ''
as $$
declare
  zone text;
  made integer;
begin
  if first is null or last is null or opens is null or closes is null or opens >= closes
    or last not between first and first + 366 then
    raise exception using errcode = 'BK001',
      message = 'These are no opening times.',
      hint = 'Give a first day, a last day at most a year later, and a time to open that is before the time to close.';
  end if;
  select r.time_zone into zone from public.resources r where r.id = open_days.resource;
  insert into public.slots (resource, starts_at, ends_at)
  select open_days.resource, (day::date + opens) at time zone zone, (day::date + closes) at time zone zone
  from generate_series(first::timestamp, last::timestamp, interval '1 day') day
  where extract(isodow from day) = any (weekdays)
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end
$$;
comment on function public.open_days(bigint, date, date, time, time, integer[]) is
  'Opens a resource on these days of the week (1 is Monday) from day to day, in its time zone; days that have a slot at that time stay '
  'as they are. Answers how many slots were made.';
revoke execute on function public.open_days(bigint, date, date, time, time, integer[]) from public, anon;
