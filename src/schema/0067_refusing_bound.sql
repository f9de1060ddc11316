-- A refused sign-in reports which bound refuses it, for the headers RateLimit and RateLimit-Policy.

-- Returns {"at": …} for an attempt that may be checked: it counts as a failure until it is settled. Returns {"wait": seconds,
-- "busy": …, "refused": "address" | "account"} for one that may not; busy: only because of attempts that are under way, so it may be tried
-- again in a moment; refused: the bound that makes it wait longest.
--
-- A quarter of an account's bound is reserved for networks that have used few attempts for it, and comes at an even pace: so
-- strangers who use up the rest do not lock out a member with a new device. A network from which the member has signed in
-- (is_known) has a count of its own.
create or replace function ninefold.reserve_sign_in(
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
