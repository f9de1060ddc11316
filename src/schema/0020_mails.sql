-- Mails that wait to be sent, were sent, or are kept for the Mail page. The calls of sign-in write them in the transaction that
-- makes their token; the node renders and sends them (docs/mail.md).

create table ninefold.mails (
  id uuid not null default gen_random_uuid(),
  kind text not null,
  recipient text not null,
  user_id uuid references auth.users (id) on delete set null,
  -- The values for the template of this kind. Values that sign a member in are removed once the mail is sent.
  data jsonb not null default '{}',
  -- The header of the call, for the language.
  accept_language text,
  state text not null default 'queued',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- Until then an attempt is under way.
  claimed_until timestamptz,
  sent_at timestamptz,
  error text,
  created_at timestamptz not null default now(),
  constraint mails_pkey primary key (id),
  constraint mails_state_check check (state in ('queued', 'sent', 'failed', 'kept'))
);
alter table ninefold.mails owner to supabase_auth_admin;
comment on table ninefold.mails is 'Mails to members: queued, sent, or kept where no mail server is set.';
create index mails_created_at_idx on ninefold.mails (created_at desc, id);
create index mails_queued_idx on ninefold.mails (next_attempt_at) where state = 'queued';
create index mails_sent_at_idx on ninefold.mails (sent_at) where state = 'sent';
create index mails_user_id_idx on ninefold.mails (user_id);

-- Leaves out notifications that the app's settings turn off, and mails to accounts without an address.
create function ninefold.check_mail() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if new.recipient = '' or exists (
    select from ninefold.settings s
    where s.key = 'mailer_notifications_' || regexp_replace(new.kind, '_notification$', '') || '_enabled' and s.value = 'false'
  ) then
    return null;
  end if;
  return new;
end
$$;
create trigger mails_checked before insert on ninefold.mails for each row execute function ninefold.check_mail();

create function ninefold.tell_mails_wait() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('ninefold', '{"type":"mail"}');
  return null;
end
$$;
create trigger mails_wait after insert on ninefold.mails for each statement execute function ninefold.tell_mails_wait();
revoke execute on function ninefold.check_mail, ninefold.tell_mails_wait from public;
