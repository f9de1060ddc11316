import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { type AppDatabase, startAppDatabase } from '../../../../../test/support/app-database.ts';
import { loadFacts } from '../../../../catalog/facts.ts';
import type { Pool } from '../../../../database/pool.ts';
import { plain } from '../../../../database/statement.ts';
import { allEntities } from './entities.ts';

/** Views and their expected keys. */
const views: readonly { what: string; sql: string; key: readonly string[] }[] = [
  { what: 'all fields of a table', sql: 'create view v as select * from t', key: ['id'] },
  { what: 'a renamed key', sql: 'create view v as select note, id as number from t', key: ['number'] },
  { what: 'a key that is selected twice', sql: 'create view v as select id as one, id as two from t', key: ['one'] },
  {
    what: 'some rows of a table',
    sql: 'create view v as select id from t where note is not null order by note',
    key: ['id'],
  },
  { what: 'no key field', sql: 'create view v as select note from t', key: [] },
  { what: 'an expression over a key', sql: 'create view v as select id % 2 as id from t', key: [] },
  { what: 'a composite key', sql: 'create view v as select b, a from p', key: ['b', 'a'] },
  { what: 'one field of a composite key', sql: 'create view v as select a from p', key: [] },
  {
    what: 'a view of a view',
    sql: 'create view w as select id as i from t; create view v as select i as j from w',
    key: ['j'],
  },
  { what: 'a join, which repeats rows', sql: 'create view v as select t.id, p.b from t join p on p.a = t.id', key: [] },
  {
    what: 'an outer join',
    sql: 'create view v as select t.id, p.b from p left join t on p.b = t.id',
    key: [],
  },
  {
    what: 'a set-returning function, which repeats rows',
    sql: 'create view v as select id, generate_series(1, 2) from t',
    key: [],
  },
  { what: 'a union', sql: 'create view v as select id from t union all select id from t', key: [] },
  { what: 'GROUP BY', sql: 'create view v as select id, count(*) from t group by id', key: [] },
  {
    what: 'a join with rules for writes',
    sql: `create view v as select t.id, p.b from t join p on p.a = t.id; create rule d as on delete to v do instead delete from t where id = old.id;
      create rule u as on update to v do instead update t set id = new.id where id = old.id; create rule i as on insert to v do instead insert into t values (new.id)`,
    key: [],
  },
  {
    what: 'a view of a join with rules for writes',
    sql: `create view w as select t.id, p.b from t join p on p.a = t.id; create rule d as on delete to w do instead delete from t where id = old.id;
      create rule u as on update to w do instead update t set id = new.id where id = old.id; create rule i as on insert to w do instead insert into t values (new.id);
      create view v as select id from w`,
    key: [],
  },
  {
    what: 'a view with an INSTEAD OF trigger',
    sql: `create view v as select t.id, p.b from t join p on p.a = t.id;
      create trigger g instead of delete on v for each row execute function public.nothing()`,
    key: [],
  },
  { what: 'a materialized view', sql: 'create materialized view v as select id from t', key: [] },
];

const schemaOf = (index: number): string => `case_${index}`;

let database: AppDatabase;
let owner: Pool;
let entities: readonly Entity[];

beforeAll(async () => {
  database = await startAppDatabase('view-keys');
  owner = database.as('app_owner');
  await owner.script(`create function public.nothing() returns trigger language plpgsql as 'begin return null; end'`);
  for (const [i, { sql }] of views.entries()) {
    await owner.script(`create schema ${schemaOf(i)}; set search_path = ${schemaOf(i)}; create table t (id int primary key, note text);
      create table p (a int, b int, primary key (b, a)); insert into t values (1, 'x'), (2, null); insert into p values (1, 1), (1, 3); ${sql}`);
  }
  entities = allEntities(
    await loadFacts(owner, { exposedSchemas: views.map((_, i) => schemaOf(i)), authenticator: 'app_authenticator' }),
  );
}, 60_000);
afterAll(() => database?.stop());

describe('primary_key of a view', () => {
  it.each(views.map((view, i) => ({ ...view, id: `${schemaOf(i)}.v` })))(
    'names only fields that identify one row, for a view of $what',
    async ({ id, key }) => {
      const entity = entities.find((one) => one.id === id);
      expect(entity?.primary_key).toEqual(key);
      if (key.length === 0) return;
      const [rows] = await owner.run([
        plain(`select count(*) from ${id} group by ${key.join()} having count(*) > 1 or (${key.join()}) is null`),
      ]);
      expect(rows?.rows).toEqual([]);
    },
  );
});
