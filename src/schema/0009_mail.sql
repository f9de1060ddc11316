-- Mails and texts (SMS) to members, and the links and codes in them. The calls of sign-in write a mail in the transaction that makes its
-- token; the node renders and sends it (docs/mail.md).

-- The queue -----------------------------------------------------------------------------------------------------------

create table ninefold.mails (
  id uuid not null default gen_random_uuid(),
  kind text not null,
  recipient text not null,
  user_id uuid references auth.users (id) on delete set null,
  -- The values for the template of this kind. The node removes values that sign a member in after it has sent the mail.
  data jsonb not null default '{}',
  -- The header of the request, for the language.
  accept_language text,
  state text not null default 'queued',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- The end of the time for the current attempt.
  claimed_until timestamptz,
  sent_at timestamptz,
  error text,
  created_at timestamptz not null default now(),
  channel text not null default 'email',
  -- The node does not send a text after this time, because its code is void.
  expires_at timestamptz,
  constraint mails_pkey primary key (id),
  constraint mails_state_check check (state in ('queued', 'sent', 'failed', 'kept')),
  constraint mails_channel_check check (channel in ('email', 'sms'))
);
alter table ninefold.mails owner to ninefold_server;
comment on table ninefold.mails is 'Mails and texts to members: queued, sent, or kept if the app has no mail server.';
comment on column ninefold.mails.channel is 'email, or sms for a text to a phone number.';
create index mails_created_at_idx on ninefold.mails (created_at desc, id);
create index mails_queued_idx on ninefold.mails (next_attempt_at) where state = 'queued';
create index mails_sent_at_idx on ninefold.mails (sent_at) where state = 'sent';
create index mails_user_id_idx on ninefold.mails (user_id);

-- Leaves out notifications that the app's settings turn off, and mails to accounts without an address.
create function ninefold.check_mail() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
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

-- A statement trigger also runs for a statement that adds no row. Transactions that notify wait for each other at their commit, so only a
-- statement that adds a mail notifies.
create function ninefold.tell_mails_wait() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from added) then
    perform pg_catalog.pg_notify('ninefold', '{"type":"mail"}');
  end if;
  return null;
end
$$;
create trigger mails_wait after insert on ninefold.mails referencing new table as added
  for each statement execute function ninefold.tell_mails_wait();
revoke execute on function ninefold.check_mail, ninefold.tell_mails_wait from public;

-- One row for each address and kind of mail, by hash, whether or not an account has the address.
create table ninefold.mail_requests (
  subject text not null,
  requested_at timestamptz not null default now(),
  constraint mail_requests_pkey primary key (subject)
);
alter table ninefold.mail_requests owner to ninefold_server;
create index mail_requests_requested_at_idx on ninefold.mail_requests (requested_at);
comment on table ninefold.mail_requests is 'The last request of a mail to an address, by hash of the address.';

-- Returns 0 if a mail may be sent, else the number of seconds to wait. Each call also deletes some old rows.
create function ninefold.reserve_mail(for_subject text, pause_seconds integer) returns integer
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  pause interval := make_interval(secs => pause_seconds);
  last timestamptz;
begin
  delete from ninefold.mail_requests m using (
    select o.subject from ninefold.mail_requests o
    where o.requested_at < now() - interval '1 day' and o.subject <> for_subject
    order by o.requested_at limit 20 for update skip locked
  ) as old where m.subject = old.subject;
  insert into ninefold.mail_requests as m (subject, requested_at) values (for_subject, clock_timestamp())
  on conflict (subject) do update set requested_at = clock_timestamp() where m.requested_at <= clock_timestamp() - pause;
  if found then
    return 0;
  end if;
  select m.requested_at into last from ninefold.mail_requests m where m.subject = for_subject;
  return greatest(1, ceil(extract(epoch from last + pause - clock_timestamp())));
end
$$;
alter function ninefold.reserve_mail owner to supabase_auth_admin;
comment on function ninefold.reserve_mail is 'Bounds how often a client can request a mail to an address.';

-- Links and codes -----------------------------------------------------------------------------------------------------

-- auth.one_time_tokens contains the hash of the token in a link. ninefold.one_time_codes contains the hash of the code that a member can type
-- instead, because the tables of schema auth have only GoTrue's columns. ninefold.sign_in_failures counts wrong codes.
create table ninefold.one_time_codes (
  user_id uuid not null references auth.users (id) on delete cascade,
  token_type auth.one_time_token_type not null,
  -- GoTrue's hash: SHA-224 of the address and the code.
  code_hash text not null,
  constraint one_time_codes_pkey primary key (user_id, token_type)
);
alter table ninefold.one_time_codes owner to ninefold_server;
comment on table ninefold.one_time_codes is 'Hashes of unused codes in mails and texts.';

-- Stores a link and a code of one kind for an account, and voids the previous ones. Raises no_data_found if the account does not exist.
create function ninefold.issue_one_time_token(
  account uuid, kind auth.one_time_token_type, link_hash text, short_hash text, address text
) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform from auth.users u where u.id = account and u.deleted_at is null for update;
  if not found then
    raise no_data_found using schema = 'ninefold', table = 'one_time_codes';
  end if;
  delete from auth.one_time_tokens t where t.user_id = account and t.token_type = kind;
  insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
  values (gen_random_uuid(), account, kind, link_hash, lower(address), now() at time zone 'utc', now() at time zone 'utc');
  insert into ninefold.one_time_codes as c (user_id, token_type, code_hash) values (account, kind, short_hash)
  on conflict (user_id, token_type) do update set code_hash = excluded.code_hash;
  update auth.users u set
    confirmation_token = case kind when 'confirmation_token' then link_hash else u.confirmation_token end,
    confirmation_sent_at = case kind when 'confirmation_token' then now() else u.confirmation_sent_at end,
    recovery_token = case kind when 'recovery_token' then link_hash else u.recovery_token end,
    recovery_sent_at = case kind when 'recovery_token' then now() else u.recovery_sent_at end,
    email_change_token_new = case kind when 'email_change_token_new' then link_hash else u.email_change_token_new end,
    email_change_token_current =
      case kind when 'email_change_token_current' then link_hash else u.email_change_token_current end,
    email_change_sent_at =
      case when kind in ('email_change_token_new', 'email_change_token_current') then now() else u.email_change_sent_at end,
    reauthentication_token = case kind when 'reauthentication_token' then link_hash else u.reauthentication_token end,
    reauthentication_sent_at = case kind when 'reauthentication_token' then now() else u.reauthentication_sent_at end,
    updated_at = now()
  where u.id = account;
end
$$;
alter function ninefold.issue_one_time_token owner to supabase_auth_admin;
comment on function ninefold.issue_one_time_token is 'Stores the hashes of a link and of a code, and voids those of the same kind.';

-- Addresses that their owners have not proved -------------------------------------------------------------------------

-- Accounts whose address counts as confirmed although its owner has not proved it. The person who created such an account may be a stranger
-- who typed the address of another person. When the owner of the address proves it, all other access to the account ends.
create table ninefold.unproven_addresses (
  user_id uuid not null references auth.users (id) on delete cascade,
  constraint unproven_addresses_pkey primary key (user_id)
);
alter table ninefold.unproven_addresses owner to ninefold_server;
comment on table ninefold.unproven_addresses is 'Accounts with a confirmed e-mail address that its owner has not proved.';

-- Accounts whose phone number counts as confirmed although its owner has not proved it (sms_autoconfirm). When the owner of the number
-- proves it, all other access to the account ends, as with addresses.
create table ninefold.unproven_phones (
  user_id uuid not null references auth.users (id) on delete cascade,
  constraint unproven_phones_pkey primary key (user_id)
);
alter table ninefold.unproven_phones owner to ninefold_server;
comment on table ninefold.unproven_phones is 'Accounts with a confirmed phone number that its owner has not proved.';

-- Removes everything by which another person could sign in to an account: its password, phone number, sessions, second factors, passkeys,
-- consents, links and codes, and all identities except the one that proved the address.
create function ninefold.remove_other_access(account uuid, kept_provider text, kept_id text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  update auth.users u set
    encrypted_password = null, phone = null, phone_confirmed_at = null, phone_change = '', phone_change_token = '',
    email_change = '', email_change_confirm_status = 0, email_change_token_new = '', email_change_token_current = '',
    confirmation_token = '', recovery_token = '', reauthentication_token = '', updated_at = now()
  where u.id = account;
  delete from auth.identities i where i.user_id = account and (i.provider, i.provider_id) is distinct from (kept_provider, kept_id);
  delete from auth.sessions s where s.user_id = account;
  delete from auth.mfa_factors f where f.user_id = account;
  delete from auth.webauthn_credentials c where c.user_id = account;
  delete from auth.webauthn_challenges c where c.user_id = account;
  delete from auth.one_time_tokens t where t.user_id = account;
  delete from auth.flow_state f where f.user_id = account and f.auth_code is not null;
  -- A database that existed before the app lacks these tables (0011_oauth_clients.sql).
  if to_regclass('auth.oauth_consents') is not null then
    delete from auth.oauth_authorizations o where o.user_id = account;
    delete from auth.oauth_consents o where o.user_id = account;
  end if;
  delete from ninefold.one_time_codes c where c.user_id = account;
  delete from ninefold.sign_in_networks n where n.user_id = account;
  delete from ninefold.unproven_addresses a where a.user_id = account;
end
$$;
alter function ninefold.remove_other_access owner to supabase_auth_admin;
comment on function ninefold.remove_other_access is 'Removes everything by which another person could sign in to an account.';

-- Removes everything but the phone number by which another person could sign in to an account.
create function ninefold.remove_access_besides_phone(account uuid) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  before auth.users;
begin
  select u.* into before from auth.users u where u.id = account;
  perform ninefold.remove_other_access(account, 'phone', account::text);
  update auth.users u set
    phone = before.phone, phone_confirmed_at = before.phone_confirmed_at, email = null, email_confirmed_at = null,
    raw_app_meta_data = coalesce(u.raw_app_meta_data, '{}') || '{"provider": "phone", "providers": ["phone"]}'
  where u.id = account;
end
$$;
alter function ninefold.remove_access_besides_phone owner to supabase_auth_admin;
comment on function ninefold.remove_access_besides_phone is 'Removes everything but the phone number by which another person could sign in.';

-- E-mail addresses ----------------------------------------------------------------------------------------------------

-- Begins a change of address, and voids links for a change to another address.
create function ninefold.begin_email_change(account uuid, address text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform from auth.users u where u.id = account for update;
  delete from auth.one_time_tokens t using auth.users u
  where u.id = account and u.email_change is distinct from address
    and t.user_id = account and t.token_type in ('email_change_token_new', 'email_change_token_current');
  update auth.users u set email_change = address, email_change_confirm_status = 0, updated_at = now() where u.id = account;
end
$$;
alter function ninefold.begin_email_change owner to supabase_auth_admin;
comment on function ninefold.begin_email_change is 'Stores the new address of an account until it is confirmed.';

create function ninefold.confirm_email(account uuid, by_owner boolean) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if by_owner and exists (select from ninefold.unproven_addresses a where a.user_id = account) then
    perform ninefold.remove_other_access(account, 'email', account::text);
    insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    select u.id::text, u.id,
      jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true, 'phone_verified', false), 'email', now(), now(), now()
    from auth.users u where u.id = account
    on conflict (provider_id, provider) do nothing;
    update auth.users u set
      raw_app_meta_data = coalesce(u.raw_app_meta_data, '{}') || '{"provider": "email", "providers": ["email"]}'
    where u.id = account;
  end if;
  update auth.users u set
    encrypted_password = case when u.email_confirmed_at is null and by_owner then null else u.encrypted_password end,
    email_confirmed_at = coalesce(u.email_confirmed_at, now()),
    is_anonymous = false,
    raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || '{"email_verified": true}',
    confirmation_token = '', recovery_token = '', email_change_token_new = '', email_change_token_current = '',
    reauthentication_token = '', updated_at = now()
  where u.id = account;
  -- An identity with a verified address stays unchanged, so a repeated sign-in writes nothing.
  update auth.identities i set
    identity_data = i.identity_data || '{"email_verified": true}', updated_at = now()
  from auth.users u
  where u.id = account and i.user_id = u.id and i.provider = 'email' and i.identity_data ->> 'email' = u.email
    and i.identity_data -> 'email_verified' is distinct from 'true';
  delete from auth.one_time_tokens t where t.user_id = account;
  delete from ninefold.one_time_codes c where c.user_id = account;
  delete from ninefold.unproven_addresses a where a.user_id = account;
end
$$;
alter function ninefold.confirm_email owner to supabase_auth_admin;
comment on function ninefold.confirm_email is 'Confirms the address of an account and voids its other links and codes.';

-- Sets the address of an account to email_change, ends its sessions, and informs the old address.
create function ninefold.apply_email_change(account uuid) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into ninefold.mails (kind, recipient, user_id, data)
  select 'email_changed_notification', u.email, u.id, jsonb_build_object('OldEmail', u.email)
  from auth.users u where u.id = account and u.email <> '' and u.email <> u.email_change;
  update auth.users u set
    email = u.email_change, email_change = '', email_change_confirm_status = 0,
    raw_app_meta_data = case
      when coalesce(u.raw_app_meta_data, '{}') -> 'providers' @> '["email"]' then u.raw_app_meta_data
      else coalesce(u.raw_app_meta_data, '{}') || jsonb_build_object(
        'provider', coalesce(u.raw_app_meta_data -> 'provider', '"email"'),
        'providers', coalesce(u.raw_app_meta_data -> 'providers', '[]') || '["email"]')
    end,
    raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('email', u.email_change)
  where u.id = account;
  update auth.identities i set
    identity_data = i.identity_data || jsonb_build_object('email', u.email, 'email_verified', true), updated_at = now()
  from auth.users u where u.id = account and i.user_id = u.id and i.provider = 'email';
  if not found then
    insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    select u.id::text, u.id,
      jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true, 'phone_verified', false),
      'email', now(), now(), now()
    from auth.users u where u.id = account;
  end if;
  delete from auth.sessions s where s.user_id = account;
  perform ninefold.confirm_email(account, false);
end
$$;
alter function ninefold.apply_email_change owner to supabase_auth_admin;
comment on function ninefold.apply_email_change is 'Completes a change of address.';

-- Redeems a link or a code of an account, exactly once. The caller passes either `link_hash` or `short_hash`. Returns void; banned; taken
-- (another account has the new address); half (the other address must confirm the change, too); used. If the result is used, the setting
-- ninefold.verified names the account until the end of the transaction.
create function ninefold.use_one_time_token(
  for_account uuid, kinds auth.one_time_token_type[], link_hash text, short_hash text, valid_seconds integer, both_confirm boolean
) returns text
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  token auth.one_time_tokens;
  account auth.users;
  sent_at timestamptz;
begin
  perform set_config('ninefold.verified', '', true);
  -- The lock of the account serializes the attempts; only the first one finds the token.
  select u.* into account from auth.users u where u.id = for_account and u.deleted_at is null for update;
  select t.* into token from auth.one_time_tokens t
  where t.user_id = account.id and t.token_type = any (kinds)
    and (t.token_hash = link_hash or exists (
      select from ninefold.one_time_codes c
      where c.user_id = t.user_id and c.token_type = t.token_type and c.code_hash = short_hash))
  limit 1;
  if not found then
    return 'void';
  end if;
  sent_at := case token.token_type
    when 'confirmation_token' then account.confirmation_sent_at
    when 'recovery_token' then account.recovery_sent_at
    else account.email_change_sent_at
  end;
  if least(token.created_at at time zone 'utc', sent_at) < now() - make_interval(secs => valid_seconds)
    or token.relates_to is distinct from lower(case token.token_type
      when 'email_change_token_new' then account.email_change else account.email end) then
    return 'void';
  end if;
  if account.banned_until > now() then
    return 'banned';
  end if;

  if token.token_type in ('email_change_token_new', 'email_change_token_current') then
    if exists (
      select from auth.users x where lower(x.email) = lower(account.email_change) and x.id <> account.id and not x.is_sso_user
    ) then
      return 'taken';
    end if;
    delete from auth.one_time_tokens t where t.id = token.id;
    delete from ninefold.one_time_codes c where c.user_id = account.id and c.token_type = token.token_type;
    if both_confirm and account.email_change_confirm_status = 0 and account.email <> '' then
      update auth.users u set
        email_change_confirm_status = 1,
        email_change_token_new = case token.token_type when 'email_change_token_new' then '' else u.email_change_token_new end,
        email_change_token_current =
          case token.token_type when 'email_change_token_current' then '' else u.email_change_token_current end,
        updated_at = now()
      where u.id = account.id;
      return 'half';
    end if;
    perform ninefold.apply_email_change(account.id);
  else
    perform ninefold.confirm_email(account.id, token.token_type = 'recovery_token');
  end if;
  perform set_config('ninefold.verified', account.id::text, true);
  return 'used';
end
$$;
alter function ninefold.use_one_time_token owner to supabase_auth_admin;
comment on function ninefold.use_one_time_token is 'Redeems a link or a code exactly once, and confirms the address.';

-- Redeems a code for reauthentication. Raises no_data_found for a wrong or an expired code. The server sends the code to the address of the
-- account, or to its number if it has no address, so the code proves one of the two.
create function ninefold.use_nonce(account uuid, short_hash text, valid_seconds integer) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  has_address boolean;
begin
  select coalesce(u.email, '') <> '' into has_address from auth.users u where u.id = account for update;
  delete from auth.one_time_tokens t using ninefold.one_time_codes c, auth.users u
  where t.user_id = account and t.token_type = 'reauthentication_token'
    and c.user_id = t.user_id and c.token_type = t.token_type and c.code_hash = short_hash
    and u.id = account and u.reauthentication_sent_at >= now() - make_interval(secs => valid_seconds);
  if not found then
    raise no_data_found using schema = 'ninefold', table = 'one_time_codes';
  end if;
  delete from ninefold.one_time_codes c where c.user_id = account and c.token_type = 'reauthentication_token';
  if has_address then
    delete from ninefold.unproven_addresses a where a.user_id = account;
  else
    delete from ninefold.unproven_phones p where p.user_id = account;
  end if;
  update auth.users u set reauthentication_token = '' where u.id = account;
end
$$;
alter function ninefold.use_nonce owner to supabase_auth_admin;
comment on function ninefold.use_nonce is 'Redeems a code for reauthentication.';

-- The builder may confirm an address by SQL. The address then counts as proved.
create function auth.address_confirmed_by_sql() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ninefold.unproven_addresses a where a.user_id = new.id;
  return null;
end
$$;
alter function auth.address_confirmed_by_sql owner to supabase_auth_admin;
create trigger ninefold_address_confirmed after update of email_confirmed_at on auth.users
  for each row when (
    new.email_confirmed_at is distinct from old.email_confirmed_at and new.email_confirmed_at is not null
    and current_user <> 'supabase_auth_admin')
  execute function auth.address_confirmed_by_sql();

-- Phone numbers -------------------------------------------------------------------------------------------------------

-- Stores a code of one kind for a phone number, and voids the previous one. Raises no_data_found if the account does not exist.
create function ninefold.issue_phone_code(
  account uuid, kind auth.one_time_token_type, link_hash text, short_hash text, number text
) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform ninefold.issue_one_time_token(account, kind, link_hash, short_hash, number);
  if kind = 'phone_change_token' then
    update auth.users u set phone_change = number, phone_change_token = link_hash, phone_change_sent_at = now() where u.id = account;
  end if;
end
$$;
alter function ninefold.issue_phone_code owner to supabase_auth_admin;
comment on function ninefold.issue_phone_code is 'Stores the hash of a code in a text, and voids those of the same kind.';

-- Confirms the number of an account, or sets it to phone_change. A change of number ends the sessions of the account and sends a mail to its
-- address.
create function ninefold.confirm_phone(account uuid, is_change boolean) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if is_change then
    insert into ninefold.mails (kind, recipient, user_id, data)
    select 'phone_changed_notification', u.email, u.id, jsonb_build_object('OldPhone', u.phone, 'Phone', u.phone_change)
    from auth.users u where u.id = account and u.email <> '' and u.phone <> '' and u.phone <> u.phone_change;
    update auth.users u set
      phone = u.phone_change, phone_change = '', phone_change_token = '',
      phone_confirmed_at = now(),
      raw_app_meta_data = case
        when coalesce(u.raw_app_meta_data, '{}') -> 'providers' @> '["phone"]' then u.raw_app_meta_data
        else coalesce(u.raw_app_meta_data, '{}') || jsonb_build_object(
          'provider', coalesce(u.raw_app_meta_data -> 'provider', '"phone"'),
          'providers', coalesce(u.raw_app_meta_data -> 'providers', '[]') || '["phone"]')
      end
    where u.id = account;
    delete from auth.sessions s where s.user_id = account;
  end if;
  update auth.users u set
    phone_confirmed_at = coalesce(u.phone_confirmed_at, now()), is_anonymous = false,
    confirmation_token = '', phone_change_token = '', reauthentication_token = '',
    updated_at = now()
  where u.id = account;
  update auth.identities i set
    identity_data = i.identity_data || jsonb_build_object('phone', u.phone, 'phone_verified', true), updated_at = now()
  from auth.users u where u.id = account and i.user_id = u.id and i.provider = 'phone';
  if not found then
    insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    select u.id::text, u.id,
      jsonb_build_object('sub', u.id, 'phone', u.phone, 'email_verified', false, 'phone_verified', true),
      'phone', now(), now(), now()
    from auth.users u where u.id = account;
    insert into ninefold.mails (kind, recipient, user_id, data)
    select 'identity_linked_notification', u.email, u.id, '{"Provider": "phone"}'
    from auth.users u where u.id = account and u.email <> '';
  end if;
  delete from auth.one_time_tokens t
  where t.user_id = account and t.token_type in ('confirmation_token', 'phone_change_token', 'reauthentication_token');
  delete from ninefold.one_time_codes c
  where c.user_id = account and c.token_type in ('confirmation_token', 'phone_change_token', 'reauthentication_token');
end
$$;
alter function ninefold.confirm_phone owner to supabase_auth_admin;
comment on function ninefold.confirm_phone is 'Confirms the phone number of an account and voids its other codes.';

-- Redeems a code in a text, exactly once. Returns void; banned; taken (another account has the new number); used. If the result is used, the
-- setting ninefold.verified names the account until the end of the transaction.
create function ninefold.use_phone_code(
  for_account uuid, kind auth.one_time_token_type, short_hash text, valid_seconds integer
) returns text
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  token auth.one_time_tokens;
  account auth.users;
  is_change boolean := kind = 'phone_change_token';
begin
  perform set_config('ninefold.verified', '', true);
  -- The lock of the account serializes the attempts; only the first one finds the code.
  select u.* into account from auth.users u where u.id = for_account and u.deleted_at is null for update;
  select t.* into token from auth.one_time_tokens t
  join ninefold.one_time_codes c on c.user_id = t.user_id and c.token_type = t.token_type
  where t.user_id = account.id and t.token_type = kind and c.code_hash = short_hash;
  if not found
    or token.created_at at time zone 'utc' < now() - make_interval(secs => valid_seconds)
    or token.relates_to is distinct from (case when is_change then account.phone_change else account.phone end) then
    return 'void';
  end if;
  if account.banned_until > now() then
    return 'banned';
  end if;
  if is_change then
    -- The code proves the owner of the number. An account that never proved the number loses it, so nobody can reserve a stranger's number.
    with freed as (
      update auth.users x set phone = null, phone_confirmed_at = null, confirmation_token = '', updated_at = now()
      where x.phone = account.phone_change and x.id <> account.id
        and (x.phone_confirmed_at is null or exists (select from ninefold.unproven_phones p where p.user_id = x.id))
      returning x.id
    )
    delete from auth.identities i using freed where i.user_id = freed.id and i.provider = 'phone';
    if exists (select from auth.users x where x.phone = account.phone_change and x.id <> account.id) then
      return 'taken';
    end if;
  elsif account.phone_confirmed_at is not null
    and exists (select from ninefold.unproven_phones p where p.user_id = account.id) then
    perform ninefold.remove_access_besides_phone(account.id);
  end if;
  perform ninefold.confirm_phone(account.id, is_change);
  delete from ninefold.unproven_phones p where p.user_id = account.id;
  perform set_config('ninefold.verified', account.id::text, true);
  return 'used';
end
$$;
alter function ninefold.use_phone_code owner to supabase_auth_admin;
comment on function ninefold.use_phone_code is 'Redeems a code in a text exactly once, and confirms the number.';

-- The builder may confirm a number by SQL. The number then counts as proved.
create function auth.phone_confirmed_by_sql() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ninefold.unproven_phones p where p.user_id = new.id;
  return null;
end
$$;
alter function auth.phone_confirmed_by_sql owner to supabase_auth_admin;
create trigger ninefold_phone_confirmed after update of phone_confirmed_at on auth.users
  for each row when (
    new.phone_confirmed_at is distinct from old.phone_confirmed_at and new.phone_confirmed_at is not null
    and current_user <> 'supabase_auth_admin')
  execute function auth.phone_confirmed_by_sql();

revoke execute on function ninefold.reserve_mail, ninefold.issue_one_time_token, ninefold.remove_other_access,
  ninefold.remove_access_besides_phone, ninefold.begin_email_change, ninefold.confirm_email, ninefold.apply_email_change,
  ninefold.use_one_time_token, ninefold.use_nonce, ninefold.issue_phone_code, ninefold.confirm_phone, ninefold.use_phone_code,
  auth.address_confirmed_by_sql, auth.phone_confirmed_by_sql from public;
grant select, insert, update, delete on ninefold.mails, ninefold.mail_requests, ninefold.one_time_codes, ninefold.unproven_addresses,
  ninefold.unproven_phones to supabase_auth_admin;
