-- How often each API key was shown, by the day (UTC). Written in the background by the workers; no key is in it, only its id.

create table ninefold.api_key_uses (
  key_id text not null,
  day date not null,
  uses bigint not null,
  primary key (key_id, day)
);
create index api_key_uses_day on ninefold.api_key_uses (day);
comment on table ninefold.api_key_uses is 'How often each API key of the app was shown, by the day.';

grant select, insert, update, delete on ninefold.api_key_uses to ninefold_server;
grant select on ninefold.api_key_uses to pg_database_owner;
