-- Vault: secrets of the app that are sealed at rest, with Supabase's names (docs/vault.md, docs/decisions/0088-a-vault-with-a-key-outside-of-the-database.md).
--
-- The key material is the password verifier of the role app_<ref>_vault, which cannot log in. It is stored in pg_authid, outside of the
-- app's database, and only a superuser reads it. All functions call functions of pg_catalog alone: an owner could replace those of an
-- extension that it owns.

-- Returns the key material of the database; null if it has none.
create or replace function ninefold.vault_material() returns text
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
  return (select a.rolpassword from pg_catalog.pg_authid a where a.rolname = pg_catalog.current_database() || '_vault');
revoke execute on function ninefold.vault_material from public;
grant execute on function ninefold.vault_material to ninefold_server;

-- The functions below take a key as an argument, so nobody gains anything by a call of them.

-- Returns a xor b. Both have the same length.
create or replace function ninefold.vault_xor(a bytea, b bytea) returns bytea
  language sql immutable
  set search_path = pg_catalog, pg_temp
  return substring(varbit_send(('x' || encode(a, 'hex'))::varbit # ('x' || encode(b, 'hex'))::varbit) from 5);

-- Returns a key of 64 bytes for one purpose, which is the block length of SHA-256.
create or replace function ninefold.vault_key(material text, purpose text) returns bytea
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
begin
  if material is null then
    raise exception 'this server has no key for the Vault of this database' using errcode = '55000',
      hint = 'The node creates the key when it starts.';
  end if;
  return sha512(convert_to('ninefold vault 1 ' || purpose || ' ' || material, 'UTF8'));
end
$$;

-- HMAC-SHA-256 (RFC 2104) of a message under a key of 64 bytes.
create or replace function ninefold.vault_hmac(key bytea, message bytea) returns bytea
  language sql immutable
  set search_path = pg_catalog, pg_temp
  return sha256(ninefold.vault_xor(key, decode(repeat('5c', 64), 'hex'))
    || sha256(ninefold.vault_xor(key, decode(repeat('36', 64), 'hex')) || message));

-- Encrypts or decrypts: HMAC-SHA-256 in counter mode. A nonce is used once.
create or replace function ninefold.vault_crypt(key bytea, nonce bytea, data bytea) returns bytea
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
declare
  inner_pad constant bytea := ninefold.vault_xor(key, decode(repeat('36', 64), 'hex'));
  outer_pad constant bytea := ninefold.vault_xor(key, decode(repeat('5c', 64), 'hex'));
  stream bytea;
begin
  if length(data) = 0 then
    return data;
  end if;
  select string_agg(sha256(outer_pad || sha256(inner_pad || nonce || int4send(i))), '' order by i) into stream
  from generate_series(1, (length(data) + 31) / 32) i;
  return ninefold.vault_xor(data, substring(stream from 1 for length(data)));
end
$$;

-- Seals a secret for the row with this id: the ciphertext and an authentication tag over id, nonce and ciphertext.
create or replace function ninefold.vault_seal(id uuid, secret text, nonce bytea) returns text
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  material constant text := ninefold.vault_material();
  sealed bytea;
begin
  if octet_length(secret) > 65536 then
    raise exception 'a secret of the Vault may have 65536 bytes' using errcode = '54000';
  end if;
  sealed := ninefold.vault_crypt(ninefold.vault_key(material, 'encrypt'), nonce, convert_to(secret, 'UTF8'));
  return translate(encode(sealed || ninefold.vault_hmac(ninefold.vault_key(material, 'authenticate'), uuid_send(id) || nonce || sealed),
    'base64'), E'\n', '');
end
$$;

-- Opens the secret of a row.
create or replace function ninefold.vault_open(id uuid, secret text, nonce bytea) returns text
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  material constant text := ninefold.vault_material();
  bytes constant bytea := decode(secret, 'base64');
  sealed bytea;
begin
  if length(bytes) >= 32 then
    sealed := substring(bytes from 1 for length(bytes) - 32);
    if ninefold.vault_hmac(ninefold.vault_key(material, 'authenticate'), uuid_send(id) || nonce || sealed)
      = substring(bytes from length(bytes) - 31)
    then
      return convert_from(ninefold.vault_crypt(ninefold.vault_key(material, 'encrypt'), nonce, sealed), 'UTF8');
    end if;
  end if;
  raise exception 'the secret % cannot be opened with the key of this app', id using errcode = '22023',
    hint = 'It was sealed in another app, as a dump of that app contains it, or its row was changed. Set it again with vault.update_secret.';
end
$$;
revoke execute on function ninefold.vault_xor, ninefold.vault_key, ninefold.vault_hmac, ninefold.vault_crypt, ninefold.vault_seal,
  ninefold.vault_open from public;
grant execute on function ninefold.vault_xor, ninefold.vault_key, ninefold.vault_hmac, ninefold.vault_crypt, ninefold.vault_seal,
  ninefold.vault_open to ninefold_server;

-- An app may have a schema vault of its own. It keeps it and has no Vault then.
do $install$
begin
  if to_regnamespace('vault') is not null then
    return;
  end if;
  execute $vault$
    create schema vault;
    grant usage on schema vault to pg_database_owner, postgres, service_role, ninefold_server;

    create table vault.secrets (
      id uuid primary key default pg_catalog.gen_random_uuid(),
      name text,
      description text not null default '',
      secret text not null,
      key_id uuid,
      nonce bytea not null default pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
      created_at timestamptz not null default current_timestamp,
      updated_at timestamptz not null default current_timestamp
    );
    create unique index secrets_name_idx on vault.secrets (name) where name is not null;
    comment on table vault.secrets is 'Secrets of the app. The column secret is sealed: vault.decrypted_secrets shows its content.';
    grant select, insert, update, delete on vault.secrets to ninefold_server;
    -- The row of a secret is written by functions alone, because only they can seal it.
    grant select, delete, truncate, references on vault.secrets to pg_database_owner, postgres;
    grant select, delete on vault.secrets to service_role;

    -- The functions run as ninefold_server, the only role that gets the key. Their callers are the roles that may read all secrets.
    create function vault.create_secret(
      new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
    ) returns uuid
      language plpgsql security definer
      set search_path = pg_catalog, pg_temp
    as $$
    declare
      new_id constant uuid := gen_random_uuid();
      new_nonce constant bytea := uuid_send(gen_random_uuid());
    begin
      insert into vault.secrets (id, name, description, secret, key_id, nonce)
      values (new_id, new_name, coalesce(new_description, ''), ninefold.vault_seal(new_id, new_secret, new_nonce), new_key_id, new_nonce);
      return new_id;
    end
    $$;

    create function vault.update_secret(
      secret_id uuid, new_secret text default null, new_name text default null, new_description text default null,
      new_key_id uuid default null
    ) returns void
      language plpgsql security definer
      set search_path = pg_catalog, pg_temp
    as $$
    declare
      new_nonce constant bytea := uuid_send(gen_random_uuid());
    begin
      update vault.secrets s set
        secret = case when new_secret is null then s.secret else ninefold.vault_seal(secret_id, new_secret, new_nonce) end,
        nonce = case when new_secret is null then s.nonce else new_nonce end,
        name = coalesce(new_name, s.name), description = coalesce(new_description, s.description),
        key_id = coalesce(new_key_id, s.key_id), updated_at = now()
      where s.id = secret_id;
    end
    $$;

    create function vault._open_secret(id uuid, secret text, nonce bytea) returns text
      language sql stable security definer
      set search_path = pg_catalog, pg_temp
    as $$ select ninefold.vault_open(id, secret, nonce) $$;

    create view vault.decrypted_secrets as
      select s.id, s.name, s.description, s.secret, vault._open_secret(s.id, s.secret, s.nonce) as decrypted_secret, s.key_id, s.nonce,
        s.created_at, s.updated_at
      from vault.secrets s;

    comment on function vault.create_secret is 'Stores a secret and returns its id.';
    comment on function vault.update_secret is 'Changes a secret. An argument that is null changes nothing.';
    comment on function vault._open_secret is 'Opens the secret of a row, for the view decrypted_secrets.';
    comment on view vault.decrypted_secrets is 'The secrets of the app with their content, for the owner and service_role.';
    revoke execute on all functions in schema vault from public;
    grant execute on all functions in schema vault to pg_database_owner, postgres, service_role;
    grant select on vault.decrypted_secrets to pg_database_owner, postgres, service_role;
    grant create on schema vault to ninefold_server;
    alter function vault.create_secret owner to ninefold_server;
    alter function vault.update_secret owner to ninefold_server;
    alter function vault._open_secret owner to ninefold_server;
    alter view vault.decrypted_secrets owner to ninefold_server;
    revoke create on schema vault from ninefold_server;
  $vault$;
end
$install$;
