-- Calls of one network that arrive together are counted together, and accounts keep room on their pages.

drop function ninefold.take_from_rates(text[], integer[], integer[]);

-- Counts as many of `calls` calls as all bounds admit, each under all subjects. Returns null if all of them may pass, else {"taken": how many
-- may pass, "refused": the position of the subject that refuses the others, "wait": seconds}.
create function ninefold.take_from_rates(subjects text[], bounds integer[], window_seconds integer[], calls integer default 1) returns jsonb
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
  taken bigint;
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
      -- Waits until as many slots have left the window as hold what is too much.
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
      -- Most calls come in the slot of the one before.
      update ninefold.rate_counts r set counts[61] = r.counts[61] + taken
      where r.subject = subjects[i] and r.slot = current_slot and cardinality(r.counts) = 61;
      if not found then
        is_new_slot := true;
        counted := ninefold.rates_at(subjects[i], current_slot);
        counted[61] := counted[61] + taken;
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
  end if;
  if refused is null then
    return null;
  end if;
  return jsonb_build_object('taken', taken, 'refused', refused, 'wait', greatest(1, ceil(wait)));
end
$$;
alter function ninefold.take_from_rates owner to supabase_auth_admin;
comment on function ninefold.take_from_rates is 'Counts calls under several subjects, or says how long those must wait that exceed a bound.';
revoke execute on function ninefold.take_from_rates from public;

create or replace function ninefold.confirm_email(account uuid, drops_password boolean) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  update auth.users u set
    encrypted_password = case when u.email_confirmed_at is null and drops_password then null else u.encrypted_password end,
    email_confirmed_at = coalesce(u.email_confirmed_at, now()),
    is_anonymous = false,
    raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || '{"email_verified": true}',
    confirmation_token = '', recovery_token = '', email_change_token_new = '', email_change_token_current = '',
    reauthentication_token = '', updated_at = now()
  where u.id = account;
  -- The identity of a member who signs in again is left as it is.
  update auth.identities i set
    identity_data = i.identity_data || '{"email_verified": true}', updated_at = now()
  from auth.users u
  where u.id = account and i.user_id = u.id and i.provider = 'email' and i.identity_data ->> 'email' = u.email
    and i.identity_data -> 'email_verified' is distinct from 'true';
  delete from auth.one_time_tokens t where t.user_id = account;
  delete from ninefold.one_time_codes c where c.user_id = account;
end
$$;

-- A sign-in updates the row of its account, and a refresh that of its session. With room on the page the new version stays there, and none
-- of the indexes of the table gets an entry.
alter table auth.users set (fillfactor = 80);
alter table auth.identities set (fillfactor = 80);
alter table auth.sessions set (fillfactor = 80);

-- The session in which a member began to add an identity. A link whose session has ended adds nothing: it may have been begun by a
-- stranger whom the member has signed out.
create table ninefold.linking_sessions (
  flow_id uuid not null references auth.flow_state (id) on delete cascade,
  session_id uuid not null,
  constraint linking_sessions_pkey primary key (flow_id)
);
alter table ninefold.linking_sessions owner to supabase_auth_admin;
comment on table ninefold.linking_sessions is 'The sessions in which members began to add an identity.';

-- A new password also voids what was begun before it: links and codes, a change of address or number that can be sent again, and a code of
-- a link or a provider that was not exchanged yet.
create or replace function auth.end_other_sessions_of_user() returns trigger
language plpgsql security definer set search_path = '' as $$
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
