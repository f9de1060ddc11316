-- Bounds of sessions: a time box, an inactivity limit, and a number for each account (settings sessions_…).

-- The defaults of the two durations are for new apps, which are copies of the template. An app that was made before this file, or on a
-- database of its own, keeps sessions without an end until its builder sets one. The journal leaves this out: nothing changes.
alter table ninefold.settings disable trigger settings_noted;
insert into ninefold.settings (key, value, set_by)
select key, '0', 'ninefold' from unnest(array['sessions_timebox', 'sessions_inactivity_timeout']) key
where current_database() <> 'ninefold_template'
on conflict (key) do nothing;
alter table ninefold.settings enable always trigger settings_noted;

grant select on ninefold.settings to supabase_auth_admin;

set role supabase_auth_admin;

-- Nodes look a session up again when SQL changes its end, its account or its assurance.
create or replace function auth.notify_sessions_changed() returns trigger
language plpgsql set search_path = '' as $$
declare
  ids json;
  number_of_ids bigint;
begin
  select count(*), json_agg(id) filter (where position <= 180)
    into number_of_ids, ids
    from (
      select o.id, row_number() over () as position from was o left join becomes n on n.id = o.id
      where n.id is null or n.user_id <> o.user_id or n.not_after is distinct from o.not_after
        or n.aal is distinct from o.aal or n.created_at is distinct from o.created_at
        or n.refreshed_at < o.refreshed_at or n.refreshed_at is null and o.refreshed_at is not null
    ) as numbered;
  if number_of_ids > 180 then
    perform pg_notify('ninefold', '{"type":"sessions-revoked-all"}');
  elsif number_of_ids > 0 then
    perform pg_notify('ninefold', json_build_object('type', 'session-revoked', 'ids', ids)::text);
  end if;
  return null;
end
$$;

create function auth.max_sessions_per_user() returns bigint
language sql stable set search_path = ''
return (
  select min(case
    when key = 'sessions_single_per_user' then case when value = 'true' then 1 end
    when jsonb_typeof(value) = 'number' then case when value::numeric >= 1 then least(value::numeric, 1000) end
  end)::bigint
  from ninefold.settings where key in ('sessions_single_per_user', 'sessions_per_user')
);
comment on function auth.max_sessions_per_user() is 'How many sessions an account may have, by the settings; null: any number.';

-- The newest sessions stay. The lock makes sign-ins of one account run one after the other, on any number of nodes, so that each sees
-- the sessions that the others opened.
create function auth.end_surplus_sessions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  bound bigint := auth.max_sessions_per_user();
begin
  if bound is null then
    return null;
  end if;
  perform from auth.users where id = new.user_id for no key update;
  delete from auth.sessions where user_id = new.user_id and id in (
    select id from auth.sessions where user_id = new.user_id
    order by id = new.id desc, greatest(refreshed_at at time zone 'utc', created_at) desc nulls last, id
    offset bound
  );
  return null;
end
$$;
create trigger ninefold_surplus_sessions after insert on auth.sessions
  for each row execute function auth.end_surplus_sessions();
alter table auth.sessions enable always trigger ninefold_surplus_sessions;

revoke execute on function auth.max_sessions_per_user(), auth.end_surplus_sessions() from public;

reset role;

-- Refresh tokens are stored hashed ------------------------------------------------------------------------------------------------
-- Those that a project brings along later are stored as they came until they are shown. No trigger of the app runs.

set local session_replication_role = replica;
update auth.refresh_tokens set
  token = 'sha256:' || rtrim(translate(encode(sha256(convert_to(token, 'UTF8')), 'base64'), '+/', '-_'), '='),
  parent = 'sha256:' || rtrim(translate(encode(sha256(convert_to(parent, 'UTF8')), 'base64'), '+/', '-_'), '=')
where token not like 'sha256:%';
set local session_replication_role = origin;
comment on column auth.refresh_tokens.token is 'SHA-256 of the token, after sha256:; the token itself if it was brought along and not shown yet.';

-- Rates of calls --------------------------------------------------------------------------------------------------------
-- One row per client network, account or app and kind of call, by hash. A window has 60 slots: a row counts the calls of the slot under
-- way and of the 60 before it, so a window of any start never holds more calls than the bound. Unlogged: a crash may forget calls.

create unlogged table ninefold.rate_counts (
  subject text not null,
  -- The number of the last slot since 1970.
  slot bigint not null,
  counts integer[] not null,
  keep_until timestamptz not null,
  constraint rate_counts_pkey primary key (subject)
);
alter table ninefold.rate_counts owner to supabase_auth_admin;
comment on table ninefold.rate_counts is 'Calls of the current windows, by hash of the client network, the account or the app.';
create index rate_counts_keep_until_idx on ninefold.rate_counts (keep_until);

create function ninefold.rates_at(counted text, slot bigint) returns integer[]
  language plpgsql
  set search_path = ''
as $$
declare
  found ninefold.rate_counts;
  shift integer;
begin
  select * into found from ninefold.rate_counts r where r.subject = counted;
  shift := least(61, greatest(0, slot - coalesce(found.slot, 0)));
  if shift = 61 or coalesce(cardinality(found.counts), 0) <> 61 then
    return array_fill(0, array[61]);
  end if;
  return found.counts[shift + 1:] || array_fill(0, array[shift]);
end
$$;
alter function ninefold.rates_at owner to supabase_auth_admin;
comment on function ninefold.rates_at is 'The calls of a subject in the slot and in each of the 60 before it, oldest first.';

-- Counts one call for all subjects, or for none if one is at its bound. Returns null for a call that may pass, else
-- {"refused": the position of the subject, "wait": seconds}.
create function ninefold.take_from_rates(subjects text[], bounds integer[], window_seconds integer[]) returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  is_locked boolean;
  at float8;
  width float8;
  counted integer[];
  used bigint;
  refused integer;
  wait float8 := 0;
begin
  -- A first look without a lock refuses most of a flood. Rows are locked in the order of their subjects.
  foreach is_locked in array array[false, true] loop
    if is_locked then
      insert into ninefold.rate_counts as r (subject, slot, counts, keep_until)
      select one.subject, 0, '{}', now() + make_interval(secs => one.seconds)
      from unnest(subjects, window_seconds) as one (subject, seconds) order by one.subject
      on conflict (subject) do update set keep_until = r.keep_until where false;
    end if;
    at := extract(epoch from clock_timestamp());
    for i in 1 .. cardinality(subjects) loop
      width := window_seconds[i] / 60.0;
      counted := ninefold.rates_at(subjects[i], floor(at / width)::bigint);
      used := (select sum(c) from unnest(counted) c);
      -- Waits until as many slots have left the window as hold what is too much.
      for k in 1 .. 61 loop
        exit when used < bounds[i];
        used := used - counted[k];
        if used < bounds[i] and (floor(at / width) + k) * width - at > wait then
          wait := (floor(at / width) + k) * width - at;
          refused := i;
        end if;
      end loop;
    end loop;
    if refused is not null then
      return jsonb_build_object('refused', refused, 'wait', greatest(1, ceil(wait)));
    end if;
  end loop;

  for i in 1 .. cardinality(subjects) loop
    width := window_seconds[i] / 60.0;
    counted := ninefold.rates_at(subjects[i], floor(at / width)::bigint);
    counted[61] := counted[61] + 1;
    update ninefold.rate_counts r set counts = counted, slot = floor(at / width)::bigint,
      keep_until = to_timestamp(at) + make_interval(secs => window_seconds[i] + width)
    where r.subject = subjects[i];
  end loop;
  -- Sweeps rows that are no longer needed.
  delete from ninefold.rate_counts r using (
    select o.subject from ninefold.rate_counts o
    where o.keep_until < now() and o.subject <> all (subjects)
    order by o.keep_until limit 5 for update skip locked
  ) as old where r.subject = old.subject;
  return null;
end
$$;
alter function ninefold.take_from_rates owner to supabase_auth_admin;
comment on function ninefold.take_from_rates is 'Counts a call under several subjects, or says how long it must wait.';

revoke execute on function ninefold.rates_at, ninefold.take_from_rates from public;
