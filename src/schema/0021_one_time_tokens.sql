-- Links and codes by mail --------------------------------------------------------------------------------------------
-- auth.one_time_tokens holds the hash of the token in a link, ninefold.one_time_codes that of the code that can be typed instead: the
-- tables of schema auth keep GoTrue's columns. Wrong codes are counted in ninefold.sign_in_failures.

create table ninefold.one_time_codes (
  user_id uuid not null references auth.users (id) on delete cascade,
  token_type auth.one_time_token_type not null,
  -- GoTrue's hash: SHA-224 of the address and the code.
  code_hash text not null,
  constraint one_time_codes_pkey primary key (user_id, token_type)
);
alter table ninefold.one_time_codes owner to supabase_auth_admin;
comment on table ninefold.one_time_codes is 'Hashes of the codes in mails that are still to be used.';

-- One row per address and kind of mail, by hash, whether or not an account has the address.
create table ninefold.mail_requests (
  subject text not null,
  requested_at timestamptz not null default now(),
  constraint mail_requests_pkey primary key (subject)
);
alter table ninefold.mail_requests owner to supabase_auth_admin;
comment on table ninefold.mail_requests is 'When a mail to an address was last asked for, by hash of the address.';
create index mail_requests_requested_at_idx on ninefold.mail_requests (requested_at);

-- Returns 0 if a mail may be sent, else the number of seconds to wait. Each call also deletes some old rows.
create function ninefold.reserve_mail(for_subject text, pause_seconds integer) returns integer
  language plpgsql
  set search_path = ''
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
comment on function ninefold.reserve_mail is 'Bounds how often a mail to an address can be asked for.';

-- Gives an account a link and a code of one kind; those that it had become void. Raises no_data_found where there is no such account.
create function ninefold.issue_one_time_token(
  account uuid, kind auth.one_time_token_type, link_hash text, short_hash text, address text
) returns void
  language plpgsql
  set search_path = ''
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

-- Begins a change of address. Links for a change to another address become void.
create function ninefold.begin_email_change(account uuid, address text) returns void
  language plpgsql
  set search_path = ''
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
comment on function ninefold.begin_email_change is 'Stores the address that an account is to have once it is confirmed.';

-- Confirms the address of an account. A password that was set before the address was proven by `drops_password` is removed: another
-- person may have set it.
create function ninefold.confirm_email(account uuid, drops_password boolean) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  update auth.users u set
    encrypted_password = case when u.email_confirmed_at is null and drops_password then null else u.encrypted_password end,
    email_confirmed_at = coalesce(u.email_confirmed_at, now()),
    is_anonymous = false,
    raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || '{"email_verified": true}',
    confirmation_token = '', recovery_token = '', email_change_token_new = '', email_change_token_current = '',
    reauthentication_token = '', updated_at = now()
  where u.id = account;
  update auth.identities i set
    identity_data = i.identity_data || '{"email_verified": true}', updated_at = now()
  from auth.users u
  where u.id = account and i.user_id = u.id and i.provider = 'email' and i.identity_data ->> 'email' = u.email;
  delete from auth.one_time_tokens t where t.user_id = account;
  delete from ninefold.one_time_codes c where c.user_id = account;
end
$$;
alter function ninefold.confirm_email owner to supabase_auth_admin;
comment on function ninefold.confirm_email is 'Confirms the address of an account and voids its other links and codes.';

-- Gives an account the address that waits in email_change, ends its sessions, and tells the old address.
create function ninefold.apply_email_change(account uuid) returns void
  language plpgsql
  set search_path = ''
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

-- Uses up a link or a code of an account, exactly once, and does what it is for. Of `link_hash` and `short_hash` one is given. Returns
-- void; banned; taken (another account has the new address); half (a change of address that the other address must confirm too); used.
-- After the last the setting ninefold.verified names the account until the end of the transaction.
create function ninefold.use_one_time_token(
  for_account uuid, kinds auth.one_time_token_type[], link_hash text, short_hash text, valid_seconds integer, both_confirm boolean
) returns text
  language plpgsql
  set search_path = ''
as $$
declare
  token auth.one_time_tokens;
  account auth.users;
  sent_at timestamptz;
begin
  perform set_config('ninefold.verified', '', true);
  -- The lock of the account lets one use at a time go on; only the first one finds the token.
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
comment on function ninefold.use_one_time_token is 'Uses up a link or a code exactly once, and confirms what it was sent for.';

-- Uses up the code by which a member proves to be present. Raises no_data_found for a wrong or old one.
create function ninefold.use_nonce(account uuid, short_hash text, valid_seconds integer) returns void
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
  update auth.users u set reauthentication_token = '' where u.id = account;
end
$$;
alter function ninefold.use_nonce owner to supabase_auth_admin;
comment on function ninefold.use_nonce is 'Uses up a code for reauthentication.';

revoke execute on function ninefold.reserve_mail, ninefold.issue_one_time_token, ninefold.begin_email_change,
  ninefold.confirm_email, ninefold.apply_email_change, ninefold.use_one_time_token, ninefold.use_nonce
  from public;
