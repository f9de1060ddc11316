-- Sign-in at a provider, and the app as an OpenID provider: the state for which GoTrue's tables of schema auth have no place.

-- The session in which a member began to add an identity. If the session has ended, the provider's response adds nothing: a stranger whom the
-- member has signed out may have begun it.
create table ninefold.linking_sessions (
  flow_id uuid not null references auth.flow_state (id) on delete cascade,
  session_id uuid not null,
  constraint linking_sessions_pkey primary key (flow_id)
);
alter table ninefold.linking_sessions owner to ninefold_server;
comment on table ninefold.linking_sessions is 'The sessions in which members began to add an identity.';

-- Parameters of OpenID Connect in a request of an application. GoTrue's table auth.oauth_authorizations has no columns for them.
create table ninefold.oauth_requests (
  id uuid not null,
  prompt text not null default '',
  max_age bigint,
  session_id uuid,
  expires_at timestamptz not null,
  constraint oauth_requests_pkey primary key (id)
);
alter table ninefold.oauth_requests owner to ninefold_server;
comment on column ninefold.oauth_requests.prompt is 'The parameter prompt: names with blanks between.';
comment on column ninefold.oauth_requests.max_age is 'The parameter max_age: the maximum age of a sign-in, in seconds.';
comment on column ninefold.oauth_requests.session_id is 'The session in which the member approved the request.';
create index oauth_requests_expires_at_idx on ninefold.oauth_requests (expires_at);
comment on table ninefold.oauth_requests is 'OpenID Connect parameters of requests in auth.oauth_authorizations, by their id.';

-- A code that an application uses again ends the session that the code opened (RFC 6749, section 4.1.2).
create table ninefold.used_oauth_codes (
  code_hash text not null,
  client_id uuid not null,
  session_id uuid not null,
  used_at timestamptz not null default pg_catalog.now(),
  constraint used_oauth_codes_pkey primary key (code_hash)
);
alter table ninefold.used_oauth_codes owner to ninefold_server;
create index used_oauth_codes_used_at_idx on ninefold.used_oauth_codes (used_at);
comment on table ninefold.used_oauth_codes is 'SHA-256 of authorization codes that were exchanged during the last day.';

grant select, insert, update, delete on ninefold.linking_sessions, ninefold.oauth_requests, ninefold.used_oauth_codes
  to supabase_auth_admin;
