-- Accounts whose phone number counts as confirmed although its owner has not proved it (sms_autoconfirm). When the owner of the number
-- proves it, all other access to the account ends, as with addresses (0059_unproven_addresses.sql).

create table ninefold.unproven_phones (
  user_id uuid not null references auth.users (id) on delete cascade,
  constraint unproven_phones_pkey primary key (user_id)
);
alter table ninefold.unproven_phones owner to supabase_auth_admin;
comment on table ninefold.unproven_phones is 'Accounts with a confirmed phone number that its owner has not proved.';

-- Accounts of earlier versions: those that sign-up confirmed when it created them, and that no code has confirmed since.
insert into ninefold.unproven_phones (user_id)
select u.id from auth.users u
where u.phone_confirmed_at = u.created_at
  and exists (
    select from auth.identities i where i.user_id = u.id and i.provider = 'phone' and i.identity_data ->> 'phone_verified' = 'true'
      and i.last_sign_in_at = i.created_at and i.updated_at = i.created_at);

-- Removes everything but the phone number by which another person could sign in to an account.
create function ninefold.remove_access_besides_phone(account uuid) returns void
  language plpgsql
  set search_path = ''
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
revoke execute on function ninefold.remove_access_besides_phone from public;

-- Uses up a code in a text, exactly once, and does what it is for. Returns void; banned; taken (another account has the new number); used.
-- After the last the setting ninefold.verified names the account until the end of the transaction.
create or replace function ninefold.use_phone_code(
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
    -- The code proves the owner of the number: an account that never proved it loses it, so that nobody can reserve a stranger's number.
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

-- Uses up the code by which a member proves to be present. Raises no_data_found for a wrong or old one. The code was sent to the address
-- of the account, or to its number if it has no address, so one of the two is proven.
create or replace function ninefold.use_nonce(account uuid, short_hash text, valid_seconds integer) returns void
  language plpgsql
  set search_path = ''
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

-- The builder confirms a number by SQL.
create function auth.phone_confirmed_by_sql() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from ninefold.unproven_phones p where p.user_id = new.id;
  return null;
end
$$;
alter function auth.phone_confirmed_by_sql owner to supabase_auth_admin;
revoke execute on function auth.phone_confirmed_by_sql from public;
create trigger ninefold_phone_confirmed after update of phone_confirmed_at on auth.users
  for each row when (
    new.phone_confirmed_at is distinct from old.phone_confirmed_at and new.phone_confirmed_at is not null
    and current_user <> 'supabase_auth_admin')
  execute function auth.phone_confirmed_by_sql();
