import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { runAsAuthAdmin } from './run-as-auth-admin.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('run-as-auth-admin', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

/**
 * SQL that returns how often this connection has executed the prepared statement of this SQL, including this execution.
 */
const plans = `select p.generic_plans + p.custom_plans from pg_catalog.pg_prepared_statements p
  where p.statement like '%-- counted%' -- counted`;

it('runAsAuthAdmin prepares its statements once per connection, so that PostgreSQL does not plan each call of /auth/v1', async () => {
  const run = async () => (await runAsAuthAdmin(app.database, [[plans, []]]))[0]?.rows[0]?.[0]?.toString();
  for (let i = 0; i < 3; i++) await run();
  expect(Number(await run())).toBeGreaterThanOrEqual(2);
});

it('runAsServerRole prepares its statements once per connection too', async () => {
  const text = plans.replaceAll('counted', 'as the server');
  const run = async () =>
    (await runAsServerRole(app.serverDatabase, [{ text, params: [] }]))[0]?.rows[0]?.[0]?.toString();
  for (let i = 0; i < 3; i++) await run();
  expect(Number(await run())).toBeGreaterThanOrEqual(2);
});
