-- The app as an OpenID provider: clients, requests for authorization and consents, in GoTrue's tables. A database that existed before the
-- app does not get them: there, the app is no provider.

set role supabase_auth_admin;

create type auth.oauth_registration_type as enum ('dynamic', 'manual');
create type auth.oauth_authorization_status as enum ('pending', 'approved', 'denied', 'expired');
create type auth.oauth_response_type as enum ('code');
create type auth.oauth_client_type as enum ('public', 'confidential');

create table auth.oauth_clients (
  id uuid primary key,
  client_secret_hash text,
  registration_type auth.oauth_registration_type not null,
  redirect_uris text not null,
  grant_types text not null,
  client_name text check (char_length(client_name) <= 1024),
  client_uri text check (char_length(client_uri) <= 2048),
  logo_uri text check (char_length(logo_uri) <= 2048),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  client_type auth.oauth_client_type not null default 'confidential',
  token_endpoint_auth_method text not null default 'client_secret_basic',
  -- The scopes that the application may ask for (RFC 7591, section 2); null: all scopes that the app supports.
  scope text
);
comment on table auth.oauth_clients is 'Applications that members may sign in to with their account of this app.';

create table auth.oauth_authorizations (
  id uuid primary key,
  authorization_id text not null unique,
  client_id uuid not null references auth.oauth_clients (id) on delete cascade,
  user_id uuid references auth.users (id) on delete cascade,
  redirect_uri text not null,
  scope text not null,
  state text,
  resource text,
  code_challenge text,
  code_challenge_method auth.code_challenge_method,
  response_type auth.oauth_response_type not null default 'code',
  status auth.oauth_authorization_status not null default 'pending',
  authorization_code text unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '3 minutes',
  approved_at timestamptz,
  nonce text
);
create index oauth_authorizations_expires_at_idx on auth.oauth_authorizations (expires_at);
comment on table auth.oauth_authorizations is 'Requests of such applications that wait for consent or for their code to be exchanged.';

create table auth.oauth_consents (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  client_id uuid not null references auth.oauth_clients (id) on delete cascade,
  scopes text not null,
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  unique (user_id, client_id)
);
comment on table auth.oauth_consents is 'The scopes that members granted to such applications.';

create table auth.oauth_client_states (
  id uuid primary key,
  provider_type text not null,
  code_verifier text,
  created_at timestamptz not null
);
comment on table auth.oauth_client_states is 'Unused. Dumps of GoTrue name this table.';

-- The privileges and policies are those of the other tables of schema auth.
do $$
declare
  name text;
begin
  foreach name in array array['oauth_clients', 'oauth_authorizations', 'oauth_consents', 'oauth_client_states'] loop
    execute format('grant select, insert, update, delete on auth.%I to service_role', name);
    execute format('grant all on auth.%I to pg_database_owner with grant option', name);
    execute format('alter table auth.%I enable row level security', name);
    execute format('create policy app_owner on auth.%I to pg_database_owner using (true) with check (true)', name);
  end loop;
end
$$;

reset role;
