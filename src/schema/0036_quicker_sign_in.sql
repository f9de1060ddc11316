-- What every sign-in does after its session is open, in one statement; and counts of calls that are updated in place.

-- Remembers the network from which a session was opened, and tells the member by mail of a device on a new network. The first network
-- of an account sends no mail, nor does a session without a device. A network that was seen within the hour is left as it is, so that most
-- sign-ins write nothing here.
create function ninefold.remember_network(
  opened uuid, seen_from bigint, networks_kept integer, device jsonb, accept_language text
) returns void
  language plpgsql
  set search_path = ''
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
comment on function ninefold.remember_network is 'Remembers the network of a sign-in, and tells the member of a new one.';
revoke execute on function ninefold.remember_network from public;

-- A row of a flood of calls is updated often: room on its page keeps its versions there, and no index grows as long as keep_until is the
-- same, which it is within a slot.
alter table ninefold.rate_counts set (fillfactor = 50);

create or replace function ninefold.take_from_rates(subjects text[], bounds integer[], window_seconds integer[]) returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  is_locked boolean;
  at float8;
  width float8;
  current_slot bigint;
  counted integer[];
  used bigint;
  refused integer;
  wait float8 := 0;
  is_new_slot boolean := false;
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
    current_slot := floor(at / width)::bigint;
    -- Most calls come in the slot of the one before.
    update ninefold.rate_counts r set counts[61] = r.counts[61] + 1
    where r.subject = subjects[i] and r.slot = current_slot and cardinality(r.counts) = 61;
    if not found then
      is_new_slot := true;
      counted := ninefold.rates_at(subjects[i], current_slot);
      counted[61] := counted[61] + 1;
      update ninefold.rate_counts r set counts = counted, slot = current_slot,
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
  return null;
end
$$;
