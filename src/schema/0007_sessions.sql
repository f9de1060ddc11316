-- Sessions: when they end, how many an account may have, and how often sign-ins and other calls may be made.

set role supabase_auth_admin;

-- Ended and changed sessions ------------------------------------------------------------------------------------------

-- Every node receives the ids of deleted sessions and stops accepting their access tokens, whatever deletes them: a sign-out, a ban, SQL, a
-- cascade. A payload must stay below 8000 bytes, and an id takes 39 bytes.
create function auth.notify_sessions_revoked() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  ids json;
  number_of_ids bigint;
begin
  if tg_op = 'TRUNCATE' then
    perform pg_notify('ninefold', '{"type":"sessions-revoked-all"}');
    return null;
  end if;
  select count(*), json_agg(id) filter (where position <= 180)
    into number_of_ids, ids
    from (select id, row_number() over () as position from gone) as numbered;
  if number_of_ids > 180 then
    perform pg_notify('ninefold', '{"type":"sessions-revoked-all"}');
  elsif number_of_ids > 0 then
    perform pg_notify('ninefold', json_build_object('type', 'session-revoked', 'ids', ids)::text);
  end if;
  return null;
end
$$;

create trigger ninefold_sessions_revoked after delete on auth.sessions
  referencing old table as gone for each statement execute function auth.notify_sessions_revoked();
create trigger ninefold_sessions_truncated after truncate on auth.sessions
  for each statement execute function auth.notify_sessions_revoked();
alter table auth.sessions enable always trigger ninefold_sessions_revoked, enable always trigger ninefold_sessions_truncated;

-- Nodes read a session again after SQL has changed its end, its account or its assurance.
create function auth.notify_sessions_changed() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
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

create trigger ninefold_sessions_changed after update on auth.sessions
  referencing old table as was new table as becomes for each statement execute function auth.notify_sessions_changed();
alter table auth.sessions enable always trigger ninefold_sessions_changed;

-- The function is a security definer, because a role that may ban or delete an account need not have privileges on sessions.
create function auth.end_sessions_of_user() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from auth.sessions where user_id = new.id;
  return null;
end
$$;

-- The triggers name no columns, so they also fire if a trigger of the app sets the columns.
create trigger ninefold_user_banned after update on auth.users
  for each row when (new.banned_until > now() and new.banned_until is distinct from old.banned_until)
  execute function auth.end_sessions_of_user();
create trigger ninefold_user_deleted after update on auth.users
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function auth.end_sessions_of_user();

-- A password that SQL changes ends the sessions of the account, except the caller's own. It also voids links and codes, a pending change of
-- address or number, and a code of a link or a provider that was not exchanged yet. The server itself ends sessions when a member changes
-- the password, and hashes a password again without ending any.
create function auth.end_other_sessions_of_user() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from auth.sessions where user_id = new.id
    and id::text is distinct from lower(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id');
  delete from auth.flow_state where user_id = new.id and auth_code is not null;
  delete from auth.one_time_tokens where user_id = new.id;
  update auth.users set email_change = '', email_change_confirm_status = 0, phone_change = ''
  where id = new.id and (email_change <> '' or phone_change <> '');
  return null;
end
$$;

create trigger ninefold_user_password_changed after update on auth.users
  for each row when (new.encrypted_password is distinct from old.encrypted_password and current_user <> 'supabase_auth_admin')
  execute function auth.end_other_sessions_of_user();
alter table auth.users enable always trigger ninefold_user_banned, enable always trigger ninefold_user_deleted,
  enable always trigger ninefold_user_password_changed;

-- The number of sessions of an account --------------------------------------------------------------------------------

create function auth.max_sessions_per_user() returns bigint
language sql stable set search_path = pg_catalog, pg_temp
return (
  select min(case
    when key = 'sessions_single_per_user' then case when value = 'true' then 1 end
    when jsonb_typeof(value) = 'number' then case when value::numeric >= 1 then least(value::numeric, 1000) end
  end)::bigint
  from ninefold.settings where key in ('sessions_single_per_user', 'sessions_per_user')
);
comment on function auth.max_sessions_per_user() is 'How many sessions an account may have, by the settings; null: any number.';

-- Ends the oldest sessions beyond the bound. The lock serializes the sign-ins of one account on all nodes, so each sees the sessions that
-- the others opened.
create function auth.end_surplus_sessions() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

revoke execute on function auth.notify_sessions_revoked(), auth.notify_sessions_changed(), auth.end_sessions_of_user(),
  auth.end_other_sessions_of_user(), auth.max_sessions_per_user(), auth.end_surplus_sessions() from public;

reset role;

-- Failed sign-ins -----------------------------------------------------------------------------------------------------

-- One row for each client network, each account, and each account and network, by hash. A row contains every attempt of the window that
-- failed or is under way, so the bound applies to every period of that length. The table is unlogged: a crash may lose failures, and a
-- failure does not wait for the disk.
create unlogged table ninefold.sign_in_failures (
  subject text not null,
  -- In ascending order.
  attempts timestamptz[] not null default '{}',
  -- Attempts whose password is being checked. A subset of attempts.
  pending timestamptz[] not null default '{}',
  -- For an account: the hash of the network of each attempt, the oldest first. A network has at most a few entries.
  networks bigint[] not null default '{}',
  -- For an account: the last attempt from the reserved part of the bound.
  reserved_at timestamptz,
  keep_until timestamptz not null,
  constraint sign_in_failures_pkey primary key (subject)
);
alter table ninefold.sign_in_failures owner to ninefold_server;
create index sign_in_failures_keep_until_idx on ninefold.sign_in_failures (keep_until);
comment on table ninefold.sign_in_failures is
  'Sign-ins of the current window that failed or are under way, by hash of the client network or of the account.';

create table ninefold.sign_in_networks (
  user_id uuid not null references auth.users (id) on delete cascade,
  network bigint not null,
  seen_at timestamptz not null default now(),
  constraint sign_in_networks_pkey primary key (user_id, network)
);
alter table ninefold.sign_in_networks owner to ninefold_server;
comment on table ninefold.sign_in_networks is
  'Networks from which a member has signed in, by hash. Failures of other networks do not slow a sign-in from one of them.';

create function ninefold.attempts_since(attempts timestamptz[], since timestamptz) returns timestamptz[]
  language sql immutable parallel safe
return array(select attempt from unnest(attempts) attempt where attempt > since order by attempt);
alter function ninefold.attempts_since owner to supabase_auth_admin;
comment on function ninefold.attempts_since is 'The attempts after a moment, in ascending order.';

-- Returns {"at": …} if the password may be checked; the attempt counts as a failure until the server settles it. Otherwise returns
-- {"wait": seconds, "busy": …, "refused": "address" | "account"}. `busy` is true if only attempts under way exceed the bound, so the client may
-- retry in a moment. `refused` is the bound with the longest wait, for the headers RateLimit and RateLimit-Policy.
--
-- A quarter of an account's bound is reserved for networks that have used few attempts for it, at an even pace. So strangers who use up the
-- rest do not lock out a member with a new device. A network from which the member has signed in (is_known) has its own count.
create function ninefold.reserve_sign_in(
  address text, account text, account_and_network text, network bigint, is_known boolean,
  address_bound integer, account_bound integer, window_seconds integer,
  newcomer_attempts integer, networks_kept integer, networks_seconds integer, pending_seconds integer
) returns jsonb
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  counted text := case when is_known then account_and_network else account end;
  length interval := make_interval(secs => window_seconds);
  reserved integer := account_bound / 4;
  open_bound integer := account_bound - reserved;
  is_locked boolean;
  is_newcomer boolean;
  uses_reserved boolean;
  at timestamptz;
  pending_since timestamptz;
  by_address ninefold.sign_in_failures;
  by_account ninefold.sign_in_failures;
  address_free timestamptz;
  account_free timestamptz;
begin
  -- A first look without a lock refuses most of a flood; only the second one decides that an attempt may be checked.
  foreach is_locked in array array[false, true] loop
    if is_locked then
      insert into ninefold.sign_in_failures as f (subject, keep_until)
      select subject, now() + length from unnest(array[address, counted]) subject order by subject
      on conflict (subject) do update set keep_until = f.keep_until where false;
    end if;
    at := clock_timestamp();
    pending_since := at - least(length, make_interval(secs => pending_seconds));
    select * into by_address from ninefold.sign_in_failures f where f.subject = address;
    select * into by_account from ninefold.sign_in_failures f where f.subject = counted;
    by_address.attempts := ninefold.attempts_since(by_address.attempts, at - length);
    by_account.attempts := ninefold.attempts_since(by_account.attempts, at - length);
    by_address.pending := ninefold.attempts_since(by_address.pending, pending_since);
    by_account.pending := ninefold.attempts_since(by_account.pending, pending_since);

    address_free := by_address.attempts[cardinality(by_address.attempts) - address_bound + 1] + length;
    account_free := by_account.attempts[cardinality(by_account.attempts) - open_bound + 1] + length;
    is_newcomer := not is_known
      and cardinality(array_positions(coalesce(by_account.networks, '{}'), network)) < newcomer_attempts;
    uses_reserved := account_free is not null and is_newcomer and reserved > 0;
    if uses_reserved then
      account_free := greatest(
        by_account.reserved_at + length / reserved,
        by_account.attempts[cardinality(by_account.attempts) - account_bound + 1] + length);
    end if;
    if address_free > at or account_free > at then
      return jsonb_build_object(
        'wait', greatest(1, ceil(extract(epoch from greatest(address_free, account_free) - at))),
        'refused', case when account_free is null or address_free > account_free then 'address' else 'account' end,
        'busy', cardinality(by_address.attempts) - cardinality(by_address.pending) < address_bound
          and cardinality(by_account.attempts) - cardinality(by_account.pending) < open_bound);
    end if;
  end loop;

  update ninefold.sign_in_failures f set
    attempts = by_address.attempts || at, pending = by_address.pending || at, keep_until = greatest(f.keep_until, at + length)
  where f.subject = address;
  if is_newcomer then
    by_account.networks := by_account.networks || network;
    by_account.networks := by_account.networks[cardinality(by_account.networks) - networks_kept + 1:];
  end if;
  update ninefold.sign_in_failures f set
    attempts = by_account.attempts || at, pending = by_account.pending || at, networks = by_account.networks,
    reserved_at = case when uses_reserved then at else f.reserved_at end,
    keep_until = greatest(f.keep_until, at + length, case when uses_reserved then at + make_interval(secs => networks_seconds) end)
  where f.subject = counted;
  return jsonb_build_object('at', at);
end
$$;
alter function ninefold.reserve_sign_in owner to supabase_auth_admin;
comment on function ninefold.reserve_sign_in is 'Counts a sign-in before its password is checked, or returns the wait.';

-- Stores the network from which a session was opened, and informs the member by mail of a device on a new network. The first network of an
-- account and a session without a device send no mail. The function does not update a network that was seen within the hour, so most sign-ins
-- write nothing here.
create function ninefold.remember_network(
  opened uuid, seen_from bigint, networks_kept integer, device jsonb, accept_language text
) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  account uuid;
begin
  select s.user_id into account from auth.sessions s where s.id = opened;
  if account is null or exists (
    select from ninefold.sign_in_networks n
    where n.user_id = account and n.network = seen_from and n.seen_at > now() - interval '1 hour'
  ) then
    return;
  end if;
  update ninefold.sign_in_networks n set seen_at = now() where n.user_id = account and n.network = seen_from;
  if found then
    return;
  end if;
  if device is not null then
    insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
    select 'new_device_notification', u.email, u.id, device, accept_language from auth.users u
    where u.id = account and u.email <> '' and exists (select from ninefold.sign_in_networks n where n.user_id = u.id);
  end if;
  insert into ninefold.sign_in_networks as n (user_id, network) values (account, seen_from)
  on conflict (user_id, network) do update set seen_at = now();
  delete from ninefold.sign_in_networks n where n.user_id = account and n.network in (
    select o.network from ninefold.sign_in_networks o where o.user_id = account and o.network <> seen_from
    order by o.seen_at desc offset networks_kept - 1
  );
end
$$;
alter function ninefold.remember_network owner to supabase_auth_admin;
comment on function ninefold.remember_network is 'Stores the network of a sign-in, and informs the member of a new one.';

-- Rates of calls ------------------------------------------------------------------------------------------------------

-- One row for each client network, account or app and kind of call, by hash. A window has 60 slots. A row counts the calls of the current
-- slot and of the 60 slots before it, so no window contains more calls than the bound. The table is unlogged: a crash may lose calls.
--
-- A flood updates a row often. With room on its page, its versions stay there; no index grows, because keep_until changes only with the slot.
create unlogged table ninefold.rate_counts (
  subject text not null,
  -- The number of the last slot since 1970.
  slot bigint not null,
  counts integer[] not null,
  keep_until timestamptz not null,
  -- The sum of `counts` in the slot of the row; null until the row gets its next slot.
  total bigint,
  constraint rate_counts_pkey primary key (subject)
) with (fillfactor = 50);
alter table ninefold.rate_counts owner to ninefold_server;
create index rate_counts_keep_until_idx on ninefold.rate_counts (keep_until);
comment on table ninefold.rate_counts is 'Calls of the current windows, by hash of the client network, the account or the app.';

create function ninefold.rates_at(counted text, slot bigint) returns integer[]
  language plpgsql
  set search_path = pg_catalog, pg_temp
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

-- Counts as many of `calls` calls as all bounds admit, each under all subjects. Returns null if all of them may pass. Otherwise returns
-- {"taken": the number that may pass, "refused": the position of the subject that refuses the others, "wait": seconds}.
create function ninefold.take_from_rates(subjects text[], bounds integer[], window_seconds integer[], calls integer default 1) returns jsonb
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  is_locked boolean;
  at float8;
  width float8;
  current_slot bigint;
  counted integer[];
  used bigint;
  taken bigint;
  refused integer;
  wait float8 := 0;
  is_new_slot boolean := false;
begin
  -- Most calls have one subject, fall into the same slot as the previous call and are far from the bound. One update counts them.
  if cardinality(subjects) = 1 then
    update ninefold.rate_counts r set counts[61] = r.counts[61] + calls, total = r.total + calls
    where r.subject = subjects[1] and r.total + calls <= bounds[1]
      and r.slot = floor(extract(epoch from clock_timestamp()) / (window_seconds[1] / 60.0))::bigint;
    if found then
      return null;
    end if;
  end if;
  -- A first look without a lock refuses most of a flood. Rows are locked in the order of their subjects.
  foreach is_locked in array array[false, true] loop
    if is_locked then
      insert into ninefold.rate_counts as r (subject, slot, counts, keep_until)
      select one.subject, 0, '{}', now() + make_interval(secs => one.seconds)
      from unnest(subjects, window_seconds) as one (subject, seconds) order by one.subject
      on conflict (subject) do update set keep_until = r.keep_until where false;
    end if;
    at := extract(epoch from clock_timestamp());
    taken := calls;
    for i in 1 .. cardinality(subjects) loop
      counted := ninefold.rates_at(subjects[i], floor(at / (window_seconds[i] / 60.0))::bigint);
      taken := least(taken, greatest(0, bounds[i] - (select sum(c) from unnest(counted) c)));
    end loop;
    exit when taken = 0;
  end loop;

  if taken < calls then
    for i in 1 .. cardinality(subjects) loop
      width := window_seconds[i] / 60.0;
      counted := ninefold.rates_at(subjects[i], floor(at / width)::bigint);
      used := taken + (select sum(c) from unnest(counted) c);
      -- Waits until enough slots have left the window.
      for k in 1 .. 61 loop
        exit when used < bounds[i];
        used := used - counted[k] - case when k = 61 then taken else 0 end;
        if used < bounds[i] and (floor(at / width) + k) * width - at > wait then
          wait := (floor(at / width) + k) * width - at;
          refused := i;
        end if;
      end loop;
    end loop;
  end if;

  if taken > 0 then
    for i in 1 .. cardinality(subjects) loop
      width := window_seconds[i] / 60.0;
      current_slot := floor(at / width)::bigint;
      -- Most calls fall into the slot of the previous call. So this row is incremented first, without reading the other slots.
      update ninefold.rate_counts r set counts[61] = r.counts[61] + taken, total = r.total + taken
      where r.subject = subjects[i] and r.slot = current_slot and cardinality(r.counts) = 61;
      if not found then
        is_new_slot := true;
        counted := ninefold.rates_at(subjects[i], current_slot);
        counted[61] := counted[61] + taken;
        update ninefold.rate_counts r set counts = counted, slot = current_slot, total = (select sum(c) from unnest(counted) c),
          -- The slot has left the window then.
          keep_until = to_timestamp((current_slot + 1) * width) + make_interval(secs => window_seconds[i])
        where r.subject = subjects[i];
      end if;
    end loop;
    -- Sweeps rows that are no longer needed.
    if is_new_slot then
      delete from ninefold.rate_counts r using (
        select o.subject from ninefold.rate_counts o
        where o.keep_until < now() and o.subject <> all (subjects)
        order by o.keep_until limit 5 for update skip locked
      ) as old where r.subject = old.subject;
    end if;
  end if;
  if refused is null then
    return null;
  end if;
  return jsonb_build_object('taken', taken, 'refused', refused, 'wait', greatest(1, ceil(wait)));
end
$$;
alter function ninefold.take_from_rates owner to supabase_auth_admin;
comment on function ninefold.take_from_rates is 'Counts calls under several subjects, and returns the wait for calls that exceed a bound.';

revoke execute on function ninefold.attempts_since, ninefold.reserve_sign_in, ninefold.remember_network, ninefold.rates_at,
  ninefold.take_from_rates from public;

-- Sign-ins by day and way ---------------------------------------------------------------------------------------------

-- Each sign-in appends a row, so that two sign-ins never wait for each other. The sweep folds the rows of a day and a way into one.
create table ninefold.sign_in_counts (
  -- In UTC.
  day date not null,
  -- password, mail, phone, passkey, anonymous, application, or the name of a provider.
  way text not null,
  n bigint not null
);
alter table ninefold.sign_in_counts owner to ninefold_server;
comment on table ninefold.sign_in_counts is 'Sign-ins by day and way; the sum of the rows counts.';

create function ninefold.fold_sign_in_counts(keep_days integer) returns void
  language sql security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  with many as (
    select c.day, c.way from ninefold.sign_in_counts c group by c.day, c.way
    having count(*) > 1 or c.day <= (now() at time zone 'utc')::date - keep_days
  ),
  taken as (
    delete from ninefold.sign_in_counts c using many where c.day = many.day and c.way = many.way returning c.day, c.way, c.n
  )
  insert into ninefold.sign_in_counts (day, way, n)
  select t.day, t.way, sum(t.n)::bigint from taken t
  where t.day > (now() at time zone 'utc')::date - keep_days group by t.day, t.way;
end;
alter function ninefold.fold_sign_in_counts owner to supabase_auth_admin;
comment on function ninefold.fold_sign_in_counts is 'Sums the counts of each day and way, and deletes old counts.';

-- The sweep -----------------------------------------------------------------------------------------------------------

-- Deletes rows that are no longer needed, at most max_rows of each table. The app may have triggers on the tables of schema auth, so the
-- authenticator runs this function and fold_sign_in_counts, not the server.
create function ninefold.sweep_sign_ins(
  audit_days integer, max_entries bigint, timebox float8, inactivity float8, flow_seconds float8, token_seconds float8, max_rows integer
) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  swept bigint := 0;
  part bigint;
  oldest timestamptz;
begin
  delete from auth.audit_log_entries e where e.id in (
    select o.id from auth.audit_log_entries o where o.created_at < now() - make_interval(days => audit_days)
    order by o.created_at limit max_rows);
  get diagnostics part = row_count;
  swept := swept + part;
  select o.created_at into oldest from auth.audit_log_entries o order by o.created_at desc, o.id desc offset max_entries limit 1;
  delete from auth.audit_log_entries e where e.id in (
    select o.id from auth.audit_log_entries o where o.created_at <= oldest order by o.created_at limit max_rows);
  get diagnostics part = row_count;
  swept := swept + part;

  delete from auth.sessions s where s.id in (
    select o.id from auth.sessions o
    where least(
      o.not_after,
      o.created_at + make_interval(secs => nullif(timebox, 0)),
      coalesce(o.refreshed_at at time zone 'utc', o.created_at) + make_interval(secs => nullif(inactivity, 0))) <= now()
    limit max_rows for update skip locked);
  get diagnostics part = row_count;
  swept := swept + part;

  delete from auth.flow_state f where f.id in (
    select o.id from auth.flow_state o where o.created_at < now() - make_interval(secs => flow_seconds)
    order by o.created_at limit max_rows for update skip locked);
  get diagnostics part = row_count;
  swept := swept + part;

  with gone as (
    delete from auth.one_time_tokens t where t.id in (
      select o.id from auth.one_time_tokens o
      where o.created_at < (now() - make_interval(secs => token_seconds)) at time zone 'utc' limit max_rows for update skip locked)
    returning t.user_id, t.token_type
  ), codes as (
    delete from ninefold.one_time_codes c using gone where c.user_id = gone.user_id and c.token_type = gone.token_type
  )
  select count(*) into part from gone;
  swept := swept + part;

  delete from auth.mfa_challenges c where c.id in (
    select o.id from auth.mfa_challenges o where o.created_at < now() - make_interval(secs => token_seconds)
    order by o.created_at limit max_rows for update skip locked);
  get diagnostics part = row_count;
  swept := swept + part;

  delete from auth.webauthn_challenges c where c.id in (
    select o.id from auth.webauthn_challenges o where o.expires_at < now()
    order by o.expires_at limit max_rows for update skip locked);
  get diagnostics part = row_count;
  return swept + part;
end
$$;
alter function ninefold.sweep_sign_ins owner to supabase_auth_admin;
comment on function ninefold.sweep_sign_ins is 'Deletes ended sessions, expired flows, tokens and challenges, and old entries of the audit log.';
revoke execute on function ninefold.fold_sign_in_counts, ninefold.sweep_sign_ins from public;

grant select, insert, update, delete on ninefold.sign_in_failures, ninefold.sign_in_networks, ninefold.rate_counts,
  ninefold.sign_in_counts to supabase_auth_admin;
