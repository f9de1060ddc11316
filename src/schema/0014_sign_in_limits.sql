-- Failed sign-ins ---------------------------------------------------------------------------------------------------
-- One row per client network, per account, and per account and network, by hash. A row holds every attempt of the window that
-- failed or is still under way, so the bound holds in every period of that length. Unlogged: a crash may forget failures, and a
-- failure does not wait for the disk.

drop table ninefold.sign_in_failures;

create unlogged table ninefold.sign_in_failures (
  subject text not null,
  -- In ascending order.
  attempts timestamptz[] not null default '{}',
  -- Attempts whose password is being checked. A subset of attempts.
  pending timestamptz[] not null default '{}',
  -- Of an account: networks that used attempts, at most a few entries per network, oldest first.
  networks bigint[] not null default '{}',
  -- Of an account: the last attempt that a network got beyond the bound for all.
  reserved_at timestamptz,
  keep_until timestamptz not null,
  constraint sign_in_failures_pkey primary key (subject)
);
alter table ninefold.sign_in_failures owner to supabase_auth_admin;
comment on table ninefold.sign_in_failures is
  'Sign-ins of the current window that failed or are under way, by hash of the client network or of the account.';
create index sign_in_failures_keep_until_idx on ninefold.sign_in_failures (keep_until);

create table ninefold.sign_in_networks (
  user_id uuid not null references auth.users (id) on delete cascade,
  network bigint not null,
  seen_at timestamptz not null default now(),
  constraint sign_in_networks_pkey primary key (user_id, network)
);
alter table ninefold.sign_in_networks owner to supabase_auth_admin;
comment on table ninefold.sign_in_networks is
  'Networks from which a member has signed in, by hash. Failures of other networks do not slow a sign-in from one of them.';

create function ninefold.attempts_since(attempts timestamptz[], since timestamptz) returns timestamptz[]
  language sql immutable parallel safe
return array(select attempt from unnest(attempts) attempt where attempt > since order by attempt);
alter function ninefold.attempts_since owner to supabase_auth_admin;
comment on function ninefold.attempts_since is 'The attempts after a moment, in ascending order.';

-- Returns {"at": …} for an attempt that may be checked: it counts as a failure until it is settled. Returns {"wait": seconds,
-- "busy": …} for one that may not; busy: only because of attempts that are under way, so it may be tried again in a moment.
--
-- A quarter of an account's bound is reserved for networks that have used few attempts for it, and comes at an even pace: so
-- strangers who use up the rest do not lock out a member with a new device. A network from which the member has signed in
-- (is_known) has a count of its own.
create function ninefold.reserve_sign_in(
  address text, account text, account_and_network text, network bigint, is_known boolean,
  address_bound integer, account_bound integer, window_seconds integer,
  newcomer_attempts integer, networks_kept integer, networks_seconds integer, pending_seconds integer
) returns jsonb
  language plpgsql
  set search_path = ''
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
comment on function ninefold.reserve_sign_in is 'Counts a sign-in before its password is checked, or says how long it must wait.';

revoke execute on function ninefold.reserve_sign_in, ninefold.attempts_since from public;
