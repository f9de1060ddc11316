-- Calls are counted by one update as long as their bound is far.

-- The sum of `counts` in the slot of the row; null until the row gets its next slot.
alter table ninefold.rate_counts add column total bigint;

-- Counts as many of `calls` calls as all bounds admit, each under all subjects. Returns null if all of them may pass, else {"taken": how many
-- may pass, "refused": the position of the subject that refuses the others, "wait": seconds}.
create or replace function ninefold.take_from_rates(subjects text[], bounds integer[], window_seconds integer[], calls integer default 1) returns jsonb
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
  -- Most calls have one subject, come in the slot of the call before and are far from the bound: one update counts them.
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
