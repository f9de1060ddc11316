import { afterAll, beforeAll, expect, it } from 'vitest';
import { Meanwhile } from '../../../test/support/meanwhile.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { parseConnectionUrl } from '../../database/connection-config.ts';
import { Pool } from '../../database/pool.ts';
import { plain } from '../../database/statement.ts';
import { databaseSizes } from './database-sizes.ts';

let postgres: TestPostgres;
let pool: Pool;
beforeAll(async () => {
  postgres = await startPostgres('database-sizes');
  pool = new Pool(parseConnectionUrl(postgres.url, 'test'), {
    max: 4,
    idleMilliseconds: 60_000,
    waitMilliseconds: 5000,
  });
  await pool.run([plain('create database kept')]);
});
afterAll(async () => {
  await pool.close();
  await postgres.stop();
});

it('databaseSizes leaves out databases that do not exist', async () => {
  const sizes = await databaseSizes(pool, ['kept', 'nowhere', 'a"; drop database kept']);
  expect([...sizes.keys()]).toEqual(['kept']);
  expect(sizes.get('kept')).toBeGreaterThan(1_000_000);
});

it('databaseSizes omits a database that is deleted during the query, and returns the sizes of the others', async () => {
  await pool.run([plain('create database dropped')]);
  const meanwhile = new Meanwhile(pool, () => pool.run([plain('drop database dropped')]));
  const sizes = await databaseSizes(meanwhile, ['kept', 'dropped']);
  expect(meanwhile.asked).toBe(2);
  expect([...sizes.keys()]).toEqual(['kept']);
});
