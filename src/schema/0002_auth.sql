-- Schema auth: accounts and their sessions, with the names and shapes that GoTrue's schema has, so that existing
-- migrations, seeds and triggers that name them work. Runs once, as superuser, in the template database.
--
-- supabase_auth_admin owns everything; the server's auth calls run as it. The app's owner (pg_database_owner) may read
-- and write the rows, reference them and hang triggers on them, but not change the schema itself.

create schema if not exists auth authorization supabase_auth_admin;
alter schema auth owner to supabase_auth_admin;
set role supabase_auth_admin;

-- Types -------------------------------------------------------------------------------------------------------------

create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
create type auth.factor_status as enum ('unverified', 'verified');
create type auth.code_challenge_method as enum ('s256', 'plain');
create type auth.one_time_token_type as enum (
  'confirmation_token',
  'reauthentication_token',
  'recovery_token',
  'email_change_token_new',
  'email_change_token_current',
  'phone_change_token'
);

-- Accounts ----------------------------------------------------------------------------------------------------------

create table auth.users (
  instance_id uuid,
  id uuid not null,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255),
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone text default null,
  phone_confirmed_at timestamptz,
  phone_change text default '',
  phone_change_token varchar(255) default '',
  phone_change_sent_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current varchar(255) default '',
  email_change_confirm_status smallint default 0,
  banned_until timestamptz,
  reauthentication_token varchar(255) default '',
  reauthentication_sent_at timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false,
  constraint users_pkey primary key (id),
  constraint users_phone_key unique (phone),
  constraint users_email_change_confirm_status_check check (email_change_confirm_status between 0 and 2)
);
comment on table auth.users is 'The accounts of this app.';
comment on column auth.users.encrypted_password is 'The hash of the password: argon2id, or what was brought along (argon2i, bcrypt).';
comment on column auth.users.is_sso_user is 'True for an account of a single sign-on provider; only such accounts may share an e-mail address.';
comment on column auth.users.banned_until is 'Until then the account cannot sign in; setting it ends the account''s sessions.';

create unique index users_email_partial_key on auth.users (email) where is_sso_user = false;
create index users_email_lower_idx on auth.users (lower(email)) where is_sso_user = false;
create index users_instance_id_idx on auth.users (instance_id);
create index users_instance_id_email_idx on auth.users (instance_id, lower(email));
create index users_is_anonymous_idx on auth.users (is_anonymous);
create index users_created_at_idx on auth.users (created_at desc, id desc);
-- Tokens of digits and blanks only are one-time codes, which may repeat.
create unique index confirmation_token_idx on auth.users (confirmation_token) where confirmation_token !~ '^[0-9 ]*$';
create unique index recovery_token_idx on auth.users (recovery_token) where recovery_token !~ '^[0-9 ]*$';
create unique index email_change_token_current_idx on auth.users (email_change_token_current)
  where email_change_token_current !~ '^[0-9 ]*$';
create unique index email_change_token_new_idx on auth.users (email_change_token_new)
  where email_change_token_new !~ '^[0-9 ]*$';
create unique index reauthentication_token_idx on auth.users (reauthentication_token)
  where reauthentication_token !~ '^[0-9 ]*$';

create table auth.identities (
  provider_id text not null,
  user_id uuid not null,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  id uuid not null default gen_random_uuid(),
  constraint identities_pkey primary key (id),
  constraint identities_provider_id_provider_unique unique (provider_id, provider),
  constraint identities_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table auth.identities is 'The ways in which an account can prove who it is: a password with an e-mail address, a provider.';
create index identities_user_id_idx on auth.identities (user_id);
create index identities_email_idx on auth.identities (email text_pattern_ops);

create table auth.one_time_tokens (
  id uuid not null,
  user_id uuid not null,
  token_type auth.one_time_token_type not null,
  token_hash text not null,
  relates_to text not null,
  created_at timestamp not null default now(),
  updated_at timestamp not null default now(),
  constraint one_time_tokens_pkey primary key (id),
  constraint one_time_tokens_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint one_time_tokens_token_hash_check check (char_length(token_hash) > 0)
);
comment on table auth.one_time_tokens is 'Hashes of the tokens in mails and messages that are still to be used.';
create index one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);
create index one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);
create unique index one_time_tokens_user_id_token_type_key on auth.one_time_tokens (user_id, token_type);

-- Sessions ----------------------------------------------------------------------------------------------------------

create table auth.sessions (
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz,
  updated_at timestamptz,
  factor_id uuid,
  aal auth.aal_level,
  not_after timestamptz,
  refreshed_at timestamp,
  user_agent text,
  ip inet,
  tag text,
  oauth_client_id uuid,
  refresh_token_hmac_key text,
  refresh_token_counter bigint,
  scopes text,
  constraint sessions_pkey primary key (id),
  constraint sessions_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint sessions_scopes_length check (char_length(scopes) <= 4096)
);
comment on table auth.sessions is 'One row a signed-in client. Deleting it ends the session everywhere, its access token included.';
comment on column auth.sessions.not_after is 'When the session ends by itself; null: never.';
comment on column auth.sessions.refreshed_at is 'In UTC.';
create index sessions_user_id_idx on auth.sessions (user_id);
create index user_id_created_at_idx on auth.sessions (user_id, created_at);
create index sessions_not_after_idx on auth.sessions (not_after desc);

create table auth.refresh_tokens (
  instance_id uuid,
  id bigserial not null,
  token varchar(255),
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz,
  parent varchar(255),
  session_id uuid,
  constraint refresh_tokens_pkey primary key (id),
  constraint refresh_tokens_token_unique unique (token),
  constraint refresh_tokens_session_id_fkey foreign key (session_id) references auth.sessions (id) on delete cascade
);
comment on table auth.refresh_tokens is 'The chain of refresh tokens of each session; only the last of a chain is not revoked.';
create index refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

-- Second factors ----------------------------------------------------------------------------------------------------

create table auth.mfa_factors (
  id uuid not null,
  user_id uuid not null,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text,
  phone text,
  last_challenged_at timestamptz,
  web_authn_credential jsonb,
  web_authn_aaguid uuid,
  last_webauthn_challenge_data jsonb,
  constraint mfa_factors_pkey primary key (id),
  constraint mfa_factors_last_challenged_at_key unique (last_challenged_at),
  constraint mfa_factors_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table auth.mfa_factors is 'Second factors of accounts.';
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create index factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);
create unique index mfa_factors_user_friendly_name_unique on auth.mfa_factors (friendly_name, user_id)
  where trim(friendly_name) <> '';
create unique index unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);

create table auth.mfa_challenges (
  id uuid not null,
  factor_id uuid not null,
  created_at timestamptz not null,
  verified_at timestamptz,
  ip_address inet not null,
  otp_code text,
  web_authn_session_data jsonb,
  constraint mfa_challenges_pkey primary key (id),
  constraint mfa_challenges_auth_factor_id_fkey foreign key (factor_id) references auth.mfa_factors (id) on delete cascade
);
comment on table auth.mfa_challenges is 'Challenges to second factors.';
create index mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

create table auth.mfa_amr_claims (
  session_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid not null,
  constraint amr_id_pk primary key (id),
  constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method),
  constraint mfa_amr_claims_session_id_fkey foreign key (session_id) references auth.sessions (id) on delete cascade
);
comment on table auth.mfa_amr_claims is 'How the client of a session proved who it is (RFC 8176).';

-- Providers and flows -----------------------------------------------------------------------------------------------

create table auth.flow_state (
  id uuid not null,
  user_id uuid,
  auth_code text,
  code_challenge_method auth.code_challenge_method,
  code_challenge text,
  provider_type text not null,
  provider_access_token text,
  provider_refresh_token text,
  created_at timestamptz,
  updated_at timestamptz,
  authentication_method text not null,
  auth_code_issued_at timestamptz,
  invite_token text,
  referrer text,
  oauth_client_state_id uuid,
  linking_target_id uuid,
  email_optional boolean not null default false,
  constraint flow_state_pkey primary key (id)
);
comment on table auth.flow_state is 'Sign-ins that began in one place and end in another (PKCE, providers).';
create index idx_auth_code on auth.flow_state (auth_code);
create index idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);
create index flow_state_created_at_idx on auth.flow_state (created_at desc);

create table auth.sso_providers (
  id uuid not null,
  resource_id text,
  created_at timestamptz,
  updated_at timestamptz,
  disabled boolean,
  constraint sso_providers_pkey primary key (id),
  constraint "resource_id not empty" check (char_length(resource_id) > 0)
);
comment on table auth.sso_providers is 'Single sign-on providers.';
create unique index sso_providers_resource_id_idx on auth.sso_providers (lower(resource_id));
create index sso_providers_resource_id_pattern_idx on auth.sso_providers (resource_id text_pattern_ops);

create table auth.sso_domains (
  id uuid not null,
  sso_provider_id uuid not null,
  domain text not null,
  created_at timestamptz,
  updated_at timestamptz,
  constraint sso_domains_pkey primary key (id),
  constraint sso_domains_sso_provider_id_fkey foreign key (sso_provider_id)
    references auth.sso_providers (id) on delete cascade,
  constraint "domain not empty" check (char_length(domain) > 0)
);
comment on table auth.sso_domains is 'Which e-mail domain signs in through which provider.';
create index sso_domains_sso_provider_id_idx on auth.sso_domains (sso_provider_id);
create unique index sso_domains_domain_idx on auth.sso_domains (lower(domain));

create table auth.saml_providers (
  id uuid not null,
  sso_provider_id uuid not null,
  entity_id text not null,
  metadata_xml text not null,
  metadata_url text,
  attribute_mapping jsonb,
  created_at timestamptz,
  updated_at timestamptz,
  name_id_format text,
  constraint saml_providers_pkey primary key (id),
  constraint saml_providers_entity_id_key unique (entity_id),
  constraint saml_providers_sso_provider_id_fkey foreign key (sso_provider_id)
    references auth.sso_providers (id) on delete cascade,
  constraint "metadata_xml not empty" check (char_length(metadata_xml) > 0),
  constraint "metadata_url not empty" check (char_length(metadata_url) > 0),
  constraint "entity_id not empty" check (char_length(entity_id) > 0)
);
comment on table auth.saml_providers is 'Single sign-on providers that speak SAML.';
create index saml_providers_sso_provider_id_idx on auth.saml_providers (sso_provider_id);

create table auth.saml_relay_states (
  id uuid not null,
  sso_provider_id uuid not null,
  request_id text not null,
  for_email text,
  redirect_to text,
  created_at timestamptz,
  updated_at timestamptz,
  flow_state_id uuid,
  constraint saml_relay_states_pkey primary key (id),
  constraint saml_relay_states_sso_provider_id_fkey foreign key (sso_provider_id)
    references auth.sso_providers (id) on delete cascade,
  constraint saml_relay_states_flow_state_id_fkey foreign key (flow_state_id)
    references auth.flow_state (id) on delete cascade,
  constraint "request_id not empty" check (char_length(request_id) > 0)
);
comment on table auth.saml_relay_states is 'SAML sign-ins that began here and have not come back yet.';
create index saml_relay_states_sso_provider_id_idx on auth.saml_relay_states (sso_provider_id);
create index saml_relay_states_for_email_idx on auth.saml_relay_states (for_email);
create index saml_relay_states_created_at_idx on auth.saml_relay_states (created_at desc);

-- Records -----------------------------------------------------------------------------------------------------------

create table auth.audit_log_entries (
  instance_id uuid,
  id uuid not null,
  payload json,
  created_at timestamptz,
  ip_address varchar(64) not null default '',
  constraint audit_log_entries_pkey primary key (id)
);
comment on table auth.audit_log_entries is 'Kept for what was brought along; the server writes to its log instead.';
create index audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);

create table auth.instances (
  id uuid not null,
  uuid uuid,
  raw_base_config text,
  created_at timestamptz,
  updated_at timestamptz,
  constraint instances_pkey primary key (id)
);
comment on table auth.instances is 'Kept for what was brought along.';

create table auth.schema_migrations (
  version varchar(255) not null,
  constraint schema_migrations_pkey primary key (version)
);
comment on table auth.schema_migrations is 'Kept for what was brought along.';

-- The caller, for policies ------------------------------------------------------------------------------------------
-- Bodies in the SQL standard's form are bound to their objects here, so no search_path can redirect them, and the
-- planner can inline them. `request.jwt.claims` is what the server sets; the `request.jwt.claim.*` forms are older.

create function auth.jwt() returns jsonb language sql stable parallel safe
return coalesce(
  nullif(current_setting('request.jwt.claim', true), ''),
  nullif(current_setting('request.jwt.claims', true), '')
)::jsonb;
comment on function auth.jwt() is 'The claims of the caller''s token; null without one.';

create function auth.uid() returns uuid language sql stable parallel safe
return coalesce(
  nullif(current_setting('request.jwt.claim.sub', true), ''),
  nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
)::uuid;
comment on function auth.uid() is 'The id of the signed-in account; null when nobody is signed in.';

create function auth.role() returns text language sql stable parallel safe
return coalesce(
  nullif(current_setting('request.jwt.claim.role', true), ''),
  nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
);
comment on function auth.role() is 'The role of the caller: anon, authenticated, service_role.';

create function auth.email() returns text language sql stable parallel safe
return coalesce(
  nullif(current_setting('request.jwt.claim.email', true), ''),
  nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
);
comment on function auth.email() is 'The e-mail address of the signed-in account.';

-- Ended sessions ----------------------------------------------------------------------------------------------------
-- Whatever deletes a session (a sign-out, a ban, plain SQL, a cascade), every node hears of it and stops accepting the
-- session's access tokens. A payload must stay below 8000 bytes: 39 bytes an id.

create function auth.notify_sessions_revoked() returns trigger
language plpgsql set search_path = '' as $$
declare
  ids json;
  number_of_ids bigint;
begin
  if tg_op = 'TRUNCATE' then
    perform pg_notify('ninefold', '{"type":"sessions-revoked-all"}');
    return null;
  end if;
  select count(*), json_agg(id) filter (where position <= 180)
    into number_of_ids, ids
    from (select id, row_number() over () as position from gone) as numbered;
  if number_of_ids > 180 then
    perform pg_notify('ninefold', '{"type":"sessions-revoked-all"}');
  elsif number_of_ids > 0 then
    perform pg_notify('ninefold', json_build_object('type', 'session-revoked', 'ids', ids)::text);
  end if;
  return null;
end
$$;

create trigger ninefold_sessions_revoked after delete on auth.sessions
  referencing old table as gone for each statement execute function auth.notify_sessions_revoked();
create trigger ninefold_sessions_truncated after truncate on auth.sessions
  for each statement execute function auth.notify_sessions_revoked();

-- Security definer: whoever may ban or delete an account thereby ends its sessions.
create function auth.end_sessions_of_user() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from auth.sessions where user_id = new.id;
  return null;
end
$$;

create trigger ninefold_user_banned after update of banned_until on auth.users
  for each row when (new.banned_until > now() and new.banned_until is distinct from old.banned_until)
  execute function auth.end_sessions_of_user();
create trigger ninefold_user_deleted after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function auth.end_sessions_of_user();

revoke execute on function auth.notify_sessions_revoked(), auth.end_sessions_of_user() from public;

-- Rights ------------------------------------------------------------------------------------------------------------

grant usage on schema auth to anon, authenticated, service_role, pg_database_owner;
grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email()
  to anon, authenticated, service_role, pg_database_owner;
grant select, insert, update, delete on all tables in schema auth to service_role;
grant all on all tables in schema auth to pg_database_owner with grant option;
grant usage, select, update on all sequences in schema auth to service_role, pg_database_owner;

-- Row-level security is on, so that a table granted to anon by mistake still shows nothing.
do $$
declare
  name text;
begin
  for name in select tablename from pg_tables where schemaname = 'auth' loop
    execute format('alter table auth.%I enable row level security', name);
    execute format('create policy app_owner on auth.%I to pg_database_owner using (true) with check (true)', name);
  end loop;
end
$$;

reset role;

-- Failed sign-ins ---------------------------------------------------------------------------------------------------
-- One row a client address or account, by hash; what is past its window is swept by later failures. Unlogged: a crash may
-- forget failures, and a failure costs no wait for the disk.

grant usage on schema ninefold to supabase_auth_admin;

create unlogged table ninefold.sign_in_failures (
  subject text not null,
  window_start timestamptz not null,
  failures integer not null,
  constraint sign_in_failures_pkey primary key (subject)
);
alter table ninefold.sign_in_failures owner to supabase_auth_admin;
comment on table ninefold.sign_in_failures is 'Failed sign-ins of the current window, by hash of the client address or of the account.';
create index sign_in_failures_window_start_idx on ninefold.sign_in_failures (window_start);
