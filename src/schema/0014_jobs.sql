-- Scheduled jobs with the functions and tables of pg_cron. The node runs the jobs (docs/scheduled-work.md).

-- Schedules -----------------------------------------------------------------------------------------------------------
create type ninefold.parsed_schedule as (
  -- The length of an interval; null for a schedule in cron's five fields.
  seconds integer,
  minutes integer[],
  hours integer[],
  days integer[],
  months integer[],
  -- 0 is Sunday.
  weekdays integer[],
  is_last_day boolean,
  -- True if a day must match both the day of the month and the day of the week; otherwise one of them is enough.
  needs_both boolean
);

create function ninefold.parse_schedule_field(field text, low integer, high integer, names text[]) returns integer[]
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
declare
  item text;
  parts text[];
  bounds integer[];
  step integer;
  found integer[] := '{}';
begin
  foreach item in array string_to_array(lower(field), ',') loop
    parts := regexp_match(item, '^(?:(\*)|([a-z]+|\d{1,4})(?:-([a-z]+|\d{1,4}))?)(?:/(\d{1,4}))?$');
    if parts is null or (parts[1] is null and parts[3] is null and parts[4] is not null) then
      return null;
    end if;
    if parts[1] is not null then
      bounds := array[low, high];
    else
      select array_agg(case when word ~ '^\d' then word::integer else array_position(names, word) - 1 + low end order by place)
      into bounds
      from unnest(array[parts[2], coalesce(parts[3], parts[2])]) with ordinality as words (word, place);
    end if;
    step := coalesce(parts[4]::integer, 1);
    if (bounds[1] >= low and bounds[1] <= bounds[2] and bounds[2] <= high and step between 1 and high) is not true then
      return null;
    end if;
    found := found || array(select generate_series(bounds[1], bounds[2], step));
  end loop;
  return array(select distinct value from unnest(found) value order by value);
end
$$;
comment on function ninefold.parse_schedule_field is 'The values that one field of a cron schedule names; null if it is no such field.';

create function ninefold.parse_schedule(schedule text) returns ninefold.parsed_schedule
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
declare
  text_of_schedule text := lower(btrim(schedule, E' \t\n'));
  fields text[];
  parsed ninefold.parsed_schedule;
begin
  if text_of_schedule is null or length(schedule) >= 1000 then
    return null;
  end if;
  parsed.seconds := (regexp_match(text_of_schedule, '^([1-9]|[1-5][0-9])\s+seconds?$'))[1]::integer;
  if parsed.seconds is not null then
    return parsed;
  end if;
  text_of_schedule := case text_of_schedule
    when '@yearly' then '0 0 1 1 *' when '@annually' then '0 0 1 1 *' when '@monthly' then '0 0 1 * *'
    when '@weekly' then '0 0 * * 0' when '@daily' then '0 0 * * *' when '@midnight' then '0 0 * * *'
    when '@hourly' then '0 * * * *' else text_of_schedule end;
  fields := regexp_split_to_array(text_of_schedule, '\s+');
  if cardinality(fields) <> 5 then
    return null;
  end if;
  parsed.minutes := ninefold.parse_schedule_field(fields[1], 0, 59, '{}');
  parsed.hours := ninefold.parse_schedule_field(fields[2], 0, 23, '{}');
  parsed.is_last_day := fields[3] = '$';
  parsed.days := case when parsed.is_last_day then '{}' else ninefold.parse_schedule_field(fields[3], 1, 31, '{}') end;
  parsed.months := ninefold.parse_schedule_field(fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}');
  parsed.weekdays := ninefold.parse_schedule_field(fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}');
  if 7 = any (parsed.weekdays) then
    parsed.weekdays := parsed.weekdays || 0;
  end if;
  parsed.needs_both := left(fields[3], 1) = '*' or left(fields[5], 1) = '*';
  if parsed.minutes is null or parsed.hours is null or parsed.days is null or parsed.months is null or parsed.weekdays is null then
    return null;
  end if;
  return parsed;
end
$$;
comment on function ninefold.parse_schedule is 'A schedule in pg_cron''s syntax, parsed; null if it is invalid.';

create function ninefold.is_schedule(schedule text) returns boolean
  language sql immutable
  set search_path = pg_catalog, pg_temp
  return pg_catalog.num_nonnulls(
    (ninefold.parse_schedule(schedule)).seconds, (ninefold.parse_schedule(schedule)).minutes) > 0;

create function ninefold.next_run(schedule text, since timestamptz) returns timestamptz
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  parsed ninefold.parsed_schedule := ninefold.parse_schedule(schedule);
  start timestamp := since at time zone 'UTC';
  day date := (since at time zone 'UTC')::date;
  on_day boolean;
  on_weekday boolean;
  found timestamp;
begin
  if parsed.seconds is not null then
    return since + make_interval(secs => parsed.seconds);
  end if;
  -- 29 February can be eight years away.
  for offset_days in 0..2930 loop
    if extract(month from day)::integer = any (parsed.months) then
      on_day := extract(day from day)::integer = any (parsed.days)
        or parsed.is_last_day and extract(day from day + 1) = 1;
      on_weekday := extract(dow from day)::integer = any (parsed.weekdays);
      if (case when parsed.needs_both then on_day and on_weekday else on_day or on_weekday end) then
        select min(run) into found
        from unnest(parsed.hours) hour, unnest(parsed.minutes) minute,
          lateral (select day + make_interval(hours => hour, mins => minute) as run) runs
        where run > start;
        if found is not null then
          return found at time zone 'UTC';
        end if;
      end if;
    end if;
    day := day + 1;
  end loop;
  return null;
end
$$;
comment on function ninefold.next_run is 'The first run of a schedule after a moment, in GMT; null if it never runs.';

create function ninefold.last_run_until(schedule text, due timestamptz, until timestamptz) returns timestamptz
  language sql stable
  set search_path = pg_catalog, pg_temp
  return case
    when until <= due then due
    when (ninefold.parse_schedule(schedule)).seconds is null then greatest(due, date_trunc('minute', until, 'UTC'))
    else due + floor(extract(epoch from until - due) / (ninefold.parse_schedule(schedule)).seconds)
      * make_interval(secs => (ninefold.parse_schedule(schedule)).seconds)
  end;
comment on function ninefold.last_run_until is 'The last due run that a run at a later moment covers.';
revoke execute on function ninefold.parse_schedule_field, ninefold.parse_schedule, ninefold.is_schedule, ninefold.next_run,
  ninefold.last_run_until from public;
grant execute on function ninefold.parse_schedule_field, ninefold.parse_schedule, ninefold.is_schedule, ninefold.next_run
  to pg_database_owner, postgres, ninefold_server;

-- Jobs ----------------------------------------------------------------------------------------------------------------
-- A database that has a schema cron, such as that of pg_cron, keeps it: the node runs no jobs there.
do $install$
begin
  if to_regnamespace('cron') is not null then
    return;
  end if;
  execute $jobs$
    create schema cron;
    create sequence cron.jobid_seq;
    create sequence cron.runid_seq;

    create table cron.job (
      jobid bigint primary key default pg_catalog.nextval('cron.jobid_seq'),
      schedule text not null,
      command text not null,
      nodename text not null default 'localhost',
      nodeport integer not null default 5432,
      database text not null default pg_catalog.current_database(),
      username text not null default current_user,
      active boolean not null default true,
      jobname text,
      constraint jobname_username_uniq unique (jobname, username)
    );
    comment on table cron.job is 'Scheduled jobs of the app.';

    create table cron.job_run_details (
      jobid bigint,
      runid bigint primary key default pg_catalog.nextval('cron.runid_seq'),
      job_pid integer,
      database text,
      username text,
      command text,
      status text,
      return_message text,
      start_time timestamptz,
      end_time timestamptz
    );
    create index job_run_details_job on cron.job_run_details (jobid, runid);
    comment on table cron.job_run_details is 'The last runs of scheduled jobs.';

    create table ninefold.job_states (
      jobid bigint primary key references cron.job (jobid) on delete cascade,
      -- The runs up to here are claimed or skipped.
      last_due timestamptz not null,
      -- The current run: its id, the previous last_due, the process of the node that claimed it, and the start of its session.
      run bigint,
      claimed_from timestamptz,
      runner text,
      session_start timestamptz
    );
    comment on table ninefold.job_states is 'The last due run and the current run of each job.';

    grant select on ninefold.job_states to pg_database_owner;
    grant select, insert, update, delete on ninefold.job_states to ninefold_server;
    grant usage on schema cron to pg_database_owner, postgres, ninefold_server;
    grant select, insert, update, delete on cron.job to pg_database_owner, postgres;
    grant select, delete on cron.job_run_details to pg_database_owner, postgres;
    grant select on cron.job to ninefold_server;
    grant select, insert, update, delete on cron.job_run_details to ninefold_server;
    grant select, usage on cron.jobid_seq to pg_database_owner, postgres;
    grant select on cron.runid_seq to pg_database_owner, postgres;
    grant select on cron.runid_seq to pg_database_owner, postgres;
    grant usage on cron.runid_seq to ninefold_server;
    grant execute on function ninefold.last_run_until to ninefold_server;

    -- Runs with the privileges of the role that writes the row.
    create function ninefold.check_job() returns trigger
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      if not ninefold.is_schedule(new.schedule) then
        raise exception 'invalid schedule: %', new.schedule using
          errcode = '22023',
          hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
      end if;
      if octet_length(new.command) > 65536 or length(new.jobname) > 200 then
        raise exception 'the command of a job may have 65536 bytes, its name 200 characters' using errcode = '54000';
      end if;
      -- Projects of Supabase name their database postgres.
      if new.database = 'postgres' then
        new.database := current_database();
      end if;
      if new.database <> current_database() then
        raise exception 'database "%" does not exist', new.database using errcode = '3D000';
      end if;
      if new.username <> current_user and (tg_op = 'INSERT' or new.username <> old.username) then
        if not exists (select from pg_catalog.pg_roles where rolname = new.username) then
          raise exception 'role "%" does not exist', new.username using errcode = '42704';
        end if;
        if not pg_has_role(current_user, new.username, 'MEMBER') then
          raise exception 'must be able to become the role % to create a job for it', new.username using errcode = '42501';
        end if;
      end if;
      if tg_op = 'INSERT' then
        if (select count(*) from cron.job) >= 100 then
          raise exception 'an app may have 100 scheduled jobs' using errcode = '54000';
        end if;
      elsif new.jobid <> old.jobid then
        raise exception 'the id of a job cannot be changed' using errcode = '22023';
      end if;
      return new;
    end
    $$;
    create trigger ninefold_check before insert or update on cron.job for each row execute function ninefold.check_job();

    create function ninefold.keep_job_state() returns trigger
      language plpgsql security definer
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      insert into ninefold.job_states as s (jobid, last_due) values (new.jobid, clock_timestamp())
      on conflict (jobid) do update set last_due = excluded.last_due;
      return null;
    end
    $$;
    create trigger ninefold_state_of_new after insert on cron.job for each row execute function ninefold.keep_job_state();
    create trigger ninefold_state_of_changed after update on cron.job
      for each row when (new.schedule <> old.schedule or new.active and not old.active) execute function ninefold.keep_job_state();

    create function ninefold.notify_jobs_changed() returns trigger
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      perform pg_notify('ninefold', '{"type":"schema"}');
      perform pg_notify('ninefold', '{"type":"jobs"}');
      return null;
    end
    $$;
    create trigger ninefold_changed after insert or update or delete on cron.job
      for each statement execute function ninefold.notify_jobs_changed();
    create trigger ninefold_noted after insert or update or delete on cron.job
      for each row execute function ninefold.note_definition_change();

    revoke execute on function ninefold.check_job, ninefold.keep_job_state, ninefold.notify_jobs_changed from public;

    create function cron.schedule(schedule text, command text) returns bigint
      language sql strict
      set search_path = pg_catalog, pg_temp
    as $$ insert into cron.job (schedule, command) values (schedule, command) returning jobid $$;

    create function cron.schedule(job_name text, schedule text, command text) returns bigint
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      return cron.schedule_in_database(job_name, schedule, command, current_database());
    end
    $$;

    create function cron.schedule_in_database(
      job_name text, schedule text, command text, database text, username text default null, active boolean default true
    ) returns bigint
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    #variable_conflict use_column
    declare
      id bigint;
    begin
      if job_name is null then
        raise exception 'job_name can not be NULL';
      elsif $2 is null then
        raise exception 'schedule can not be NULL';
      elsif $3 is null then
        raise exception 'command can not be NULL';
      end if;
      insert into cron.job (jobname, schedule, command, database, username, active)
      values ($1, $2, $3, coalesce($4, current_database()), coalesce($5, current_user), coalesce($6, true))
      on conflict on constraint jobname_username_uniq
      do update set schedule = excluded.schedule, command = excluded.command, database = excluded.database
      returning jobid into id;
      return id;
    end
    $$;

    create function cron.unschedule(job_id bigint) returns boolean
      language plpgsql strict
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      delete from cron.job where jobid = job_id;
      if not found then
        raise exception 'could not find valid entry for job %', job_id using errcode = 'XX000';
      end if;
      return true;
    end
    $$;

    -- The caller's own job comes first, then that of another role: a name is unique for each role.
    create function cron.unschedule(job_name text) returns boolean
      language plpgsql strict
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      delete from cron.job where jobid = (
        select j.jobid from cron.job j where j.jobname = job_name order by j.username = current_user desc, j.jobid limit 1);
      if not found then
        raise exception 'could not find valid entry for job ''%''', job_name using errcode = 'XX000';
      end if;
      return true;
    end
    $$;

    create function cron.alter_job(
      job_id bigint, schedule text default null, command text default null, database text default null,
      username text default null, active boolean default null
    ) returns void
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    #variable_conflict use_column
    begin
      if job_id is null then
        raise exception 'job_id can not be NULL';
      end if;
      if num_nonnulls($2, $3, $4, $5, $6) = 0 then
        raise exception 'no updates specified' using
          errcode = '22023', hint = 'You must specify at least one job attribute to change when calling alter_job';
      end if;
      update cron.job j set schedule = coalesce($2, j.schedule), command = coalesce($3, j.command),
        database = coalesce($4, j.database), username = coalesce($5, j.username), active = coalesce($6, j.active)
      where j.jobid = $1;
      if not found then
        raise exception 'Job % does not exist or you don''t own it', job_id using errcode = 'XX000';
      end if;
    end
    $$;
    comment on function cron.schedule(text, text) is 'Schedules a job.';
    comment on function cron.schedule(text, text, text) is 'Schedules a job under a name, or changes the job with this name.';
    comment on function cron.schedule_in_database is 'Schedules a job as another role.';
    comment on function cron.unschedule(bigint) is 'Removes a job.';
    comment on function cron.unschedule(text) is 'Removes a job.';
    comment on function cron.alter_job is 'Changes a job. An argument that is null changes nothing.';

    revoke execute on all functions in schema cron from public;
    grant execute on all functions in schema cron to pg_database_owner, postgres;
  $jobs$;
end
$install$;

-- Jobs in the specification -------------------------------------------------------------------------------------------

-- Connections that have switched to another role than the owner get no jobs, because a command may contain a key.
create function ninefold.scheduled_jobs() returns json
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('ninefold.job_states') is null or (
    current_setting('role') <> 'none' and not pg_has_role(current_setting('role'), 'pg_database_owner', 'MEMBER')
  ) then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(json_build_object('jobid', j.jobid::text, 'name', j.jobname, 'schedule', j.schedule,
      'command', j.command, 'role', j.username, 'active', j.active,
      'by_owner', j.username = (select r.rolname from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba
        where d.datname = current_database())) order by j.jobname nulls last, j.jobid), '[]')
    from cron.job j);
end
$$;
comment on function ninefold.scheduled_jobs is 'The jobs of the app, for its specification.';

create function ninefold.job_figures() returns json
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('ninefold.job_states') is null then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(json_build_object(
      'jobid', j.jobid::text, 'name', j.jobname, 'role', j.username,
      'next_run', case when j.active then ninefold.next_run(j.schedule, greatest(s.last_due, now() - interval '1 hour')) end,
      'last_run', (
        select json_build_object('status', d.status, 'message', coalesce(left(d.return_message, 500), ''), 'at', d.start_time,
          'milliseconds', (extract(epoch from d.end_time - d.start_time) * 1000)::int8)
        from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1),
      'failed', (
        select count(*) from cron.job_run_details d where d.jobid = j.jobid and d.status = 'failed' and d.runid > coalesce((
          select max(x.runid) from cron.job_run_details x where x.jobid = j.jobid and x.status = 'succeeded'), 0)))), '[]')
    from cron.job j join ninefold.job_states s using (jobid));
end
$$;
comment on function ninefold.job_figures is 'The next and the last run of each job.';
revoke execute on function ninefold.job_figures from public;
grant execute on function ninefold.job_figures to ninefold_server;
