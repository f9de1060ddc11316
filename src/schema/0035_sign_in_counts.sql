-- Sign-ins by day and way ---------------------------------------------------------------------------------------------
-- Each sign-in appends a row, so that two sign-ins never wait for each other. The sweep folds the rows of a day and a way into one.

create table ninefold.sign_in_counts (
  -- In UTC.
  day date not null,
  -- password, mail, phone, passkey, anonymous, application, or the name of a provider.
  way text not null,
  n bigint not null
);
alter table ninefold.sign_in_counts owner to supabase_auth_admin;
comment on table ninefold.sign_in_counts is 'Sign-ins by day and way; the sum of the rows counts.';

create function ninefold.fold_sign_in_counts(keep_days integer) returns void
  language sql security definer
  set search_path = ''
begin atomic
  with many as (
    select c.day, c.way from ninefold.sign_in_counts c group by c.day, c.way
    having count(*) > 1 or c.day <= (now() at time zone 'utc')::date - keep_days
  ),
  taken as (
    delete from ninefold.sign_in_counts c using many where c.day = many.day and c.way = many.way returning c.day, c.way, c.n
  )
  insert into ninefold.sign_in_counts (day, way, n)
  select t.day, t.way, sum(t.n)::bigint from taken t
  where t.day > (now() at time zone 'utc')::date - keep_days group by t.day, t.way;
end;
alter function ninefold.fold_sign_in_counts owner to supabase_auth_admin;
comment on function ninefold.fold_sign_in_counts is 'Adds the counts of each day and way up, and deletes those that are too old.';
revoke execute on function ninefold.fold_sign_in_counts from public;
grant execute on function ninefold.fold_sign_in_counts to ninefold_server;
