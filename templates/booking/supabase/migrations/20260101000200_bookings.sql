-- Who has booked what, and how a booking goes on.

create type public.booking_status as enum ('requested', 'confirmed', 'cancelled', 'done');

create table public.bookings (
  id bigint generated always as identity primary key,
  resource bigint not null references public.resources (id),
  member uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact text not null default auth.email() constraint bookings_contact_length check (length(contact) between 3 and 200),
  people integer not null default 1 constraint bookings_people_least check (people >= 1),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  note text constraint bookings_note_length check (length(note) between 1 and 2000),
  status public.booking_status not null default 'requested',
  reason text constraint bookings_reason_length check (length(reason) between 1 and 500),
  cancel_until timestamptz not null default now(),
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  constraint bookings_forward check (starts_at < ends_at),
  constraint bookings_apart exclude using gist (resource with =, tstzrange(starts_at, ends_at) with &&)
    where (status in ('requested', 'confirmed'))
);
create index bookings_member on public.bookings (member, starts_at);
create index bookings_resource on public.bookings (resource, starts_at);
comment on table public.bookings is 'Who has a resource from when to when.';
comment on column public.bookings.id is 'Its number.';
comment on column public.bookings.resource is 'What is booked.';
comment on column public.bookings.member is 'Who has booked; the caller, when left out.';
comment on column public.bookings.contact is 'Where staff reaches whoever comes; the member’s address, when left out.';
comment on column public.bookings.people is 'How many come.';
comment on column public.bookings.starts_at is 'From when on.';
comment on column public.bookings.ends_at is 'Until when.';
comment on column public.bookings.note is 'What staff should know.';
comment on column public.bookings.status is 'Where it stands: see the states.';
comment on column public.bookings.reason is 'Why staff cancelled it, for the member to read.';
comment on column public.bookings.cancel_until is 'Until when the member may cancel it once it is confirmed. From the resource’s notice.';
comment on column public.bookings.created_at is 'When it was requested.';
comment on column public.bookings.confirmed_at is 'When staff confirmed it.';
comment on column public.bookings.cancelled_at is 'When it was cancelled, by whomever.';
comment on constraint bookings_contact_length on public.bookings is 'A contact is 3 to 200 characters.';
comment on constraint bookings_people_least on public.bookings is 'A booking is for one person or more.';
comment on constraint bookings_note_length on public.bookings is 'A note is 1 to 2,000 characters, or left out.';
comment on constraint bookings_reason_length on public.bookings is 'A reason is 1 to 500 characters.';
comment on constraint bookings_forward on public.bookings is 'A booking ends after it starts.';
comment on constraint bookings_apart on public.bookings is 'That time is taken: choose a free one.';
comment on constraint bookings_resource_fkey on public.bookings is 'A resource with bookings stays: set it inactive instead.';

revoke all on public.bookings from anon, authenticated;
grant select, insert (resource, member, contact, people, starts_at, ends_at, note),
  update (contact, people, starts_at, ends_at, note, status, reason) on public.bookings to authenticated;

alter table public.bookings enable row level security;
create policy "own bookings, and all for staff" on public.bookings for select to authenticated
  using ((select auth.uid()) = member or (select ninefold.has_role('staff')));
create policy "members book, staff books for them" on public.bookings for insert to authenticated
  with check ((select auth.uid()) = member or (select ninefold.has_role('staff')));
create policy "the member and staff change a booking" on public.bookings for update to authenticated
  using ((select auth.uid()) = member or (select ninefold.has_role('staff')));

-- What a booking must be to fit its resource, which no constraint can look up. Whoever writes: a server with the secret key too.
create function public.fit_booking() returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  booked public.resources;
begin
  if tg_op = 'UPDATE' and current_user = 'authenticated' and old.status <> 'requested' and not ninefold.has_role('staff') then
    raise exception using errcode = 'BK002',
      message = 'What is no longer a request stays as it was agreed.',
      detail = format('The booking is %s.', old.status),
      hint = 'Cancel it and make another one, or ask staff.';
  end if;
  select * into booked from public.resources r where r.id = new.resource and r.active;
  if not found then
    raise exception using errcode = 'BK003',
      message = 'This cannot be booked.',
      hint = 'Choose one of the resources that are shown.';
  end if;
  if new.people > booked.capacity then
    raise exception using errcode = 'BK004',
      message = 'That is too many people.',
      detail = format('%s takes %s at most.', booked.name, booked.capacity),
      hint = 'Book for fewer people, or choose another resource.';
  end if;
  if new.ends_at - new.starts_at not between booked.shortest and booked.longest then
    raise exception using errcode = 'BK005',
      message = 'That is too short or too long.',
      detail = format('%s is booked for %s to %s.', booked.name, booked.shortest, booked.longest),
      hint = 'Choose another end.';
  end if;
  if current_user = 'authenticated' and new.starts_at < now() then
    raise exception using errcode = 'BK006',
      message = 'That time has passed.',
      hint = 'Choose a later one.';
  end if;
  if not exists (
    select from public.slots s
    where s.resource = new.resource and s.starts_at <= new.starts_at and s.ends_at >= new.ends_at
  ) then
    raise exception using errcode = 'BK007',
      message = 'It is not open at that time.',
      hint = 'Choose a time at which it is open.';
  end if;
  new.cancel_until := new.starts_at - booked.notice;
  return new;
end
$$;
comment on function public.fit_booking() is 'Refuses bookings that do not fit the resource and its opening times.';
revoke execute on function public.fit_booking() from public, anon, authenticated, service_role;
create trigger fit_booking before insert or update of resource, people, starts_at, ends_at on public.bookings
  for each row execute function public.fit_booking();

-- A member changes the contact and the note of a request only, and never writes the reason, which staff gives.
create function public.keep_agreed() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if current_user <> 'authenticated' or ninefold.has_role('staff') then
    return new;
  end if;
  if new.reason is distinct from old.reason then
    raise exception using errcode = 'BK008',
      message = 'Only staff says why a booking was cancelled.',
      hint = 'Leave out the reason.';
  end if;
  if old.status <> 'requested' and (new.contact, new.note) is distinct from (old.contact, old.note) then
    raise exception using errcode = 'BK002',
      message = 'What is no longer a request stays as it was agreed.',
      detail = format('The booking is %s.', old.status),
      hint = 'Cancel it and make another one, or ask staff.';
  end if;
  return new;
end
$$;
comment on function public.keep_agreed() is 'Refuses what members may not change of their bookings.';
revoke execute on function public.keep_agreed() from public, anon, authenticated, service_role;
create trigger keep_agreed before update of contact, note, reason on public.bookings
  for each row execute function public.keep_agreed();

select ninefold.define_machine('public.bookings', 'status', 'requested', $$[
  {"name": "confirm", "from": "requested", "to": "confirmed", "roles": ["staff"], "when": "ends_at > now()", "sets": {"confirmed_at": "now()"}},
  {"name": "withdraw", "from": "requested", "to": "cancelled", "when": "member = auth.uid()", "sets": {"cancelled_at": "now()"}},
  {"name": "cancel", "from": "confirmed", "to": "cancelled", "when": "member = auth.uid() and now() <= cancel_until",
    "sets": {"cancelled_at": "now()"}},
  {"name": "decline", "from": ["requested", "confirmed"], "to": "cancelled", "roles": ["staff"], "requires": ["reason"],
    "sets": {"cancelled_at": "now()"}},
  {"name": "finish", "from": "confirmed", "to": "done", "roles": ["staff"], "when": "starts_at <= now()"}
]$$);

-- The member who booked gets a mail with a calendar file for the booking, and after each change of it.
select ninefold.notify('public.bookings', 'appointment', 'starts_at', tell => array['member'], ends => 'ends_at', cancelled => array['cancelled']);
