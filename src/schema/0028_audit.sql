-- The audit log of members: indexes for its pages, its switch, and the sweep.

set role supabase_auth_admin;

comment on table auth.audit_log_entries is 'Events of accounts: sign-ins, changes, second factors, sessions. Entries older than audit_log_retention days are deleted.';
create index if not exists audit_log_entries_created_at_idx on auth.audit_log_entries (created_at desc, id desc);
create index if not exists audit_log_entries_actor_idx on auth.audit_log_entries ((payload ->> 'actor_id'), created_at desc, id desc);
create index if not exists audit_log_entries_subject_idx on auth.audit_log_entries ((payload -> 'traits' ->> 'user_id'), created_at desc, id desc)
  where payload -> 'traits' ->> 'user_id' is not null;
create index if not exists audit_log_entries_action_idx on auth.audit_log_entries ((payload ->> 'action'), created_at desc, id desc);

create function auth.check_audit_entry() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if exists (select from ninefold.settings s where s.key = 'audit_log_disable_postgres' and s.value = 'true') then
    return null;
  end if;
  return new;
end
$$;
create trigger ninefold_check_audit_entry before insert on auth.audit_log_entries
  for each row execute function auth.check_audit_entry();
revoke execute on function auth.check_audit_entry from public;

reset role;

-- Deletes what nothing needs any longer, at most max_rows of each table.
create function ninefold.sweep_sign_ins(
  audit_days integer, max_entries bigint, timebox float8, inactivity float8, flow_seconds float8, token_seconds float8, max_rows integer
) returns bigint
  language plpgsql security definer
  set search_path = ''
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
revoke execute on function ninefold.sweep_sign_ins from public;
grant execute on function ninefold.sweep_sign_ins to ninefold_server;
