-- Providers that an app adds by their addresses. The columns are GoTrue's; the secret is sealed by the node.
do $install$
begin
  -- A database that comes from Supabase has the table.
  if to_regclass('auth.custom_oauth_providers') is null then
    create table auth.custom_oauth_providers (
      id uuid not null default gen_random_uuid(),
      provider_type text not null,
      identifier text not null,
      name text not null,
      client_id text not null,
      client_secret text not null,
      acceptable_client_ids text[] not null default '{}',
      scopes text[] not null default '{}',
      pkce_enabled boolean not null default true,
      attribute_mapping jsonb not null default '{}',
      authorization_params jsonb not null default '{}',
      enabled boolean not null default true,
      email_optional boolean not null default false,
      issuer text,
      discovery_url text,
      skip_nonce_check boolean not null default false,
      cached_discovery jsonb,
      discovery_cached_at timestamptz,
      authorization_url text,
      token_url text,
      userinfo_url text,
      jwks_uri text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint custom_oauth_providers_pkey primary key (id),
      constraint custom_oauth_providers_identifier_key unique (identifier),
      constraint custom_oauth_providers_provider_type_check check (provider_type in ('oauth2', 'oidc')),
      constraint custom_oauth_providers_oidc_requires_issuer check (provider_type <> 'oidc' or issuer is not null),
      constraint custom_oauth_providers_oauth2_requires_endpoints check (
        provider_type <> 'oauth2' or (authorization_url is not null and token_url is not null and userinfo_url is not null)
      ),
      constraint custom_oauth_providers_identifier_format check (identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'),
      constraint custom_oauth_providers_name_length check (char_length(name) between 1 and 100),
      constraint custom_oauth_providers_client_id_length check (char_length(client_id) between 1 and 512)
    );
    alter table auth.custom_oauth_providers owner to supabase_auth_admin;
    alter table auth.custom_oauth_providers enable row level security;
    comment on table auth.custom_oauth_providers is 'Providers that the app has added by their addresses; the secrets are sealed.';
  end if;
  -- The node checks addresses: with TLS, or of this machine where the operator allows that.
  alter table auth.custom_oauth_providers
    drop constraint if exists custom_oauth_providers_oidc_issuer_https,
    drop constraint if exists custom_oauth_providers_oidc_discovery_url_https,
    drop constraint if exists custom_oauth_providers_authorization_url_https,
    drop constraint if exists custom_oauth_providers_token_url_https,
    drop constraint if exists custom_oauth_providers_userinfo_url_https,
    drop constraint if exists custom_oauth_providers_jwks_uri_https;
  alter table auth.custom_oauth_providers add column if not exists custom_claims_allowlist text[] not null default '{}';
end
$install$;
