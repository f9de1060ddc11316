import { Cron } from 'croner';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../test/support/app-database.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { Pool } from '../database/pool.ts';
import { rowsAsText } from '../database/statement.ts';

let database: AppDatabase;
let owner: Pool;

beforeAll(async () => {
  database = await startAppDatabase('schedules');
  owner = database.as('app_owner');
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

async function value(sql: string, params: (string | null)[] = []): Promise<string | null> {
  const [result] = await owner.run([{ text: sql, params }]);
  return (result && rowsAsText(result)[0]?.value) ?? null;
}

const sqlstate = (sql: string): Promise<string> =>
  owner.script(sql).then(
    () => 'done',
    (error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
      return `${error.sqlstate} ${error.message}`;
    },
  );

const next = (schedule: string, since: string) =>
  value(`select to_char(ninefold.next_run($1, $2::timestamptz) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as value`, [
    schedule,
    since,
  ]);

describe('ninefold.next_run', () => {
  it.each<[schedule: string, since: string, run: string | null]>([
    ['* * * * *', '2026-03-01 10:00:00Z', '2026-03-01 10:01:00'],
    ['* * * * *', '2026-03-01 10:00:59.9Z', '2026-03-01 10:01:00'],
    ['*/15 * * * *', '2026-03-01 10:46Z', '2026-03-01 11:00:00'],
    ['*/90 * * * *', '2026-03-01 10:46Z', '2026-03-01 11:00:00'],
    ['0 0 */100 * *', '2026-03-01 10:46Z', '2026-04-01 00:00:00'],
    ['5,10-12 * * * *', '2026-03-01 10:10Z', '2026-03-01 10:11:00'],
    ['10-30/10 22 * * *', '2026-03-01 22:31Z', '2026-03-02 22:10:00'],
    ['30 3 * * 6', '2026-03-01 10:00Z', '2026-03-07 03:30:00'],
    ['0 0 * * 1-5', '2026-03-06 10:00Z', '2026-03-09 00:00:00'],
    ['0 0 * * Mon,WED', '2026-03-01 10:00Z', '2026-03-02 00:00:00'],
    ['0 1 * * 0', '2026-03-02 10:00Z', '2026-03-08 01:00:00'],
    ['0 1 * * 7', '2026-03-02 10:00Z', '2026-03-08 01:00:00'],
    ['0 13 2 6 *', '2026-07-01 10:00Z', '2027-06-02 13:00:00'],
    ['0 13 2 jun *', '2026-01-01 10:00Z', '2026-06-02 13:00:00'],
    ['0 12 $ * *', '2026-02-01 10:00Z', '2026-02-28 12:00:00'],
    ['0 12 $ * *', '2028-02-28 13:00Z', '2028-02-29 12:00:00'],
    ['0 0 29 2 *', '2096-03-01 00:00Z', '2104-02-29 00:00:00'],
    ['0 0 31 2 *', '2026-03-01 00:00Z', null],
    // A schedule may name both a day of the month and a day of the week. It is enough if one of them matches, unless
    // one of the fields begins with *.
    ['0 0 13 * 5', '2026-03-01 00:00Z', '2026-03-06 00:00:00'],
    ['0 0 */2 * 5', '2026-03-01 00:00Z', '2026-03-13 00:00:00'],
    ['@daily', '2026-03-01 10:00Z', '2026-03-02 00:00:00'],
    ['@weekly', '2026-03-02 10:00Z', '2026-03-08 00:00:00'],
    ['@monthly', '2026-03-02 10:00Z', '2026-04-01 00:00:00'],
    ['@yearly', '2026-03-02 10:00Z', '2027-01-01 00:00:00'],
    ['@hourly', '2026-03-02 10:00Z', '2026-03-02 11:00:00'],
    ['1 second', '2026-03-02 10:00:00Z', '2026-03-02 10:00:01'],
    [' 30 sEcOnDs ', '2026-03-02 10:00:00Z', '2026-03-02 10:00:30'],
    ['  0  10   *  * * ', '2026-03-02 10:00:00Z', '2026-03-03 10:00:00'],
  ])('returns the first run of "%s" after %s', async (schedule, since, run) => {
    expect(await next(schedule, since)).toBe(run);
  });

  it('returns the run that croner returns, for 300 random schedules', async () => {
    const field = (low: number, high: number) => {
      const one = fc.integer({ min: low, max: high });
      const range = fc.tuple(one, one).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
      const step = fc.tuple(range, fc.integer({ min: 1, max: high })).map(([span, every]) => `${span}/${every}`);
      const list = fc.array(fc.oneof(one.map(String), range, step), { minLength: 1, maxLength: 3 });
      return fc.oneof(
        fc.constant('*'),
        fc.integer({ min: 1, max: high }).map((every) => `*/${every}`),
        list.map(String),
      );
    };
    // croner joins day and weekday by OR where pg_cron joins them by AND: if one field begins with * and is not *.
    const days = fc
      .tuple(field(1, 31), field(0, 7))
      .filter(([day, weekday]) => !(/^\*./.test(day) && weekday !== '*') && !(/^\*./.test(weekday) && day !== '*'));
    const since = fc.date({
      min: new Date('2026-01-01T00:00Z'),
      max: new Date('2030-01-01T00:00Z'),
      noInvalidDate: true,
    });
    const cases = fc.sample(fc.tuple(field(0, 59), field(0, 23), days, field(1, 12), since), { numRuns: 300, seed: 1 });
    const asked = cases.map(([minute, hour, [day, weekday], month, from]) => ({
      schedule: [minute, hour, day, month, weekday].join(' '),
      from: from.toISOString(),
    }));
    const runs = await value(
      `select json_agg(to_char(ninefold.next_run(c.schedule, c."from") at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.000Z') order by at) as value
       from rows from (json_to_recordset($1) as (schedule text, "from" timestamptz)) with ordinality c(schedule, "from", at)`,
      [JSON.stringify(asked)],
    );
    expect(JSON.parse(runs ?? '[]')).toEqual(
      asked.map(({ schedule, from }) => new Cron(schedule, { timezone: 'UTC' }).nextRun(from)?.toISOString() ?? null),
    );
  });

  it('ignores daylight saving time and the time zone of the session', async () => {
    const [, result] = await owner.run([
      { text: `select set_config('TimeZone', 'Europe/Berlin', true)`, params: [] },
      {
        text: `select ninefold.next_run('30 2 * * *', '2026-03-29 00:00Z') = '2026-03-29 02:30Z' as value`,
        params: [],
      },
    ]);
    expect(result && rowsAsText(result)[0]?.value).toBe('t');
  });
});

describe('cron.schedule', () => {
  it.each([
    ...['a'.repeat(1000), '* * * *', '5 secondc', '50 seconds c', '*/0 10 * * *', '-1 * * * *', '*/-1 10 * * *'],
    ...['* * * 13 *', '* * * 0 *', '*/5000000000 10 * * *', '-1 seconds', '0 seconds', '60 seconds'],
    ...['10000000000 seconds', '@restar', '0 11 $foo * *', '', '1/20 * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *'],
    ...['* * * * 8', '1-60 * * * *', '30-10 * * * *', ',1 * * * *', '* * * foo *', '* * * * * *', '5; * * * *'],
  ])('refuses the schedule "%s"', async (schedule) => {
    expect(await sqlstate(`select cron.schedule('${schedule}', 'select 1')`)).toBe(
      `22023 invalid schedule: ${schedule}`,
    );
  });

  it('returns the id of the existing job if a job has the name, and changes its schedule and command', async () => {
    const id = await value(`select cron.schedule('nightly', '0 10 * * *', 'vacuum') as value`);
    expect(await value(`select cron.schedule('nightly', '0 11 * * *', 'vacuum full') as value`)).toBe(id);
    expect(
      await value(`select schedule || ' ' || command || ' ' || username as value from cron.job where jobid = $1`, [id]),
    ).toBe('0 11 * * * vacuum full app_owner');
    expect(await value(`select cron.unschedule('nightly') as value`)).toBe('t');
    expect(await sqlstate(`select cron.unschedule('nightly')`)).toBe(
      "XX000 could not find valid entry for job 'nightly'",
    );
    expect(await sqlstate('select cron.unschedule(4711)')).toBe('XX000 could not find valid entry for job 4711');
  });

  it('refuses more than 100 jobs and a command that is too long', async () => {
    const [, , count] = await owner.run([
      { text: 'delete from cron.job', params: [] },
      { text: `select cron.schedule('0 0 1 1 *', 'select 1') from generate_series(1, 100)`, params: [] },
      { text: 'select count(*) as n from cron.job', params: [] },
    ]);
    expect(count && rowsAsText(count)[0]?.n).toBe('100');
    expect(await sqlstate(`select cron.schedule('0 0 1 1 *', 'select 1')`)).toMatch(/^54000/);
    await owner.script('delete from cron.job');
    expect(await sqlstate(`select cron.schedule('0 0 1 1 *', repeat('x', 65537))`)).toMatch(/^54000/);
  });
});

describe('cron.alter_job', () => {
  it('changes the given fields, and refuses the same values as pg_cron', async () => {
    const id = await value(`select cron.schedule('0 10 * * *', 'vacuum') as value`);
    expect(await sqlstate(`select cron.alter_job(${id}, schedule := '1 seconds', active := false)`)).toBe('done');
    expect(
      await value(`select schedule || ' ' || command || ' ' || active as value from cron.job where jobid = $1`, [id]),
    ).toBe('1 seconds vacuum false');
    expect(await sqlstate(`select cron.alter_job(${id})`)).toBe('22023 no updates specified');
    expect(await sqlstate('select cron.alter_job(4711, active := true)')).toBe(
      "XX000 Job 4711 does not exist or you don't own it",
    );
    expect(await sqlstate(`select cron.alter_job(${id}, database := 'elsewhere')`)).toBe(
      '3D000 database "elsewhere" does not exist',
    );
    expect(await sqlstate(`select cron.alter_job(${id}, username := 'nobody_here')`)).toBe(
      '42704 role "nobody_here" does not exist',
    );
  });
});

describe('privileges on schema cron', () => {
  it.each(['anon', 'authenticated', 'service_role'])('do not allow %s to schedule or read jobs', async (role) => {
    for (const sql of [
      `select cron.schedule('1 seconds', 'select 1')`,
      'select * from cron.job',
      `insert into cron.job (schedule, command) values ('1 seconds', 'select 1')`,
      'select * from cron.job_run_details',
    ]) {
      expect(await sqlstate(`begin; set local role ${role}; ${sql}`)).toMatch(/^42501/);
    }
  });

  it('do not let the owner schedule as a superuser or as a role that the owner cannot switch to', async () => {
    for (const role of ['supabase_admin', 'ninefold_server', 'app_authenticator']) {
      expect(
        await sqlstate(`select cron.schedule_in_database('x', '1 seconds', 'select 1', current_database(), '${role}')`),
      ).toMatch(/^42501/);
    }
    expect(
      await sqlstate(
        `select cron.schedule_in_database('x', '1 seconds', 'select 1', current_database(), (select rolname from pg_roles where rolsuper limit 1))`,
      ),
    ).toMatch(/^42501/);
  });

  it('do not let the owner grant functions of cron or change the objects that Ninefold created', async () => {
    await owner.script(`grant usage on schema cron to anon; grant execute on all functions in schema cron to anon;
      grant all on cron.job to anon`);
    expect(await sqlstate(`begin; set local role anon; select cron.schedule('1 seconds', 'select 1')`)).toMatch(
      /^42501/,
    );
    for (const sql of [
      'truncate cron.job',
      `update cron.job_run_details set status = 'succeeded'`,
      'create trigger t before insert on cron.job_run_details for each row execute function ninefold.check_job()',
      'alter table cron.job disable trigger all',
      'create table cron.other (id int)',
      'update ninefold.job_states set last_due = now()',
      'drop schema cron cascade',
      `insert into net.http_request_queue (method, url, timeout_milliseconds) values ('GET', 'http://example.com', 1)`,
      'create rule r as on insert to net._http_response do also select 1',
    ]) {
      expect(await sqlstate(sql)).toMatch(/^42501/);
    }
  });

  it('never run a cast of the app to json as the superuser when a webhook converts a row to JSON', async () => {
    await owner.script(`create schema hooked; create table hooked.ran (who text, is_superuser text);
      create type hooked.mood as enum ('good');
      create function hooked.spy(hooked.mood) returns json language plpgsql as $$ begin
        insert into hooked.ran values (current_user, current_setting('is_superuser')); return '1'; end $$;
      create cast (hooked.mood as json) with function hooked.spy(hooked.mood);
      create table hooked.t (m hooked.mood); grant usage on schema hooked to public; grant all on hooked.ran to public;
      create trigger hook after insert on hooked.t for each row
        execute function supabase_functions.http_request('http://127.0.0.1:1/', 'POST', '{"Content-Type":"application/json"}', '{"a":"b c"}', '1000');
      insert into hooked.t values ('good')`);
    expect(await value(`select string_agg(distinct is_superuser, ',') as value from hooked.ran`)).toBe('off');
    expect(
      await value(`select method || ' ' || url || ' ' || timeout_milliseconds as value from net.http_request_queue`),
    ).toBe('POST http://127.0.0.1:1/?a=b%20c 1000');
    await owner.script('drop schema hooked cascade');
  });
});
