-- Phone numbers: codes in texts (SMS), and texts in the queue of the mails.

alter table ninefold.mails add column channel text not null default 'email';
alter table ninefold.mails add constraint mails_channel_check check (channel in ('email', 'sms'));
-- After it a text is not sent: its code is void.
alter table ninefold.mails add column expires_at timestamptz;
comment on column ninefold.mails.channel is 'email, or sms for a text to a phone number.';

create index if not exists users_phone_change_idx on auth.users (phone_change) where phone_change <> '';

-- Gives an account a code of one kind for a phone number; an earlier one becomes void. Raises no_data_found where there is no such account.
create function ninefold.issue_phone_code(
  account uuid, kind auth.one_time_token_type, link_hash text, short_hash text, number text
) returns void
  language plpgsql
  set search_path = ''
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

-- Confirms the number of an account, or gives the account the number that waits in phone_change. A change of number ends the sessions of
-- the account, and is told to its address by mail.
create function ninefold.confirm_phone(account uuid, is_change boolean) returns void
  language plpgsql
  set search_path = ''
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

-- Uses up a code in a text, exactly once, and does what it is for. Returns void; banned; taken (another account has the new number); used.
-- After the last the setting ninefold.verified names the account until the end of the transaction.
create function ninefold.use_phone_code(
  for_account uuid, kind auth.one_time_token_type, short_hash text, valid_seconds integer
) returns text
  language plpgsql
  set search_path = ''
as $$
declare
  token auth.one_time_tokens;
  account auth.users;
  is_change boolean := kind = 'phone_change_token';
begin
  perform set_config('ninefold.verified', '', true);
  -- The lock of the account lets one use at a time go on; only the first one finds the code.
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
    -- The code proves whose the number is: an account that never confirmed it loses it, so that nobody can reserve a stranger's number.
    with freed as (
      update auth.users x set phone = null, confirmation_token = '', updated_at = now()
      where x.phone = account.phone_change and x.id <> account.id and x.phone_confirmed_at is null
      returning x.id
    )
    delete from auth.identities i using freed where i.user_id = freed.id and i.provider = 'phone';
    if exists (select from auth.users x where x.phone = account.phone_change and x.id <> account.id) then
      return 'taken';
    end if;
  end if;
  perform ninefold.confirm_phone(account.id, is_change);
  perform set_config('ninefold.verified', account.id::text, true);
  return 'used';
end
$$;
alter function ninefold.use_phone_code owner to supabase_auth_admin;
comment on function ninefold.use_phone_code is 'Uses up a code in a text exactly once, and confirms the number that it was sent to.';

revoke execute on function ninefold.issue_phone_code, ninefold.confirm_phone, ninefold.use_phone_code from public;
