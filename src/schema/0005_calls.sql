-- What is remembered of calls: when each was last made, the stories of some, and which errors and limits were met. Written in the
-- background by the workers, at a bounded size; no value of a call is in it.

alter table ninefold.call_statistics add column last_at timestamptz;
create index call_statistics_bucket on ninefold.call_statistics (bucket);

create table ninefold.call_stories (
  -- Clients may choose request ids, so the same may come again.
  request_id text not null,
  at timestamptz not null,
  call text not null,
  status integer not null,
  code text,
  subject text,
  story jsonb not null
);
create index call_stories_request on ninefold.call_stories (request_id);
create index call_stories_at on ninefold.call_stories (at);
comment on table ninefold.call_stories is 'Stories of calls: those that failed or were slow, and the last ones before the app fell idle.';

-- Errors that were answered and limits that were hit, by buckets of ten minutes.
create table ninefold.incidents (
  kind text not null check (kind in ('error', 'limit')),
  -- The code of the error, or the name of the limit.
  name text not null,
  -- Of an error: the rule or the function that it is of, where that is known.
  subject text not null,
  bucket timestamptz not null,
  hits bigint not null,
  last_at timestamptz not null,
  -- The member's id, or the client's address.
  last_who text,
  -- The newest first.
  last_requests text[] not null,
  primary key (kind, name, subject, bucket)
);
create index incidents_bucket on ninefold.incidents (bucket);
comment on table ninefold.incidents is 'How often each error was answered and each limit was hit, by whom at last, and in which calls.';

grant select, insert, update, delete on ninefold.call_stories, ninefold.incidents to ninefold_server;
grant select on ninefold.call_stories, ninefold.incidents to pg_database_owner;
