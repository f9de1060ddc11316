import { hash as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { type AuthApp, authSeed, type CallOptions, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { areDistinguishable, timeOf } from '../../../test/support/timing.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-sign-in', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(async () => {
  app.reset();
  await app.database.run([
    { text: `select set_config('role', 'supabase_auth_admin', true)`, params: [] },
    { text: 'delete from ninefold.sign_in_failures', params: [] },
  ]);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const password = 'correct horse';

const signIn = (email: string, secret: string, options: CallOptions = {}) =>
  app.ask('POST', '/token?grant_type=password', { ...options, body: { email, password: secret } });

describe('POST /token?grant_type=password', () => {
  it('gives a wrong password and an unknown address the same response after the same time', async () => {
    const { email } = await app.member(password);
    const answers = new Set<string>();
    const fail = (address: string, i: number) =>
      timeOf(async () => {
        const { status, body } = await signIn(address, 'wrong', { address: `198.51.100.${i}` });
        answers.add(JSON.stringify([status, body]));
      });
    const times: [number, number][] = [];
    for (let i = 0; i < 12; i++) times.push([await fail(email, i), await fail(uniqueEmail(), i)]);
    expect([...answers]).toEqual(['[400,{"code":"invalid_credentials","message":"Invalid login credentials"}]']);
    expect(areDistinguishable(times), JSON.stringify(times)).toBe(false);
  });

  it('refuses a sign-in with 429 and without a query while the queue of password hashes is full', async () => {
    const { email } = await app.member(password);
    const places = limits.concurrentPasswordHashes.default + limits.passwordHashesWaiting.default;
    const hashes = Array.from({ length: places }, () => app.passwords.hash(password));
    const run = vi.spyOn(app.database, 'run');
    const { status, headers } = await signIn(email, password);
    expect([status, headers['retry-after'], run.mock.calls]).toEqual([429, '1', []]);
    expect(headers).toMatchObject({
      'ratelimit-policy': `"passwordHashesWaiting";q=${limits.passwordHashesWaiting.default};qu="concurrent-requests"`,
      ratelimit: '"passwordHashesWaiting";r=0;t=1',
    });
    run.mockRestore();
    await Promise.all(hashes);
    expect((await signIn(email, password)).status).toBe(200);
  });

  it('refuses every kind of account after the same time if some have imported bcrypt hashes', async () => {
    const insert = async (column: string, value: string | null, hash: string | null) => {
      const email = uniqueEmail();
      await app.sql(
        `insert into auth.users (id, email, encrypted_password, email_confirmed_at, ${column})
         values (gen_random_uuid(), $1, $2, now(), $3)`,
        [email, hash, value] as string[],
      );
      return email;
    };
    const bcryptHash = await bcrypt(password, 10);
    const argonHash = await app.passwords.hash(password);
    const kinds = {
      unknown: uniqueEmail(),
      own: (await app.member(password)).email,
      imported: await insert('phone', null, bcryptHash),
      'without a password': await insert('phone', null, null),
      'of an unknown hash': await insert('phone', null, '$1$salt$hash'),
      banned: await insert('banned_until', '2999-01-01', bcryptHash),
      deleted: await insert('deleted_at', '2020-01-01', argonHash),
    };
    app.commonHashes.discard();
    const rounds: Record<string, number>[] = [];
    for (let round = 0; round < 10; round++) {
      const times: Record<string, number> = {};
      for (const [kind, email] of Object.entries(kinds)) {
        times[kind] = await timeOf(async () => {
          expect((await signIn(email, 'wrong', { address: `198.51.${round}.1` })).status).toBe(400);
        });
      }
      rounds.push(times);
    }
    await app.sql('delete from auth.users where encrypted_password = any ($1::text[])', [
      `{"${bcryptHash}","${argonHash}"}`,
    ]);
    app.commonHashes.discard();
    const reported = Object.keys(kinds).filter((kind) =>
      areDistinguishable(rounds.map((times) => [times[kind] ?? 0, times.unknown ?? 0])),
    );
    expect(reported, JSON.stringify(rounds)).toEqual([]);
  }, 180_000);

  it('accepts an imported hash once and replaces it', async () => {
    const email = uniqueEmail();
    await app.sql(
      'insert into auth.users (id, email, encrypted_password, email_confirmed_at) values (gen_random_uuid(), $1, $2, now())',
      [email, await bcrypt(password, 4)],
    );
    expect((await signIn(email, password)).status).toBe(200);
    const [row] = await app.sql('select encrypted_password from auth.users where email = $1', [email]);
    expect(row?.encrypted_password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await signIn(email, password)).status).toBe(200);
  });

  it('finds an address that a seed wrote in another letter case', async () => {
    const email = uniqueEmail('Seeded');
    await app.sql(
      `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1,
         extensions.crypt($2, extensions.gen_salt('bf', 4)), now(), now(), now())`,
      [email, password],
    );
    const { data, error } = await app.client().auth.signInWithPassword({ email, password });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, app_metadata: {}, user_metadata: {}, identities: [] });
  });

  it('reveals a ban only to a caller who knows the password', async () => {
    const { email, user } = await app.member(password);
    await app.sql(`update auth.users set banned_until = 'infinity' where id = $1`, [user.id]);
    expect((await signIn(email, 'wrong')).body.code).toBe('invalid_credentials');
    expect(await signIn(email, password)).toMatchObject({ status: 400, body: { code: 'user_banned' } });
  });

  it('never accepts a password for an account without one', async () => {
    const email = uniqueEmail();
    await app.sql(
      `insert into auth.users (id, email, encrypted_password, email_confirmed_at) values (gen_random_uuid(), $1, '', now())`,
      [email],
    );
    for (const secret of ['', 'x', '$argon2id$']) {
      expect((await signIn(email, secret)).body.code).toBe('invalid_credentials');
    }
  });

  it.each([
    ['/token', {}, 'invalid_credentials', 400],
    ['/token?grant_type=pkce', {}, 'validation_failed', 400],
    ['/token?grant_type=password', {}, 'validation_failed', 400],
    ['/token?grant_type=password', { email: 'a@b.c', phone: '+491701234567', password }, 'validation_failed', 400],
    ['/token?grant_type=password', { phone: '+491701234567', password }, 'phone_provider_disabled', 422],
    ['/token?grant_type=password', { email: "' or 1=1 --", password }, 'invalid_credentials', 400],
    ['/token?grant_type=password', { email: 'a@b.c', password: 'x'.repeat(2000) }, 'validation_failed', 400],
    ['/token?grant_type=password', { email: 'a@b.c', password: ['x'] }, 'bad_json', 400],
  ])('refuses %s %j with %s', async (path, body, code, status) => {
    expect(await app.ask('POST', path, { body })).toMatchObject({ status, body: { code } });
  });

  it('returns weak_password for a password that has become too short', async () => {
    const { email } = await app.member(password);
    app.settings = { ...app.settings, password_min_length: 40 };
    const { data } = await app.client().auth.signInWithPassword({ email, password });
    expect(data.weakPassword ?? (data as { weak_password?: unknown }).weak_password).toMatchObject({
      reasons: ['length'],
    });
  });
});

describe('the limits of sign-in', () => {
  const perAddress = 12;
  const perAccount = 8;
  beforeEach(() => {
    app.settings = {
      ...app.settings,
      rate_limit_sign_in_address: perAddress,
      rate_limit_sign_in_account: perAccount,
    };
  });
  /** The part of an account's limit that all unknown networks share. The other quarter is reserved. */
  const open = perAccount - perAccount / 4;
  const rateLimited = { status: 429, body: { code: 'over_request_rate_limit' } };

  const asAdmin = async (text: string) => {
    const become = { text: `select set_config('role', 'supabase_auth_admin', true)`, params: [] };
    const results = await app.database.run([become, { text, params: [] }]);
    return results[1]?.rows ?? [];
  };
  /** Moves all counters `seconds` into the past. */
  const pass = (seconds: number) =>
    asAdmin(`update ninefold.sign_in_failures set
      attempts = array(select a - interval '${seconds} seconds' from unnest(attempts) a),
      pending = array(select a - interval '${seconds} seconds' from unnest(pending) a),
      reserved_at = reserved_at - interval '${seconds} seconds', keep_until = keep_until - interval '${seconds} seconds'`);
  /** Returns an address of another network for each number. */
  const network = (i: number) => `192.0.${i >> 8}.${i & 255}`;
  const statuses = (answers: readonly { status: number }[]) => ({
    checked: answers.filter(({ status }) => status !== 429).length,
    refused: answers.filter(({ status }) => status === 429).length,
  });
  const hashes = () => app.events.filter((event) => event.type === 'auth' && event.what === 'sign-in-failed').length;

  it('refuse an address after its failed sign-ins, but do not refuse other addresses', async () => {
    const { email } = await app.member(password);
    for (let i = 0; i < perAddress; i++) await signIn(uniqueEmail(), 'wrong', { address: '203.0.113.1' });
    const refused = await signIn(email, password, { address: '203.0.113.1' });
    expect(refused).toMatchObject(rateLimited);
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(limits.signInWindowSeconds.default - 60);
    expect(wait).toBeLessThanOrEqual(limits.signInWindowSeconds.default);
    const seconds = limits.signInWindowSeconds.default;
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': `"rate_limit_sign_in_address";q=${perAddress};w=${seconds}`,
      ratelimit: `"rate_limit_sign_in_address";r=0;t=${wait}`,
    });
    expect((await signIn(email, password, { address: '203.0.113.2' })).status).toBe(200);
    const guessed = uniqueEmail();
    for (let i = 0; i < perAccount; i++) await signIn(guessed, 'wrong', { address: network(i) });
    expect((await signIn(guessed, 'wrong', { address: network(300) })).headers['ratelimit-policy']).toBe(
      `"rate_limit_sign_in_account";q=${perAccount};w=${seconds}`,
    );
  });

  it('count all addresses in the same IPv6 /64 as one address', async () => {
    for (let i = 0; i < perAddress; i++) await signIn(uniqueEmail(), 'wrong', { address: `2001:db8::${i}` });
    expect(await signIn(uniqueEmail(), 'wrong', { address: '2001:db8::ffff:1' })).toMatchObject(rateLimited);
    expect((await signIn(uniqueEmail(), 'wrong', { address: '2001:db8:0:1::1' })).status).toBe(400);
  });

  it.each([
    ['one address', () => '198.51.100.1', open],
    ['as many addresses', network, open + 1],
  ])('limit the checks of 100 parallel wrong passwords for one account from %s', async (_, from, max) => {
    const email = uniqueEmail();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => signIn(email, 'wrong', { address: from(i) })),
    );
    expect(statuses(answers)).toEqual({ checked: max, refused: 100 - max });
    expect(hashes()).toBe(max);
  });

  it('limit the checks of 100 parallel wrong passwords for 100 accounts from one address', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => signIn(uniqueEmail(), 'wrong')));
    expect(statuses(answers)).toEqual({ checked: perAddress, refused: 100 - perAddress });
    expect(hashes()).toBe(perAddress);
  });

  it('refuse the right password if many wrong ones arrive at the same time', async () => {
    const { email } = await app.member(password);
    const wrong = Array.from({ length: 40 }, (_, i) => signIn(email, 'wrong', { address: network(i) }));
    await Promise.race(wrong);
    const right = signIn(email, password, { address: network(40) });
    await Promise.all(wrong);
    expect(await right).toMatchObject(rateLimited);
  });

  it('hold for any window of time, not only for windows with a fixed start', async () => {
    const email = uniqueEmail();
    const window = limits.signInWindowSeconds.default;
    let checked = 0;
    const burst = async (count: number, first: number) => {
      const answers = [];
      for (let i = 0; i < count; i++) answers.push(await signIn(email, 'wrong', { address: network(first + i) }));
      checked += statuses(answers).checked;
    };
    await burst(1, 0);
    await pass(window - 10);
    await burst(30, 1000);
    await pass(20);
    await burst(30, 2000);
    // The first attempt is outside of the window, all others are inside.
    expect(checked - 1).toBeLessThanOrEqual(perAccount);
    expect(checked - 1).toBeGreaterThanOrEqual(open);
  });

  it('count failed sign-ins of unknown addresses like those of existing accounts', async () => {
    const { email } = await app.member(password);
    for (const from of [() => '127.0.0.1', () => '198.51.100.7', network]) {
      const counts: number[] = [];
      for (const tried of [email, uniqueEmail()]) {
        await asAdmin('delete from ninefold.sign_in_failures');
        const answers = [];
        for (let i = 0; i < perAccount + 5; i++) answers.push(await signIn(tried, 'wrong', { address: from(i) }));
        counts.push(statuses(answers).checked);
      }
      expect(counts[0]).toBe(counts[1]);
    }
  });

  it('count every spelling of an address as the same account', async () => {
    const { email } = await app.member(password);
    const ways = [
      email,
      email.toUpperCase(),
      ` ${email}`,
      `${email}\u00a0`,
      `\t${email[0]?.toUpperCase()}${email.slice(1)}\n`,
    ];
    const answers = [];
    for (let i = 0; i < 20; i++) {
      answers.push(await signIn(ways[i % ways.length] ?? '', 'wrong', { address: '198.51.100.9' }));
    }
    expect(statuses(answers).checked).toBe(open);
  });

  it('do not affect a network from which the member has signed in, whatever strangers do', async () => {
    const { email } = await app.member(password);
    expect((await signIn(email, password, { address: '2001:db8:a::1' })).status).toBe(200);
    for (let i = 0; i < 3 * perAccount; i++) await signIn(email, 'wrong', { address: network(i) });
    expect(await signIn(email, password, { address: '198.51.100.77' })).toMatchObject(rateLimited);
    // One request comes from the network of the sign-up, one from another address in the /64 of an earlier sign-in.
    for (const address of ['127.0.0.1', '2001:db8:a::2']) {
      expect((await signIn(email, password, { address })).status).toBe(200);
    }
  });

  it('refuse a known network after failed sign-ins from that network', async () => {
    const { email } = await app.member(password);
    for (let i = 0; i < open; i++) expect((await signIn(email, 'wrong')).status).toBe(400);
    expect(await signIn(email, password)).toMatchObject(rateLimited);
    expect((await signIn(email, password, { address: '198.51.100.1' })).status).toBe(200);
  });

  it('admit a member with a new device while strangers guess', async () => {
    const { email } = await app.member(password);
    for (let i = 0; i < 3 * perAccount; i++) await signIn(email, 'wrong', { address: network(i % 3) });
    expect(await signIn(email, 'wrong', { address: network(1) })).toMatchObject(rateLimited);
    expect((await signIn(email, password, { address: '198.51.100.1' })).status).toBe(200);
  });

  it('let a new network try again after a part of the window while strangers guess from many networks', async () => {
    const { email } = await app.member(password);
    for (let i = 0; i < 3 * perAccount; i++) await signIn(email, 'wrong', { address: network(i) });
    const refused = await signIn(email, password, { address: '198.51.100.1' });
    expect(refused).toMatchObject(rateLimited);
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeLessThanOrEqual(limits.signInWindowSeconds.default / (perAccount / 4));
    await pass(wait);
    expect((await signIn(email, password, { address: '198.51.100.1' })).status).toBe(200);
  });

  it('do not refuse right passwords that arrive at once, because their checks wait for each other', async () => {
    const { email } = await app.member(password);
    const answers = await Promise.all(Array.from({ length: 2 * perAccount }, () => signIn(email, password)));
    expect(statuses(answers).refused).toBe(0);
    const [row] = await asAdmin(
      'select coalesce(sum(cardinality(attempts) + cardinality(pending)), 0) from ninefold.sign_in_failures',
    );
    expect(String(row?.[0])).toBe('0');
  });

  it('count an attempt as failed after signInPendingSeconds if its worker has ended without a result', async () => {
    const email = uniqueEmail();
    for (let i = 0; i < open; i++) await signIn(email, 'wrong', { address: '198.51.100.1' });
    await asAdmin('update ninefold.sign_in_failures set pending = attempts');
    await pass(limits.signInPendingSeconds.default + 1);
    expect(await signIn(email, 'wrong', { address: '198.51.100.1' })).toMatchObject(rateLimited);
  });

  it('stop counting failures after the window, and then their rows are deleted', async () => {
    const email = uniqueEmail();
    for (let i = 0; i < 20; i++) await signIn(i < 10 ? uniqueEmail() : email, 'wrong', { address: network(i) });
    expect(await signIn(email, 'wrong', { address: network(10) })).toMatchObject(rateLimited);
    await pass(limits.signInWindowSeconds.default + 1);
    expect((await signIn(email, 'wrong', { address: network(10) })).status).toBe(400);
    await pass(limits.signInNewcomerSeconds.default);
    for (let i = 0; i < 4; i++) await signIn(uniqueEmail(), 'wrong', { address: '198.51.100.1' });
    const [left] = await asAdmin('select count(*) from ninefold.sign_in_failures');
    expect(Number(left?.[0])).toBeLessThanOrEqual(5);
  });

  it('store a limited number of networks for each account, and keep the newest', async () => {
    const { email, user } = await app.member(password);
    const max = limits.signInNetworks.default;
    for (let i = 0; i < max + 5; i++) {
      expect((await signIn(email, password, { address: network(i) })).status).toBe(200);
    }
    const [row] = await asAdmin(`select count(*) from ninefold.sign_in_networks where user_id = '${user.id}'`);
    expect(Number(row?.[0])).toBe(max);
    for (let i = 0; i < 3 * perAccount; i++) await signIn(email, 'wrong', { address: network(1000 + i) });
    expect((await signIn(email, password, { address: network(max + 4) })).status).toBe(200);
    expect(await signIn(email, password, { address: network(0) })).toMatchObject(rateLimited);
  });
});
