-- The parameters of OpenID Connect in a request of an application: GoTrue's table auth.oauth_authorizations has no columns for them.
create table ninefold.oauth_requests (
  id uuid not null,
  prompt text not null default '',
  max_age bigint,
  session_id uuid,
  expires_at timestamptz not null,
  constraint oauth_requests_pkey primary key (id)
);
alter table ninefold.oauth_requests owner to supabase_auth_admin;
comment on table ninefold.oauth_requests is 'OpenID Connect parameters of requests in auth.oauth_authorizations, by their id.';
comment on column ninefold.oauth_requests.prompt is 'The parameter prompt: names with blanks between.';
comment on column ninefold.oauth_requests.max_age is 'The parameter max_age: the age in seconds up to which a sign-in of the member counts.';
comment on column ninefold.oauth_requests.session_id is 'The session in which the member approved the request.';
create index oauth_requests_expires_at_idx on ninefold.oauth_requests (expires_at);
