-- Accounts whose address counts as confirmed although its owner has not proved it. The person who created such an account may be a stranger
-- who typed the address of another person. When the owner of the address proves it, all other access to the account ends.

create table ninefold.unproven_addresses (
  user_id uuid not null references auth.users (id) on delete cascade,
  constraint unproven_addresses_pkey primary key (user_id)
);
alter table ninefold.unproven_addresses owner to supabase_auth_admin;
comment on table ninefold.unproven_addresses is 'Accounts with a confirmed e-mail address that its owner has not proved.';

-- Accounts of earlier versions: those that sign-up confirmed when it created them, and whose address no provider has verified.
insert into ninefold.unproven_addresses (user_id)
select u.id from auth.users u
where u.email_confirmed_at = u.created_at
  and exists (
    select from auth.identities i where i.user_id = u.id
      and case i.provider when 'email' then i.identity_data ->> 'email_verified' = 'true'
        else i.email = lower(u.email) and i.identity_data ->> 'email_verified' is distinct from 'true' end)
  and not exists (
    select from auth.identities i where i.user_id = u.id and i.provider not in ('email', 'phone')
      and i.email = lower(u.email) and i.identity_data ->> 'email_verified' = 'true');

-- Removes everything by which another person could sign in to an account: its password, phone number, sessions, second factors, passkeys,
-- consents, links and codes, and all identities except the one that proved the address.
create function ninefold.remove_other_access(account uuid, kept_provider text, kept_id text) returns void
  language plpgsql
  set search_path = ''
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
  -- Some databases lack the tables of the OpenID provider (0015_supabase_projects.sql).
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
revoke execute on function ninefold.remove_other_access from public;

-- Confirms the address of an account and voids its other links and codes. `by_owner`: the owner of the address asked for the mail, not the
-- person who created the account or changed its address. What a stranger may have added before is then removed.
drop function ninefold.confirm_email;
create function ninefold.confirm_email(account uuid, by_owner boolean) returns void
  language plpgsql
  set search_path = ''
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
  -- The identity of a member who signs in again is left as it is.
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
revoke execute on function ninefold.confirm_email from public;

-- Uses up the code by which a member proves to be present. Raises no_data_found for a wrong or old one. The member has read a mail to the
-- address of the account, so the address is proven.
create or replace function ninefold.use_nonce(account uuid, short_hash text, valid_seconds integer) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  perform from auth.users u where u.id = account for update;
  delete from auth.one_time_tokens t using ninefold.one_time_codes c, auth.users u
  where t.user_id = account and t.token_type = 'reauthentication_token'
    and c.user_id = t.user_id and c.token_type = t.token_type and c.code_hash = short_hash
    and u.id = account and u.reauthentication_sent_at >= now() - make_interval(secs => valid_seconds);
  if not found then
    raise no_data_found using schema = 'ninefold', table = 'one_time_codes';
  end if;
  delete from ninefold.one_time_codes c where c.user_id = account and c.token_type = 'reauthentication_token';
  delete from ninefold.unproven_addresses a where a.user_id = account;
  update auth.users u set reauthentication_token = '' where u.id = account;
end
$$;

-- The builder confirms an address by SQL.
create function auth.address_confirmed_by_sql() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from ninefold.unproven_addresses a where a.user_id = new.id;
  return null;
end
$$;
alter function auth.address_confirmed_by_sql owner to supabase_auth_admin;
revoke execute on function auth.address_confirmed_by_sql from public;
create trigger ninefold_address_confirmed after update of email_confirmed_at on auth.users
  for each row when (
    new.email_confirmed_at is distinct from old.email_confirmed_at and new.email_confirmed_at is not null
    and current_user <> 'supabase_auth_admin')
  execute function auth.address_confirmed_by_sql();
