-- The app as an OpenID provider: clients, requests for authorization and consents are in GoTrue's tables of schema auth.
do $do$
begin
  if pg_catalog.to_regclass('auth.oauth_clients') is null then
    return;
  end if;
  comment on table auth.oauth_clients is 'Applications that members may sign in to with their account of this app.';
  comment on table auth.oauth_authorizations is 'Requests of such applications that wait for consent or for their code to be exchanged.';
  comment on table auth.oauth_consents is 'What members allowed such applications.';
  create index if not exists oauth_authorizations_expires_at_idx on auth.oauth_authorizations (expires_at);
end
$do$;

create index if not exists sessions_oauth_client_id_idx on auth.sessions (oauth_client_id) where oauth_client_id is not null;

-- A code that is shown again ends the session that it opened (RFC 6749, section 4.1.2).
create table ninefold.used_oauth_codes (
  code_hash text not null,
  client_id uuid not null,
  session_id uuid not null,
  used_at timestamptz not null default pg_catalog.now(),
  constraint used_oauth_codes_pkey primary key (code_hash)
);
alter table ninefold.used_oauth_codes owner to supabase_auth_admin;
comment on table ninefold.used_oauth_codes is 'SHA-256 of authorization codes that were exchanged, for a day.';
create index used_oauth_codes_used_at_idx on ninefold.used_oauth_codes (used_at);
