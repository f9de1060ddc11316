import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RoleCell, RolesChapter } from '../../../../../contract/specification-roles.ts';
import { members } from '../../../../../test/support/access-matrix/matrix-case.ts';
import { matrixCases } from '../../../../../test/support/access-matrix/matrix-cases.ts';
import {
  makeMatrixSchemas,
  matrixRoles,
  matrixSchemas,
} from '../../../../../test/support/access-matrix/matrix-schemas.ts';
import { type Held, statementsFor, type Try } from '../../../../../test/support/access-matrix/matrix-statements.ts';
import { type AppDatabase, startAppDatabase } from '../../../../../test/support/app-database.ts';
import { type FactOptions, loadFacts } from '../../../../catalog/facts.ts';
import type { Executor } from '../../../../database/database.ts';
import type { Pool } from '../../../../database/pool.ts';
import { Entries } from '../../entries.ts';
import { rolesChapter } from './roles.ts';

const givenRoles = ['anon', 'authenticated', 'service_role', 'agent'];

let database: AppDatabase;
let pool: Pool;
let chapter: RolesChapter;

const derive = async (options: FactOptions): Promise<RolesChapter> =>
  rolesChapter(new Entries(await loadFacts(pool, options)));

beforeAll(async () => {
  database = await startAppDatabase('matrix');
  pool = database.pool;
  await pool.script(matrixRoles);
  await pool.script(attemptsFunction);
  await makeMatrixSchemas(pool);
  chapter = await derive({ exposedSchemas: matrixSchemas, authenticator: 'app_authenticator' });
}, 120_000);

afterAll(async () => {
  await database?.stop();
});

/**
 * The result of one statement: refused, or the number of rows that it reached, and how many rows it could have reached.
 */
interface Attempt {
  sql: string;
  reached: number;
  of: number;
  /** The SQLSTATE with which PostgreSQL refused the statement. */
  sqlstate?: string;
}

const runs = (attempt: Attempt) => attempt.reached > 0;
const runsWhole = (attempt: Attempt) => attempt.reached === attempt.of;

/** Returns true if the attempts agree with the claim of the cell. */
function agrees(cell: RoleCell, attempts: readonly Attempt[]): boolean {
  if (cell.verdict === 'always') return attempts.every(runsWhole);
  if (cell.verdict === 'never') {
    return !attempts.some(runs) && attempts.some(({ sqlstate }) => sqlstate === cell.code);
  }
  return attempts.some(runs) && !attempts.every(runsWhole);
}

/**
 * Returns the claims of a role's calls: the claims of a key, of two members, or of both if a token may name the role.
 */
function claimsOf(role: string): string[] {
  const key = JSON.stringify({ role });
  const sessions = members.map((sub) => JSON.stringify({ role, sub }));
  if (role === 'anon' || role === 'service_role') return [key];
  return role === 'authenticated' ? sessions : [key, ...sessions];
}

/**
 * Runs each statement once for each claims, as the role, and takes each back. `of` is 0 if there was no row to reach.
 * One call of a function does all of this, because thousands of statements are tried.
 */
async function attempts(
  tx: Executor,
  role: string,
  claims: readonly string[],
  tries: readonly Try[],
): Promise<Attempt[]> {
  const text =
    'select * from public.attempts($1, array(select jsonb_array_elements_text($2)), array(select jsonb_array_elements_text($3)))';
  const lists = [claims, tries.map(({ sql }) => sql)].map((list) => JSON.stringify(list));
  const [results] = await tx.run([{ text, params: [role, ...lists] }]);
  return (results?.rows ?? []).map(([number, claim, reached, sqlstate, message]) => {
    const { sql, of } = tries[Number(number) - 1] as Try;
    // A refusal is a result. Any other error is a mistake of the test.
    if (sqlstate !== null && !refusals.has(`${sqlstate}`)) throw new Error(`${sql}: ${sqlstate} ${message}`);
    return {
      sql: `${role} ${claim}: ${sql}`,
      reached: Number(reached),
      of,
      ...(sqlstate && { sqlstate: `${sqlstate}` }),
    };
  });
}

const attempt = async (tx: Executor, role: string, sql: string) =>
  (await attempts(tx, role, ['{}'], [{ sql, of: 1 }]))[0] as Attempt;

/** The function that tries the statements. An error of its own, NF000, takes back what a statement did. */
const attemptsFunction = `
  create function public.attempts(role text, claims text[], statements text[])
    returns table (number int, claim text, reached int8, refusal text, message text) language plpgsql as $$
  declare sql text;
  begin
    foreach sql in array statements loop
      number := coalesce(number, 0) + 1;
      foreach claim in array claims loop
        refusal := null; message := null; reached := 0;
        begin
          perform set_config('request.jwt.claims', claim, true);
          -- A GET runs in a read-only transaction.
          if sql like 'select%' then perform set_config('transaction_read_only', 'on', true); end if;
          perform set_config('role', role, true);
          execute sql;
          get diagnostics reached = row_count;
          raise exception using errcode = 'NF000';
        exception when sqlstate 'NF000' then null;
          when others then reached := 0; refusal := sqlstate; message := sqlerrm;
        end;
        return next;
      end loop;
    end loop;
  end $$`;

/**
 * SQLSTATEs that count as a refusal: insufficient_privilege, not_null_violation, infinite recursion, object not in
 * prerequisite state, a view that cannot be written, the check option of a view, a table whose publication does not
 * fit, a write in a read-only transaction, a value for an identity or generated field.
 */
const refusals = new Set(['42501', '23502', '42P17', '55000', '42809', '44000', '0A000', '42P10', '25006', '428C9']);

async function heldBy(tx: Executor, relation: string, source: string): Promise<Held> {
  const [fields, ids] = await tx.run([
    {
      text: 'select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum',
      params: [relation],
    },
    { text: `select to_jsonb(r) ->> 'id' from ${source} r order by 1`, params: [] },
  ]);
  const values = (ids?.rows ?? []).map(([id]) => id?.toString());
  return {
    fields: (fields?.rows ?? []).map(([name]) => name?.toString() ?? ''),
    ids: values.filter((id) => id !== undefined),
    rows: values.length,
  };
}

/** Returns the cells that the attempts contradict, each with its attempts. */
async function lies(cells: readonly RoleCell[], rowsOf?: string): Promise<string[]> {
  const found: string[] = [];
  const known = new Map<string, Held>();
  const done = new Error('taken back');
  try {
    await pool.transaction(async (tx) => {
      for (const cell of cells) {
        const held = known.get(cell.entity) ?? (await heldBy(tx, cell.entity, rowsOf ?? cell.entity));
        known.set(cell.entity, held);
        const tried = await attempts(tx, cell.role, claimsOf(cell.role), statementsFor(cell, held));
        if (!agrees(cell, tried)) {
          const results = tried
            .map((one) => `    ${one.reached}/${one.of} ${one.sqlstate ?? ''} ${one.sql}`)
            .join('\n');
          found.push(
            `${cell.role} ${cell.operation} ${cell.entity}: ${cell.verdict} ${cell.words} ${cell.code ?? ''} (${cell.reason})\n${results}`,
          );
        }
      }
      throw done;
    });
  } catch (error) {
    if (error !== done) throw error;
  }
  return found;
}

describe('the access matrix', () => {
  it.each(matrixCases.map((one, index) => ({ ...one, schema: matrixSchemas[index] })))(
    'matches the response of PostgreSQL in each cell: $name',
    async ({ schema, roles = givenRoles, rowsOf }) => {
      const prefix = `${schema}.`;
      const cells = chapter.cells.filter(
        (cell) =>
          cell.entity.startsWith(prefix) &&
          cell.entity !== `${prefix}m` &&
          roles.includes(cell.role) &&
          cell.operation !== 'execute',
      );
      expect(cells.length).toBeGreaterThanOrEqual(roles.length * 4);
      expect((await lies(cells, rowsOf && `${prefix}${rowsOf}`)).join('\n')).toBe('');
    },
  );

  it('decides like PostgreSQL which roles may call each function', async () => {
    await pool.script(`create schema calls authorization app_owner; create schema hidden authorization app_owner;
      set role app_owner; grant usage on schema calls to public;
      create function calls.open() returns int language sql as 'select 1';
      create function calls.closed() returns int language sql security definer as 'select 1';
      revoke execute on function calls.closed from public, anon, authenticated, service_role;
      grant execute on function calls.closed to staff;
      create function calls.inlined() returns int language sql as 'select calls.closed()';
      create function calls.kept() returns int language sql stable as 'select calls.closed()';
      create function calls.long() returns int language plpgsql as 'begin return calls.closed(); end';
      create function calls.lent() returns int language sql security definer as 'select calls.closed()';
      create table calls.t (id int); create function calls.counts() returns int8 language sql as 'select count(*) from calls.t';
      create function hidden.away() returns int language sql as 'select 1';`);
    const read = await derive({ exposedSchemas: ['calls', 'hidden'], authenticator: 'app_authenticator' });
    const cells = read.cells.filter((cell) => cell.operation === 'execute');
    expect(cells).toHaveLength(8 * read.roles.length);
    for (const cell of cells) {
      // Each call runs in its own transaction, because PL/pgSQL checks the EXECUTE privilege once in a transaction.
      const tried = await pool.transaction((tx) => attempt(tx, cell.role, `select ${cell.entity}`));
      expect([cell.role, cell.entity, cell.verdict]).toEqual([
        cell.role,
        cell.entity,
        runs(tried) ? 'always' : 'never',
      ]);
    }
  });

  it('finds the privileges that the code of a function needs, also through functions that it calls', async () => {
    const read = 'as long as its code does not read coded.t';
    const code = (rest: string) => `returns int language ${rest}`;
    const functions = [
      [
        'f1()',
        code(`plpgsql as 'declare n int; begin select count(*) into n from coded.t; return n; end'`),
        'never',
        '',
      ],
      ['f2(a int)', code(`sql as 'select id from coded.t where id = a'`), 'never', '', '(1)'],
      ['f3(a int)', code(`sql strict as 'select id from coded.t where id = a'`), 'when', read, '(1)', '(null)'],
      [
        'f4(a bool)',
        code(`plpgsql as 'begin if a then perform 1 from coded.t; end if; return 1; end'`),
        'when',
        read,
        '(true)',
        '(false)',
      ],
      [
        'f5(a bool)',
        code(`sql stable as 'select case when a then coded.f1() else 0 end'`),
        'when',
        read,
        '(true)',
        '(false)',
      ],
      [
        'f6()',
        code(`plpgsql as 'begin perform 1 from coded.t; return 1; exception when others then return 2; end'`),
        'when',
        read,
      ],
      ['f7()', code(`plpgsql as 'begin insert into coded.t values (1); return 1; end'`), 'never', ''],
      [
        'f8()',
        code(`plpgsql as 'begin execute ''sel'' || ''ect''; return 1; end'`),
        'when',
        'as the SQL that its code builds allows',
      ],
      ['f9()', code(`plpgsql stable as 'begin perform 1 from coded.open for update; return 1; end'`), 'never', ''],
      ['f10()', code(`sql stable as 'with w as (delete from coded.open returning 1) select 1'`), 'never', ''],
      [
        'f11()',
        code(`plpgsql stable as 'begin perform coded.f12(false); return 1; end'`),
        'when',
        'as long as its code does not write',
      ],
      [
        'f12(a bool)',
        code(`plpgsql as 'begin if a then delete from coded.open; end if; return 1; end'`),
        'always',
        '',
        '(false)',
      ],
      [
        'f13()',
        code(`sql as 'select count(*)::int from coded.t'; alter function coded.f13 set role = 'service_role'`),
        'always',
        '',
      ],
      ['f15()', code(`sql as 'truncate coded.open; select 1'`), 'never', ''],
      [
        'f16(a bool)',
        code(`plpgsql as 'begin if a then truncate coded.open; end if; return 1; end'`),
        'when',
        'as long as its code does not truncate coded.open',
        '(true)',
        '(false)',
      ],
      [
        'f17()',
        code(`plpgsql as 'begin create temp table x (id int); insert into x select 1; return 1; end'`),
        'never',
        '',
      ],
      ['f18()', code(`plpgsql as 'begin create table coded.x (id int); return 1; end'`), 'never', ''],
      ['f19()', code(`plpgsql as 'begin alter table coded.open add x int; return 1; end'`), 'never', ''],
      ['f20()', code(`plpgsql security definer as 'begin truncate coded.open; return 1; end'`), 'always', ''],
      ['f21()', code(`plpgsql as 'begin perform coded.f22(); return 1; end'`), 'never', ''],
      ['f22()', code(`plpgsql stable as 'begin insert into coded.open values (1); return 1; end'`), 'never', ''],
      [
        'f23(a bool)',
        code(`plpgsql as 'begin if a then raise exception ''no'' using errcode = ''42501''; end if; return 1; end'`),
        'when',
        'unless its code raises “no” (42501)',
        '(true)',
        '(false)',
      ],
      [
        'f24(a bool)',
        code(`sql as 'select coded.f23(a)'`),
        'when',
        'unless its code raises “no” (42501)',
        '(true)',
        '(false)',
      ],
      ['f14()', code(`sql set search_path = coded as 'select count(*)::int from t'`), 'never', ''],
    ] as const;
    await pool.script(`create schema coded authorization app_owner; set role app_owner; grant usage on schema coded to public;
      create table coded.t (id int); create table coded.open (id int); grant all on coded.open to anon; revoke truncate on coded.open from anon; grant select on coded.t to service_role;
      ${functions.map(([signature, rest]) => `create function coded.${signature} ${rest};`).join('\n')}`);
    const derived = await derive({ exposedSchemas: ['coded'], authenticator: 'app_authenticator' });
    for (const [signature, , verdict, words, ...calls] of functions) {
      const [name = ''] = signature.split('(');
      const cell = derived.cells.find(({ role, entity }) => role === 'anon' && entity.startsWith(`coded.${name}(`));
      expect({ name, verdict: cell?.verdict, words: cell?.words }).toEqual({ name, verdict, words });
      const tried: boolean[] = [];
      for (const call of calls.length > 0 ? calls : ['()']) {
        // The statement does not begin with SELECT, because `attempt` would run a SELECT in a read-only transaction,
        // and a POST may write.
        const sql = `with called as (select coded.${name}${call}) select * from called`;
        tried.push(runs(await pool.transaction((tx) => attempt(tx, 'anon', sql))));
      }
      if (verdict !== 'when') expect([name, ...tried]).toEqual([name, ...tried.map(() => verdict === 'always')]);
      if (calls.length > 1) expect([name, ...tried]).toEqual([name, false, true]);
    }
  });

  it('names the right field for a trigger on a partition whose fields are in another order than those of its table', async () => {
    await pool.script(`create schema turned authorization app_owner; set role app_owner; grant usage on schema turned to public;
      set search_path = turned;
      create function f(int) returns boolean language plpgsql as 'begin return true; end';
      create function h() returns trigger language plpgsql as 'begin return new; end';
      revoke execute on function f from public, anon, authenticated, service_role;
      create table t (a int, b int, status text) partition by list (status); create table t1 (status text, b int, extra int, a int);
      alter table t1 drop extra; alter table t attach partition t1 default; grant all on t to anon;
      insert into t values (1, 2, 'open');
      create trigger g before update of a on t1 for each row when (f(old.a)) execute function h()`);
    const { cells } = await derive({ exposedSchemas: ['turned'], authenticator: 'app_authenticator' });
    const cell = cells.find(({ role, operation }) => role === 'anon' && operation === 'update');
    expect(cell?.words).toBe('of rows in turned.t1 without a change of a');
    await pool
      .transaction(async (tx) => {
        expect(await attempt(tx, 'anon', 'update turned.t set a = 3')).toMatchObject({ reached: 0 });
        expect(await attempt(tx, 'anon', 'update turned.t set b = 3')).toMatchObject({ reached: 1 });
        throw new Error('taken back');
      })
      .catch((error: Error) => {
        if (error.message !== 'taken back') throw error;
      });
  });

  it('marks the roles that no call can have', async () => {
    const first = matrixSchemas.slice(0, 1);
    await pool.script(`create role app_other_authenticator login noinherit; grant anon to app_other_authenticator;
      create role outsider; grant select on all tables in schema ${first} to outsider;`);
    const read = await derive({ exposedSchemas: first, authenticator: 'app_other_authenticator' });
    expect(read.roles.map((role) => role.name)).toEqual(['anon', 'authenticated', 'service_role']);
    const verdicts = (role: string) =>
      new Set(read.cells.filter((cell) => cell.role === role).map((cell) => cell.verdict));
    expect(verdicts('anon')).toEqual(new Set(['always']));
    expect(verdicts('authenticated')).toEqual(new Set(['never']));
  });

  it('matches PostgreSQL for foreign tables: a role without a user mapping gets the error 42704', async () => {
    await pool.script(`create extension postgres_fdw; create schema far; grant usage on schema far to anon, authenticated;
      create server elsewhere foreign data wrapper postgres_fdw options (host '127.0.0.1', port '1', connect_timeout '2');
      create user mapping for authenticated server elsewhere options (user 'nobody', password 'none');
      create foreign table far.things (id int) server elsewhere; grant select on far.things to anon, authenticated`);
    const derived = await derive({ exposedSchemas: ['far'], authenticator: 'app_authenticator' });
    const cellOf = (role: string) =>
      derived.cells.find((one) => one.role === role && one.operation === 'select' && one.entity === 'far.things');
    expect(cellOf('anon')).toMatchObject({
      ...{ verdict: 'never', code: '42704' },
      reason: 'the role has no user mapping on the server of the foreign table (42704)',
    });
    expect(cellOf('authenticated')).toMatchObject({ verdict: 'always' });
    const asked = pool.script('set role anon; select * from far.things');
    await expect(asked).rejects.toMatchObject({ sqlstate: '42704' });
    await pool.script('drop extension postgres_fdw cascade; drop schema far cascade');
  });
});
