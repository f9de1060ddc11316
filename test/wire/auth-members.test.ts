import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash as argon2 } from '@node-rs/argon2';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { MemberImport, RefusedRecord } from '../../contract/member-imports.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { cli } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const node = inject('node');
const password = 'correct horse';

let folder: string;
beforeAll(async () => {
  folder = await makeTestFolder('imports');
});

/** Imports a file with `ninefold members import`. */
async function importFile(app: AppConnection, name: string, text: string, ...options: string[]) {
  const file = join(folder, name);
  await writeFile(file, text);
  const run = await cli(node, ['members', 'import', app.ref, file, ...options, '--json']);
  const report = run.code === 0 ? (JSON.parse(run.stdout) as MemberImport & { refusals: RefusedRecord[] }) : null;
  return { ...run, report };
}

const signIn = (app: AppConnection, email: string, given = password) =>
  clientOf(app).auth.signInWithPassword({ email, password: given });

const column = async (app: AppConnection, sql: string) =>
  (await runSql(node, app.ref, sql)).results.at(-1)?.rows.map(([value]) => value);

describe('ninefold members import', () => {
  it('imports a CSV file, verifies its hashes, and replaces each one at the first sign-in', async () => {
    const app = await createApp(node);
    const hashes = [
      (await bcrypt(password, 4)).replace('$2b$', '$2y$'),
      await argon2(password, { memoryCost: 4096, timeCost: 3 }),
      'pbkdf2_sha256$1000$seasalt$mQnueSakb748zqBAC1tmWVZsZbi2zPGZarEzTGdfmso=',
    ];
    const rows = hashes.map((hash, i) => `m${i}@example.com,"${hash}",true,"Person ""${i}"""`);
    const file = [
      'email,password_hash,email_confirmed,name',
      ...rows,
      'nobody,,true,',
      'm0@example.com,,true,twice',
      'costly@example.com,$2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy,true,',
      '"unconfirmed@example.com",,,"two\nlines"',
    ].join('\n');
    const { report, stderr } = await importFile(app, 'members.csv', file, '--from', 'csv');
    expect(stderr).toBe('');
    expect(report).toMatchObject({ state: 'done', read: 7, imported: 4, present: 0, refused: 3 });
    expect(report?.hashes).toEqual([
      { algorithm: 'argon2', milliseconds: 12, accounts: 1, is_costly: false },
      { algorithm: 'bcrypt', milliseconds: 1, accounts: 1, is_costly: false },
      { algorithm: 'pbkdf2', milliseconds: 1, accounts: 1, is_costly: false },
    ]);
    expect(report?.refusals).toEqual([
      { line: 5, subject: 'nobody', reason: 'the address is not valid' },
      { line: 6, subject: 'm0@example.com', reason: 'line 2 has the same address' },
      { line: 7, subject: 'costly@example.com', reason: expect.stringContaining('password hash') },
    ]);
    for (const i of hashes.keys()) {
      expect((await signIn(app, `m${i}@example.com`, 'wrong')).error?.code).toBe('invalid_credentials');
      const { data, error } = await signIn(app, `m${i}@example.com`);
      expect(error).toBeNull();
      expect(data.user).toMatchObject({
        user_metadata: { full_name: `Person "${i}"` },
        app_metadata: { provider: 'email', providers: ['email'] },
        identities: [{ provider: 'email' }],
      });
    }
    const counts = await column(
      app,
      `select count(*) from auth.users where encrypted_password like '$argon2id$v=19$m=19456,t=2,p=1$%'`,
    );
    expect(counts).toEqual(['3']);
    const again = await importFile(app, 'members.csv', file, '--from', 'csv');
    expect(again.report).toMatchObject({ imported: 0, present: 4 });
    expect(await column(app, 'select count(*) from auth.users')).toEqual(['4']);
  });

  it('imports a dump of a Supabase project with its identities', async () => {
    const app = await createApp(node);
    const [ada, grace] = ['0b3e6c5e-8f59-4a53-a8a2-0d8f1a6f2f11', '5a0c1f4e-9f0a-4c55-8a7e-7a4a6f6d9b22'];
    const hash = await bcrypt(password, 4);
    const dump = [
      'SET statement_timeout = 0;',
      'COPY "auth"."audit_log_entries" ("id") FROM stdin;',
      'x',
      '\\.',
      'COPY auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, is_anonymous) FROM stdin;',
      `\\N\t${ada}\tauthenticated\tauthenticated\tada@example.com\t${hash}\t2024-01-02 03:04:05.678+00\t{"provider": "email", "providers": ["email"], "plan": "pro"}\t{"full_name": "Ada \\\\"L\\\\"", "bio": "a\\\\tb"}\t2024-01-01 00:00:00+00\tf`,
      `\\N\t${grace}\tauthenticated\tauthenticated\tgrace@example.com\t\\N\t2024-01-02 03:04:05+00\t{"provider": "google", "providers": ["google"]}\t{}\t2024-01-01 00:00:00+00\tf`,
      'too\tshort',
      '\\.',
      'COPY auth.identities (provider_id, user_id, identity_data, provider) FROM stdin;',
      `${ada}\t${ada}\t{"sub": "${ada}", "email": "ada@example.com"}\temail`,
      `1234\t${grace}\t{"sub": "1234", "email": "grace@example.com"}\tgoogle`,
      '\\.',
    ].join('\n');
    const { report, stderr } = await importFile(app, 'dump.sql', dump, '--from', 'supabase');
    expect(stderr).toBe('');
    expect(report).toMatchObject({ imported: 2, refused: 1 });
    const { data } = await signIn(app, 'ada@example.com');
    expect(data.user).toMatchObject({
      id: ada,
      created_at: '2024-01-01T00:00:00.000000Z',
      user_metadata: { full_name: 'Ada "L"', bio: 'a\tb' },
      app_metadata: { plan: 'pro' },
    });
    expect(await column(app, `select provider || ':' || provider_id from auth.identities order by 1`)).toEqual([
      `email:${ada}`,
      'google:1234',
    ]);
  });

  it('imports exports of Firebase and Auth0', async () => {
    const app = await createApp(node);
    const users = [
      {
        localId: 'fb1',
        email: 'fire@example.com',
        emailVerified: true,
        passwordHash: 'lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==',
        salt: '42xEC-ixf3L2lw==',
        displayName: 'Fire',
        createdAt: '1700000000000',
        providerUserInfo: [{ providerId: 'google.com', rawId: '42', email: 'fire@example.com' }],
      },
      { localId: 'fb2', phoneNumber: '+491701234567', disabled: true, providerUserInfo: [] },
      { email: 'no-id@example.com' },
    ];
    const config = join(folder, 'hash-config.txt');
    await writeFile(
      config,
      `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`,
    );
    const file = JSON.stringify({ users }, null, 2);
    const options = ['--from', 'firebase', '--hash-config', config];
    const { report, stderr } = await importFile(app, 'users.json', file, ...options);
    expect(stderr).toBe('');
    expect(report).toMatchObject({ imported: 2, refused: 1 });
    const { data, error } = await signIn(app, 'fire@example.com', 'user1password');
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      user_metadata: { full_name: 'Fire' },
      app_metadata: { firebase_uid: 'fb1', providers: ['email', 'google'] },
      created_at: '2023-11-14T22:13:20.000000Z',
    });
    expect((await importFile(app, 'users.json', file, ...options)).report).toMatchObject({ imported: 0, present: 2 });

    const auth0 = [
      { user_id: 'auth0|1', email: 'zero@example.com', email_verified: true, passwordHash: await bcrypt(password, 4) },
      { user_id: 'google-oauth2|77', email: 'g@example.com', email_verified: true, name: 'Gee' },
    ];
    const lines = auth0.map((user) => JSON.stringify(user)).join('\n');
    expect((await importFile(app, 'auth0.ndjson', `${lines}\nnot json\n`, '--from', 'auth0')).report).toMatchObject({
      imported: 2,
      refusals: [{ line: 3, reason: 'the line is no JSON object' }],
    });
    expect((await signIn(app, 'zero@example.com')).error).toBeNull();
    expect(await column(app, `select provider_id from auth.identities where provider = 'google' order by 1`)).toEqual([
      '42',
      '77',
    ]);
  });

  it('imports nothing if a trigger of the app refuses one account, or if the file ends early', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      `create function public.no_bob() returns trigger language plpgsql security definer as $$
         begin if new.email like 'bob%' then raise exception 'no Bobs here'; end if; return new; end $$;
       create trigger no_bob before insert on auth.users for each row execute function public.no_bob()`,
    );
    const csv = 'email\nada@example.com\nbob@example.com\n';
    const refused = await importFile(app, 'bob.csv', csv, '--from', 'csv');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no Bobs here')]);
    const cut = await importFile(
      app,
      'cut.json',
      '{"users": [{"localId": "1", "email": "a@example.com"}, {"loc',
      '--from',
      'firebase',
    );
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('ends before')]);
    expect(await column(app, 'select count(*) from auth.users')).toEqual(['0']);
    await runSql(node, app.ref, 'drop trigger no_bob on auth.users');
    expect((await importFile(app, 'bob.csv', csv, '--from', 'csv')).report).toMatchObject({ imported: 2 });
  });
});
