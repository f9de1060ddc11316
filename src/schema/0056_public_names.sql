-- Renames tables, columns, functions and settings to the field's terms, with what earlier versions stored under the old names.

-- Traces and statistics of requests ---------------------------------------------------------------------------------
alter table ninefold.call_stories rename to request_traces;
alter table ninefold.request_traces rename column story to trace;
alter index ninefold.call_stories_request rename to request_traces_request;
alter index ninefold.call_stories_at rename to request_traces_at;
comment on table ninefold.request_traces is 'Traces of requests: those that failed or were slow, and the last ones before the app was idle.';
update ninefold.request_traces
set trace = pg_catalog.jsonb_set(trace #- '{sql,cut}', '{sql,truncated}', trace #> '{sql,cut}')
where trace #> '{sql,cut}' is not null;

alter table ninefold.incidents rename to error_statistics;
alter table ninefold.error_statistics rename column last_who to last_caller;
comment on table ninefold.error_statistics is 'Errors that were sent and limits that were reached, by buckets of ten minutes.';

update ninefold.versions v
set causes = coalesce((
  select pg_catalog.jsonb_agg(c - 'who' || pg_catalog.jsonb_build_object('actor', c -> 'who'))
  from pg_catalog.jsonb_array_elements(v.causes) c), '[]');
-- The report of a probe has other names now; the next run replaces it.
delete from ninefold.probe;

-- Settings ----------------------------------------------------------------------------------------------------------
update ninefold.settings s set key = n.new
from (values ('logs_stories', 'logs_traces'), ('logs_incident_days', 'logs_error_days'), ('states_passage_days', 'state_changes_days'))
  as n (old, new)
where s.key = n.old and not exists (select from ninefold.settings x where x.key = n.new);

-- State changes -----------------------------------------------------------------------------------------------------
alter table ninefold.passages rename to state_changes;
alter table ninefold.state_changes rename column gone to row_deleted;
alter index ninefold.passages_row rename to state_changes_row;
alter index ninefold.passages_at rename to state_changes_at;
alter policy where_the_row_is on ninefold.state_changes rename to readable_with_row;
comment on table ninefold.state_changes is 'Each change of the state of a row: readable where the row is.';

alter function ninefold.judge_passage rename to find_transition;
alter function ninefold.check_passage rename to check_state_change;
alter function ninefold.record_passage rename to record_state_change;
alter function ninefold.passages_at rename to state_changes_of;
comment on function ninefold.set_fields is 'Before a change of the state: sets the fields that its transition sets.';
comment on function ninefold.check_state_change is 'After an update, with the row as it was written: refuses a change of the state that no transition allows.';
comment on function ninefold.record_state_change is 'After a write that the machine allowed: records who moved the row from which state to which, and when.';
comment on function ninefold.state_changes_of is 'Returns the state changes of a row, the oldest first, if the caller may read the row.';
comment on function ninefold.drop_machine is 'Removes a state machine; the state changes that it recorded stay.';

do $$
declare
  named record;
  body text;
begin
  -- The text of a function in PL/pgSQL names tables and functions; PostgreSQL does not rename them there.
  for named in
    select p.oid from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
    where p.pronamespace = 'ninefold'::regnamespace and l.lanname = 'plpgsql' and p.prosrc ~ 'passage'
  loop
    body := pg_catalog.pg_get_functiondef(named.oid);
    body := pg_catalog.replace(body, 'judge_passage', 'find_transition');
    body := pg_catalog.replace(body, 'check_passage', 'check_state_change');
    body := pg_catalog.replace(body, 'record_passage', 'record_state_change');
    body := pg_catalog.replace(body, 'passages_at', 'state_changes_of');
    body := pg_catalog.replace(body, 'ninefold.passages', 'ninefold.state_changes');
    body := pg_catalog.replace(body, '''passages''', '''state_changes''');
    body := pg_catalog.replace(body, ' passages ', ' state changes ');
    body := pg_catalog.replace(body, 'set gone = true', 'set row_deleted = true');
    body := pg_catalog.replace(body, 'p.gone', 'p.row_deleted');
    execute body;
  end loop;
  -- The computed field of each table with a machine. An app's own function of the new name stays.
  for named in
    select p.oid::regprocedure as function from pg_catalog.pg_proc p join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
      and d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid = 'ninefold.state_changes_of'::regproc
    where p.proname = 'passages'
      and not exists (select from pg_catalog.pg_proc x where x.proname = 'state_changes' and x.pronamespace = p.pronamespace
        and x.proargtypes = p.proargtypes)
  loop
    execute pg_catalog.format('alter function %s rename to state_changes', named.function);
  end loop;
end
$$;
