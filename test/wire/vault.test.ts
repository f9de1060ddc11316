import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { outcomeOf, superuserUrl, withClient } from '../support/database.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');
const secret = 'a phrase that nobody else has: ä€😀';
let app: AppConnection;

const asOwner = (sql: string, from: AppConnection = app) =>
  withClient(from.database_url ?? '', (client) => outcomeOf(client, sql));

/** Runs a statement as a role of requests, in a session that cannot be the owner. */
const asRole = (role: string, sql: string) =>
  withClient(app.database_url ?? '', (client) => outcomeOf(client, `set role ${role}; ${sql}`));

beforeAll(async () => {
  app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create extension if not exists supabase_vault with schema vault;
     select vault.create_secret('${secret}', 'phrase', 'for tests')`,
  );
});

describe('vault.create_secret', () => {
  it('seals the secret, and decrypted_secrets shows it in every session of the owner', async () => {
    const read = 'select name, description, decrypted_secret, secret, key_id from vault.decrypted_secrets';
    const expected = [{ name: 'phrase', description: 'for tests', decrypted_secret: secret, key_id: null }];
    expect(await asOwner(read)).toMatchObject(expected);
    expect(await asRole('service_role', read)).toMatchObject(expected);
    const { results } = await runSql(node, app.ref, 'select secret, nonce::text from vault.secrets');
    const [stored = ''] = results[0]?.rows[0] ?? [];
    expect(stored).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(stored ?? '', 'base64').toString('latin1')).not.toContain('phrase');
    expect(Buffer.from(stored ?? '', 'base64')).toHaveLength(Buffer.byteLength(secret) + 32);
  });

  it('takes the arguments of Supabase, and seals secrets of every length to other bytes each time', async () => {
    const lengths = [0, 1, 31, 32, 33, 64, 5000, 65_536];
    const values = lengths.map((n) => `('${'x'.repeat(n)}')`).join(', ');
    expect(
      await asOwner(`with made as materialized (select v, vault.create_secret(v, new_key_id => gen_random_uuid()) as id from (values ${values}) t (v))
        select v from made where false; `),
    ).toEqual([]);
    const made = await asOwner(
      `do $$ declare v text; made uuid; begin
        foreach v in array array(select repeat('x', n) from unnest(array[${lengths.join(',')}]) n) loop
          made := vault.create_secret(v);
          if (select decrypted_secret from vault.decrypted_secrets where id = made) is distinct from v then raise 'differs'; end if;
          if (select secret from vault.secrets where id = made) = (select secret from vault.secrets where id = vault.create_secret(v)) and v <> '' then
            raise 'sealed to the same bytes'; end if;
        end loop; end $$;
       select vault.create_secret('${'x'.repeat(65_537)}')`,
    );
    expect(made).toBe('54000');
    expect(await asOwner(`select vault.create_secret('x', 'phrase')`)).toBe('23505');
  });

  it('works in functions that the owner defines for members, in triggers and through update_secret', async () => {
    const outcome = await asOwner(`
      create table public.keys (id int primary key, secret uuid references vault.secrets (id) on delete cascade);
      create function public.keep() returns trigger language plpgsql as $$ begin
        new.secret := vault.create_secret('of row ' || new.id, 'row ' || new.id); return new; end $$;
      create trigger keep before insert on public.keys for each row execute function public.keep();
      create function public.read_key(which int) returns text language sql security definer set search_path = '' as $$
        select d.decrypted_secret from public.keys k join vault.decrypted_secrets d on d.id = k.secret where k.id = which $$;
      insert into public.keys (id) values (1);
      select vault.update_secret((select secret from public.keys), 'changed', new_description => 'other');
      set role anon; select public.read_key(1) as read`);
    expect(outcome).toEqual([{ read: 'changed' }]);
    expect(await asOwner(`delete from vault.secrets where name = 'row 1'; select * from public.keys`)).toEqual([]);
  });
});

describe('the Vault of an app', () => {
  it('is closed for anon and authenticated, also after grants of the owner', async () => {
    await runSql(node, app.ref, 'grant usage on schema vault to anon, authenticated').catch(() => undefined);
    for (const role of ['anon', 'authenticated']) {
      for (const sql of [
        'select * from vault.decrypted_secrets',
        'select * from vault.secrets',
        `select vault.create_secret('x')`,
        `select vault._open_secret(gen_random_uuid(), '', '')`,
        `select vault.update_secret(gen_random_uuid(), 'x')`,
      ])
        expect(await asRole(role, sql), sql).toBe('42501');
    }
  });

  it('gives no role of the app the key, and lets no owner change its objects', async () => {
    for (const sql of [
      'select ninefold.vault_material()',
      `select ninefold.vault_key('x', 'encrypt')`,
      'select rolpassword from pg_authid',
      `update vault.secrets set secret = 'x'`,
      `insert into vault.secrets (secret) values ('x')`,
      'alter table vault.secrets add column more text',
      'create trigger t before insert on vault.secrets for each row execute function public.keep()',
      'create table vault.more (id int)',
      'drop schema vault cascade',
      'create or replace view vault.decrypted_secrets as select 1 as id',
      `create or replace function vault._open_secret(id uuid, secret text, nonce bytea) returns text language sql as 'select secret'`,
      `alter role "app_${app.ref}_vault" password 'x'`,
      `set role "app_${app.ref}_vault"`,
      'set role ninefold_server',
    ])
      expect(await asOwner(sql), sql).toMatch(/^42(501|P17|704|P16)|22023$/);
    expect(await asOwner(`select rolname from pg_roles where rolname like '%vault%'`)).toEqual([]);
  });

  it('opens no secret whose row was changed or that another app sealed', async () => {
    const other = await createApp(node);
    const [row] = (await asOwner(
      `select id, secret, encode(nonce, 'hex') as nonce from vault.secrets where name = 'phrase'`,
    )) as {
      id: string;
      secret: string;
      nonce: string;
    }[];
    const open = (id: string, sealed: string, nonce: string, from = app) =>
      asOwner(`select vault._open_secret('${id}', '${sealed}', '\\x${nonce}') as opened`, from);
    const { id = '', secret: sealed = '', nonce = '' } = row ?? {};
    expect(await open(id, sealed, nonce)).toEqual([{ opened: secret }]);
    const changed = Buffer.from(sealed, 'base64');
    changed[0] = (changed[0] ?? 0) ^ 1;
    expect(await open(id, changed.toString('base64'), nonce)).toBe('22023');
    expect(await open('00000000-0000-4000-8000-000000000000', sealed, nonce)).toBe('22023');
    expect(await open(id, sealed, nonce.replace(/^../, nonce.startsWith('00') ? '01' : '00'))).toBe('22023');
    expect(await open(id, 'eA==', nonce)).toBe('22023');
    expect(await open(id, sealed, nonce, other)).toBe('22023');
  });

  it('is readable in a copy of the app, with the key of the copy, and stays so when the source is gone', async () => {
    const copy = await createApp(node, { from: app.ref, ref: uniqueRef('vault-copy') });
    const read = `select decrypted_secret from vault.decrypted_secrets where name = 'phrase'`;
    expect(await asOwner(read, copy)).toEqual([{ decrypted_secret: secret }]);
    const roles = await withClient(await superuserUrl(node, 'postgres'), (client) =>
      client.query(
        'select rolpassword, rolconnlimit, rolvaliduntil < now() as expired from pg_authid where rolname = any ($1)',
        [[app, copy].map(({ ref }) => `app_${ref}_vault`)],
      ),
    );
    expect(roles.rows).toMatchObject([
      { rolconnlimit: 0, expired: true },
      { rolconnlimit: 0, expired: true },
    ]);
  });
});
