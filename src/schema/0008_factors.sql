-- Second factors. A session that loses a factor loses the assurance that the factor gave.

-- Wrong codes of an account -------------------------------------------------------------------------------------------
-- The server counts a code before it compares the code, so the bound applies to all nodes together.
create table ninefold.second_factor_attempts (
  user_id uuid not null references auth.users (id) on delete cascade,
  -- In ascending order.
  attempts timestamptz[] not null default '{}',
  constraint second_factor_attempts_pkey primary key (user_id)
);
alter table ninefold.second_factor_attempts owner to ninefold_server;
comment on table ninefold.second_factor_attempts is 'Wrong codes of second factors and codes under comparison, by account.';

-- The server accepts the code of a time step once (RFC 6238, section 5.2).
create table ninefold.totp_steps (
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  step bigint not null,
  constraint totp_steps_pkey primary key (factor_id)
);
alter table ninefold.totp_steps owner to ninefold_server;
comment on table ninefold.totp_steps is 'The last time step whose code was accepted, by factor.';

-- A set of codes is a factor of the type recovery_code, as clients expect.
create table ninefold.recovery_codes (
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  hash bytea not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (factor_id, hash)
);
alter table ninefold.recovery_codes owner to ninefold_server;
comment on table ninefold.recovery_codes is 'SHA-256 of the recovery codes of accounts. Each code works once.';

grant select, insert, update, delete on ninefold.second_factor_attempts, ninefold.totp_steps, ninefold.recovery_codes
  to supabase_auth_admin;

-- Lost assurance ------------------------------------------------------------------------------------------------------

set role supabase_auth_admin;

-- A worker that receives the notification verifies the session's access tokens again. They then count with the assurance of the session.
create function auth.notify_session_lowered() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_catalog.pg_notify('ninefold', pg_catalog.json_build_object('type', 'session-revoked', 'ids', pg_catalog.json_build_array(new.id))::text);
  return null;
end
$$;
create trigger ninefold_session_lowered after update of aal on auth.sessions
  for each row when (coalesce(old.aal, 'aal1') > coalesce(new.aal, 'aal1'))
  execute function auth.notify_session_lowered();

-- The function is a security definer, because a role that deletes a factor need not have privileges on sessions.
create function auth.lower_sessions_of_factor() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  method text := case old.factor_type::text
    when 'phone' then 'mfa/phone' when 'webauthn' then 'mfa/webauthn' when 'recovery_code' then 'mfa/recovery_code' else 'totp' end;
begin
  if old.status <> 'verified' then
    return null;
  end if;
  -- A session whose last factor is another factor of the same type keeps its assurance.
  delete from auth.mfa_amr_claims m using auth.sessions s
    where s.user_id = old.user_id and m.session_id = s.id and m.authentication_method = method
      and not exists (
        select from auth.mfa_factors f
        where f.id = s.factor_id and f.user_id = old.user_id and f.factor_type = old.factor_type and f.status = 'verified');
  update auth.sessions s set aal = 'aal1', factor_id = null
    where s.user_id = old.user_id and s.aal > 'aal1' and not exists (
      select from auth.mfa_amr_claims m
      where m.session_id = s.id and m.authentication_method in ('totp', 'mfa/phone', 'mfa/webauthn', 'mfa/recovery_code'));
  -- Recovery codes replace a lost factor, so an account without a factor does not need them.
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
