-- Notifications of mails ---------------------------------------------------------------------------------------------
-- A trigger for each statement also runs for a statement that adds no row, and a transaction that notifies waits at its commit for every
-- other one that does. Only a statement that adds a mail notifies.

create or replace function ninefold.tell_mails_wait() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if exists (select from added) then
    perform pg_catalog.pg_notify('ninefold', '{"type":"mail"}');
  end if;
  return null;
end
$$;
drop trigger mails_wait on ninefold.mails;
create trigger mails_wait after insert on ninefold.mails referencing new table as added
  for each statement execute function ninefold.tell_mails_wait();
