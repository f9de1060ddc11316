import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import type { Executor } from '../database/database.ts';
import { issuedToken, useOneTimeToken } from './messages/one-time-tokens.ts';
import { runAsAuthAdmin } from './run-as-auth-admin.ts';
import { exchangeRefreshToken, refreshKey } from './sessions/refresh-tokens.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('written-rows', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const client = { address: '127.0.0.1', userAgent: 'Lynx' };

interface Touched {
  read: number;
  updated: number;
  /** The number of updates whose new row version is on the same page as the old one, so that no index gets an entry. */
  updatedInPlace: number;
}

const COUNTS = `select pg_catalog.array_to_json(array[seq_tup_read + idx_tup_fetch, n_tup_upd, n_tup_hot_upd])
  from pg_stat_xact_user_tables where schemaname = 'auth' and relname = $1`;

/**
 * Runs `work` in a transaction and returns the rows of a table that it read and updated. The counts of PostgreSQL may include
 * earlier transactions of the connection.
 */
const touchedBy = (table: string, work: (database: Executor) => Promise<unknown>): Promise<Touched> =>
  app.database.transaction(async (tx) => {
    const counts = async () => {
      const [result] = await tx.run([{ text: COUNTS, params: [table] }]);
      return JSON.parse(String(result?.rows[0]?.[0])) as number[];
    };
    const before = await counts();
    await work(tx);
    const [read = 0, updated = 0, updatedInPlace = 0] = (await counts()).map((count, i) => count - (before[i] ?? 0));
    return { read, updated, updatedInPlace };
  });

it('exchangeRefreshToken exchanges a refresh token without reading the other tokens of its session, and updates it in place', async () => {
  const { session } = await app.member('correct horse');
  const id = JSON.parse(Buffer.from(session.access_token.split('.')[1] ?? '', 'base64url').toString()).session_id;
  await app.sql(
    `insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
     select 'sha256:earlier-' || g, user_id::text, true, now(), now(), id from auth.sessions, generate_series(1, 3000) g where id = $1`,
    [id],
  );
  await app.sql('analyze auth.refresh_tokens');
  const touched = await touchedBy('refresh_tokens', async (database) => {
    const exchanged = await exchangeRefreshToken(
      database,
      session.refresh_token,
      client,
      app.settings,
      refreshKey(app.keys),
    );
    expect(exchanged.verdict).toBe('granted');
  });
  expect(touched).toEqual({ read: expect.any(Number), updated: 1, updatedInPlace: 1 });
  expect(touched.read).toBeLessThan(10);
});

it('useOneTimeToken updates the account of a member with a proven address in place when a link is used', async () => {
  const { user, email } = await app.member('correct horse');
  const use = { kinds: ['recovery_token'], shown: { token: 'secret' }, validSeconds: 60, bothConfirm: true } as const;
  const useLink = async (database: Executor) =>
    expect(await useOneTimeToken(database, use, client)).toMatchObject({ verdict: 'used' });
  const issue = () =>
    runAsAuthAdmin(app.database, [
      issuedToken(user.id, { kind: 'recovery_token', address: email, token: 'secret', code: '123456' }),
      ['update auth.users set recovery_sent_at = now() where id = $1::uuid', [user.id]],
    ]);
  // The first link also proves the address, which changes the account. So the test counts only the second link.
  await issue();
  await useLink(app.database);
  await issue();
  expect(await touchedBy('users', useLink)).toMatchObject({ updated: 2, updatedInPlace: 2 });
});
