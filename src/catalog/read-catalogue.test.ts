import { afterAll, beforeAll, expect, it } from 'vitest';
import { Meanwhile } from '../../test/support/meanwhile.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { Pool } from '../database/pool.ts';
import { parseTarget } from '../database/target.ts';
import { readCatalogue } from './read-catalogue.ts';

let postgres: TestPostgres;
let pool: Pool;
beforeAll(async () => {
  postgres = await startPostgres('read-catalogue');
  pool = new Pool(parseTarget(postgres.url, 'test'), { max: 4, idleMilliseconds: 60_000, waitMilliseconds: 5000 });
});
afterAll(async () => {
  await pool.close();
  await postgres.stop();
});

it('does not fail because a view is dropped while it is read', async () => {
  await pool.script('create view kept as select 1 as one; create view dropped as select 2 as two');
  const views = `select json_object_agg(c.relname, pg_get_viewdef(c.oid)) from pg_class c
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace`;
  const meanwhile = new Meanwhile(pool, () => pool.script('drop view dropped'));
  const facts = await readCatalogue<{ views: Record<string, string> }>(meanwhile, { views }, 500);
  expect(meanwhile.asked).toBe(2);
  expect(Object.keys(facts.views)).toEqual(['kept']);
});
