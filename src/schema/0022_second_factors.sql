-- Second factors. A session that loses a factor loses the assurance that the factor gave, and every node hears of it.

-- Apps that exist keep the password rules under which their members signed up; new apps are copies of the template.
insert into ninefold.settings (key, value, set_by)
  select s.key, s.value::jsonb, 'ninefold' from (values ('password_min_length', '6'), ('password_refuse_common', 'false')) s (key, value)
  where current_database() <> 'ninefold_template' and (
    exists (select from auth.users)
    or exists (select from ninefold.schema_files f where f.name = '0001_base' and f.applied_at < now() - interval '10 minutes'))
  on conflict (key) do nothing;

-- Wrong codes of an account ----------------------------------------------------------------------------------------
-- A code is counted before it is compared, so the bound holds on any number of nodes.
create table ninefold.second_factor_attempts (
  user_id uuid not null references auth.users (id) on delete cascade,
  -- In ascending order.
  attempts timestamptz[] not null default '{}',
  constraint second_factor_attempts_pkey primary key (user_id)
);
alter table ninefold.second_factor_attempts owner to supabase_auth_admin;
comment on table ninefold.second_factor_attempts is 'Codes of second factors that were wrong or are being compared, by account.';

-- The last time step of which a factor's code was accepted (RFC 6238, section 5.2: a code is accepted once).
create table ninefold.totp_steps (
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  step bigint not null,
  constraint totp_steps_pkey primary key (factor_id)
);
alter table ninefold.totp_steps owner to supabase_auth_admin;
comment on table ninefold.totp_steps is 'The last time step of which the code of a factor was accepted.';

-- Recovery codes ----------------------------------------------------------------------------------------------------
-- A set of codes is a factor of its own, as clients expect. The value may be used only after this transaction.
alter type auth.factor_type add value if not exists 'recovery_code';

create table ninefold.recovery_codes (
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  hash bytea not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (factor_id, hash)
);
alter table ninefold.recovery_codes owner to supabase_auth_admin;
comment on table ninefold.recovery_codes is 'SHA-256 of the recovery codes of accounts; each is good for one use.';

create index if not exists mfa_challenges_factor_id_idx on auth.mfa_challenges (factor_id, created_at desc);

-- Lost assurance ----------------------------------------------------------------------------------------------------
set role supabase_auth_admin;

-- A worker that hears of the session verifies its access tokens anew; such a token then counts with the assurance of the session.
create function auth.notify_session_lowered() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('ninefold', pg_catalog.json_build_object('type', 'session-revoked', 'ids', pg_catalog.json_build_array(new.id))::text);
  return null;
end
$$;

create trigger ninefold_session_lowered after update of aal on auth.sessions
  for each row when (coalesce(old.aal, 'aal1') > coalesce(new.aal, 'aal1'))
  execute function auth.notify_session_lowered();

-- Security definer: the role that deletes a factor need not be allowed to change sessions.
create function auth.lower_sessions_of_factor() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  method text := case old.factor_type::text
    when 'phone' then 'mfa/phone' when 'webauthn' then 'mfa/webauthn' when 'recovery_code' then 'mfa/recovery_code' else 'totp' end;
begin
  if old.status <> 'verified' then
    return null;
  end if;
  -- A session whose last factor is another one of the same type keeps what that one proved.
  delete from auth.mfa_amr_claims m using auth.sessions s
    where s.user_id = old.user_id and m.session_id = s.id and m.authentication_method = method
      and not exists (
        select from auth.mfa_factors f
        where f.id = s.factor_id and f.user_id = old.user_id and f.factor_type = old.factor_type and f.status = 'verified');
  update auth.sessions s set aal = 'aal1', factor_id = null
    where s.user_id = old.user_id and s.aal > 'aal1' and not exists (
      select from auth.mfa_amr_claims m
      where m.session_id = s.id and m.authentication_method in ('totp', 'mfa/phone', 'mfa/webauthn', 'mfa/recovery_code'));
  -- Recovery codes replace a lost factor: without any they are of no use.
  delete from auth.mfa_factors c
    where c.user_id = old.user_id and c.factor_type::text = 'recovery_code' and old.factor_type::text <> 'recovery_code'
      and not exists (
        select from auth.mfa_factors f
        where f.user_id = old.user_id and f.status = 'verified' and f.factor_type::text <> 'recovery_code');
  return null;
end
$$;

create trigger ninefold_factor_deleted after delete on auth.mfa_factors
  for each row execute function auth.lower_sessions_of_factor();

revoke execute on function auth.notify_session_lowered(), auth.lower_sessions_of_factor() from public;
reset role;
