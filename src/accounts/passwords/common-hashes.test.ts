import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { commonDecoys } from './common-hashes.ts';
import { decoyHash, ourScheme } from './passwords.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('common-hashes', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const bcryptHash = (cost: string) => `$2a$${cost}$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy`;

const insert = (hash: string, count: number) =>
  app.sql(
    `insert into auth.users (id, email, encrypted_password)
     select gen_random_uuid(), gen_random_uuid() || '@example.com', $1 from generate_series(1, $2::integer)`,
    [hash, String(count)],
  );
const sampleAnew = () => {
  app.commonHashes.discard();
  return commonDecoys(app);
};
const own = decoyHash(ourScheme);

it('commonDecoys returns one hash for each scheme and cost that at least one in a hundred accounts uses, and one for the current scheme', async () => {
  expect(await sampleAnew()).toEqual([own]);
  await insert(bcryptHash('10'), 1000);
  await insert(bcryptHash('08'), 20);
  await insert(bcryptHash('07'), 5);
  await insert('$1$unknown', 5000);
  await insert('', 50);
  expect(await sampleAnew()).toEqual([own, decoyHash('$2b$10$'), decoyHash('$2b$08$')]);
});

it('commonDecoys leaves out a hash scheme that is too expensive to verify for each guess of a stranger', async () => {
  await insert(bcryptHash('20'), 2000);
  expect(await sampleAnew()).toEqual([own, decoyHash('$2b$10$')]);
});

it('commonDecoys reads only a sample of a large table', async () => {
  await insert(bcryptHash('10'), 30_000);
  await app.sql('analyze auth.users');
  expect(await sampleAnew()).toContain(decoyHash('$2b$10$'));
});

it('commonDecoys returns the previous sample at once while it takes the next one', async () => {
  const previous = await sampleAnew();
  await insert(bcryptHash('09'), 3000);
  const later = performance.now() + limits.commonHashSeconds.default * 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => later);
  expect(await commonDecoys(app)).toEqual(previous);
  await vi.waitFor(async () => expect(await commonDecoys(app)).toContain(decoyHash('$2b$09$')));
  vi.restoreAllMocks();
});
