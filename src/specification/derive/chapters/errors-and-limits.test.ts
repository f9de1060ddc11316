import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { statusOfSqlstate } from '../../../../contract/errors/sqlstate-status.ts';
import { allErrors } from '../../../../contract/errors.ts';
import { limits } from '../../../../contract/limits.ts';
import { defaultRestSettings } from '../../../../contract/settings.ts';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import type { ErrorFigures, ErrorLine, LimitLine } from '../../../../contract/specification.ts';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../../test/support/app-database.ts';
import { loadFacts } from '../../../catalog/facts.ts';
import type { Pool } from '../../../database/pool.ts';
import { specificationMarkdown } from '../../render/markdown/specification.ts';
import type { LiveFigures } from '../../serve/figures/figures.ts';
import { withFigures } from '../../serve/figures/with-figures.ts';
import { deriveSpecification, type SpecificationApp } from '../specification.ts';
import { ErrorsOfCalls } from './errors/call-errors.ts';

const app: SpecificationApp = {
  ...{ ref: 'helpdesk', name: 'Helpdesk' },
  authSettings: defaultAuthSettings,
};

let database: AppDatabase;
let owner: Pool;

/** Runs SQL as the owner of the app. */
const script = (sql: string) => scriptIn(owner, sql);

beforeAll(async () => {
  database = await startAppDatabase('errors');
  owner = database.as('app_owner');
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

beforeEach(async () => {
  await script(`drop schema if exists public cascade; create schema public;
    grant usage on schema public to anon, authenticated, service_role;`);
});

const derive = async (more: Partial<SpecificationApp> = {}) =>
  deriveSpecification(await loadFacts(owner, { exposedSchemas: ['public'], authenticator: 'app_authenticator' }), {
    ...app,
    ...more,
  });

async function errorsOf(more: Partial<SpecificationApp> = {}): Promise<ErrorLine[]> {
  return (await derive(more)).chapters.errors?.errors ?? [];
}

async function limitsOf(more: Partial<SpecificationApp> = {}): Promise<LimitLine[]> {
  return (await derive(more)).chapters.limits?.limits ?? [];
}

const figures = (day: number): ErrorFigures => ({
  ...{ hour: 0, day, week: day, hours: Array.from({ length: 24 }, () => 0) },
  ...{ last_at: '2030-01-01T00:00:00Z', last_requests: ['a'] },
});

/** Returns the figures of an app in which only `more` has occurred. */
const live = (more: Partial<LiveFigures>): LiveFigures => ({
  purpose: { members: 0, calls_today: 0 },
  functionStart: null,
  ...{
    entities: new Map(),
    states: new Map(),
    roles: new Map(),
    calls: new Map(),
    jobs: new Map(),
    errors: [],
    limits: [],
    uses: new Map(),
    backup: null,
  },
  ...more,
});

const deriveLive = async (more: Partial<LiveFigures>) => withFigures(await derive(), live(more), new Date());

describe('errorsChapter', () => {
  it('lists the rules of the app with their derived words, and with their comments as hints', async () => {
    await script(`create table public.tickets (id int primary key, title text not null constraint length check (char_length(title) > 2),
      parent int references public.tickets);
      comment on constraint length on public.tickets is 'a title is longer than two letters';`);
    const errors = await errorsOf();
    const rule = (id: string) => errors.find((error) => error.id === `rule.${id}`);
    expect(rule('public.tickets.length')).toMatchObject({
      ...{ code: '23514', status: 400, meaning: 'Title is more than 2 characters.', group: 'rule' },
      ...{ hint: 'a title is longer than two letters', member: 'A title is longer than two letters' },
      origin: 'public.tickets.length',
    });
    expect(rule('public.tickets.tickets_pkey')).toMatchObject({ code: '23505', status: 409 });
    expect(rule('public.tickets.tickets_parent_fkey')).toMatchObject({ code: '23503', status: 409 });
    expect(errors.some(({ code, origin }) => code === '23502' && origin?.startsWith('public.tickets.title'))).toBe(
      true,
    );
  });

  // The first value of each case is sent unchanged: the value of a filter, of an argument, or in a body.
  it.each([
    ['22009', '$1::timestamptz', '2026-01-31T12:00:00+99'],
    ['22015', '$1::interval', '99999999999999999999999'],
    ['2200N', '$1::xml', '<a'],
    ['2201B', `'abc' ~ $1`, '('],
    ['22025', `'abc' like $1`, 'a\\'],
    ['42601', '$1::tsquery', "'"],
    ['42601', '$1::regclass', 'a.b.c.d.e'],
    ['42602', '$1::regclass', ''],
    ['42704', '$1::regconfig', 'gone'],
    ['3F000', '$1::regclass', 'gone.it'],
    ['54001', '$1::json', '['.repeat(100_000)],
  ])('lists the code with which PostgreSQL refuses a value: %s of %s', async (code, as, value) => {
    const select = `select ${as.replaceAll('$1', '$1::text')}`;
    await expect(owner.run([{ text: select, params: [value] }])).rejects.toMatchObject({ sqlstate: code });
    await script('create table public.things (id int primary key); grant all on public.things to service_role');
    const { chapters } = await derive();
    const call = chapters.calls?.calls.find(({ id }) => id === 'rest.public.things.insert');
    const possible = call && new ErrorsOfCalls(chapters).of(call).common;
    const codes = chapters.errors?.errors.flatMap((line) => (possible?.includes(line.id) ? [line.code] : []));
    expect(codes).toContain(code);
  });

  it('lists the errors of each state machine as long as the machine exists', async () => {
    const ofMachines = async () => (await errorsOf()).filter(({ code }) => code?.startsWith('NF')).map(({ id }) => id);
    expect(await ofMachines()).toEqual([]);
    await script(`create table public.tickets (id int primary key, status text not null default 'open', reason text);
      select ninefold.define_machine('public.tickets', 'status', 'open',
        '[{"name": "close", "from": "open", "to": "closed", "requires": ["reason"]}]');`);
    const met = [{ name: 'NF001', subject: 'public.tickets.status', ...figures(2) }];
    const { chapters } = await deriveLive({ errors: met });
    const refusal = chapters.errors?.errors.find(({ code }) => code === 'NF001');
    expect(refusal).toMatchObject({
      ...{ status: 409, group: 'transition', origin: 'public.tickets.status', figures: { day: 2 } },
      meaning: 'public.tickets.status passes only by a transition that is open to the caller: close (open to closed).',
    });
    expect(await ofMachines()).toEqual(
      ['NF001', 'NF002', 'NF003'].map((code) => `transition.public.tickets.status.${code}`),
    );
    const caveats = async () =>
      (await errorsOf()).flatMap(({ code, caveat }) => (/^NF/.test(code ?? '') ? [caveat] : []));
    expect(await caveats()).toEqual([null, null, null]);
    await script('alter table public.tickets disable trigger user');
    const off = 'not while the trigger that would raise it is switched off or missing';
    expect(await caveats()).toEqual([off, off, off]);
  });

  it('lists every status of an error that the contract and the SQLSTATEs define', async () => {
    const statuses = new Map(
      (await errorsOf({ authSettings: { ...defaultAuthSettings, external_phone_enabled: false } })).map(
        ({ id, statuses }) => [id, statuses],
      ),
    );
    expect(statuses.get('code.user_not_found')).toEqual([404, 403]);
    expect(statuses.get('code.phone_provider_disabled')).toEqual([422, 400]);
    expect(statuses.get('code.validation_failed')).toEqual([400, 404, 422]);
    expect(statuses.get('code.42501')).toEqual([403, 401]);
    expect(statuses.get('code.22023')).toEqual([400, 401]);
    for (const [code, { status, otherStatuses = {} }] of Object.entries(allErrors)) {
      const reported = statuses.get(`code.${code}`);
      if (reported)
        expect(reported, code).toEqual(expect.arrayContaining([status, ...Object.keys(otherStatuses).map(Number)]));
    }
    await script(`create function public.refuse() returns void language plpgsql as
      $$ begin raise exception 'No' using errcode = '42501'; end $$`);
    expect((await errorsOf()).find(({ group }) => group === 'function')).toMatchObject({
      status: 403,
      statuses: [403, 401],
    });
  });

  it('lists the errors that functions raise, and marks those that are computed at run time', async () => {
    await script(`
      create function public.close_ticket(ticket int) returns void language plpgsql as $$ begin
        if ticket < 0 then raise exception 'a ticket has a number' using errcode = 'PT422', hint = 'Send a number.'; end if;
        raise exception using errcode = 'A' || ticket, message = 'late';
      end $$;
      create function public.paid() returns void language plpgsql as $$ begin
        raise sqlstate 'PGRST' using message = '{"code":"UNPAID","message":"Pay first","hint":"Pay."}', detail = '{"status":402,"headers":{}}';
      end $$;
      create function public.quiet() returns void language plpgsql as $$ begin raise notice 'fine'; end $$;`);
    const raised = (await errorsOf()).filter(({ group }) => group === 'function');
    expect(raised).toMatchObject([
      {
        code: 'PT422',
        status: 422,
        message: 'a ticket has a number',
        hint: 'Send a number.',
        origin: 'public.close_ticket(integer)',
        caveat: null,
      },
      { code: null, status: null, message: 'late', caveat: 'its code is computed while the function runs' },
      { code: 'UNPAID', status: 402, message: 'Pay first', hint: 'Pay.', action: 'Pay.', origin: 'public.paid()' },
    ]);
    expect(raised[0]?.sql).toContain("errcode = 'PT422'");
    await script('drop function public.close_ticket(int)');
    expect((await errorsOf()).filter(({ group }) => group === 'function').map(({ code }) => code)).toEqual(['UNPAID']);
  });

  it('marks a trigger’s errors as impossible while no enabled trigger runs the function', async () => {
    await script(`create table public.tickets (id int primary key);
      create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = 'PT423'; end $$;`);
    const caveat = async () => (await errorsOf()).find(({ code }) => code === 'PT423')?.caveat;
    const off = 'not while no trigger that is switched on runs it';
    expect(await caveat()).toBe(off);
    await script('create trigger refuse before insert on public.tickets for each row execute function public.refuse()');
    expect(await caveat()).toBe(null);
    await script('alter table public.tickets disable trigger refuse');
    expect(await caveat()).toBe(off);
    await script('alter table public.tickets enable trigger refuse');
    expect(await caveat()).toBe(null);
  });

  it('marks a function’s errors as impossible while no role may execute the function and nothing names it', async () => {
    await script(`create table public.tickets (id int primary key, at int);
      create function public.price_of(price int) returns int language plpgsql as $$ begin raise exception 'no' using errcode = 'PT423'; end $$;
      revoke execute on function public.price_of(int) from public, anon, authenticated, service_role;`);
    const caveat = async () => (await errorsOf()).find(({ code }) => code === 'PT423')?.caveat;
    const shut = 'not while no call may run it and nothing else of the app names it';
    const ways = [
      [
        'grant execute on function public.price_of(int) to anon',
        'revoke execute on function public.price_of(int) from anon',
      ],
      [
        'alter table public.tickets alter column at set default public.price_of(1)',
        'alter table public.tickets alter column at drop default',
      ],
      [
        'alter table public.tickets add constraint priced check (public.price_of(at) > 1)',
        'alter table public.tickets drop constraint priced',
      ],
      [
        `create function public.buy() returns int language plpgsql security definer as 'begin return Price_Of(1); end'`,
        'drop function public.buy()',
      ],
    ];
    expect(await caveat()).toBe(shut);
    for (const [open, close] of ways) {
      await script(open ?? '');
      expect([open, await caveat()]).toEqual([open, null]);
      await script(close ?? '');
      expect([close, await caveat()]).toEqual([close, shut]);
    }
    const restSettings = { ...defaultRestSettings, db_pre_request: 'public.price_of' };
    expect((await errorsOf({ restSettings })).find(({ code }) => code === 'PT423')?.caveat).toBe(null);
  });

  it('marks the errors of functions that no call can run as impossible until other code names the function', async () => {
    await script(`drop schema if exists back cascade; create schema back;
      grant usage on schema back to anon; create table public.plain (id int);
      create function public.ev() returns event_trigger language plpgsql as 'begin raise sqlstate ''PT420''; end';
      create procedure public.tidy() language plpgsql as 'begin raise sqlstate ''PT409''; end';
      create function back.helper() returns int language plpgsql as 'begin raise sqlstate ''PT418''; end';
      create function back.odd(public.plain) returns int language plpgsql as 'begin raise sqlstate ''PT419''; end'`);
    const caveats = async () =>
      Object.fromEntries(
        (await errorsOf()).flatMap(({ code, caveat }) => (/^PT4/.test(code ?? '') ? [[code, caveat]] : [])),
      );
    const shut = 'not while no call may run it and nothing else of the app names it';
    const ddl = 'only where what a call runs changes definitions';
    expect(await caveats()).toEqual({ PT409: shut, PT418: shut, PT419: shut, PT420: ddl });
    await script(`create function public.clean() returns int language plpgsql as
      'begin call public.tidy(); return back.helper(); end'`);
    expect(await caveats()).toEqual({ PT409: null, PT418: null, PT419: shut, PT420: ddl });
    await script('drop schema back cascade');
  });

  it('marks the errors of functions with the same name as impossible while each call is ambiguous', async () => {
    await script(`create function public.total(a int) returns int language plpgsql as 'begin raise sqlstate ''PT430''; end';
      create function public.total(a text) returns int language plpgsql as 'begin raise sqlstate ''PT431''; return public.levy_of_the_day(); end';
      create function public.levy_of_the_day() returns int language plpgsql as 'begin raise sqlstate ''PT432''; end';
      revoke execute on function public.levy_of_the_day() from public, anon, authenticated, service_role;`);
    const caveats = async () =>
      Object.fromEntries(
        (await errorsOf()).flatMap(({ code, caveat }) => (/^PT43/.test(code ?? '') ? [[code, caveat]] : [])),
      );
    const shut = 'not while no call may run it and nothing else of the app names it';
    expect(await caveats()).toEqual({ PT430: shut, PT431: shut, PT432: shut });
    await script('drop function public.total(int)');
    expect(await caveats()).toEqual({ PT431: null, PT432: null });
    await script('drop function public.total(text); drop function public.levy_of_the_day()');
  });

  it.each([
    ['20000', 'do $$ begin case 3 when 1 then null; end case; end $$'],
    ['2200H', `create sequence public.short maxvalue 2; select nextval('public.short') from generate_series(1, 3)`],
    ['2F005', `create function public.silent() returns int language plpgsql as 'begin end'; select public.silent()`],
    ['P0003', 'do $$ declare n int; begin select g into strict n from generate_series(1, 2) g; end $$'],
  ])('lists %s, which PostgreSQL returns', async (code, sql) => {
    await expect(script(sql)).rejects.toMatchObject({ sqlstate: code });
    const reported = (await errorsOf()).find((error) => error.id === `code.${code}`);
    expect(reported).toMatchObject({ group: 'postgres', status: statusOfSqlstate(code) });
  });

  it('lists an error that depends on a setting only while the setting makes it possible', async () => {
    const has = async (code: string, more: Partial<SpecificationApp>) =>
      (await errorsOf(more)).some((error) => error.id === `code.${code}`);
    expect(await has('PGRST123', {})).toBe(true);
    expect(await has('PGRST123', { restSettings: { ...defaultRestSettings, db_aggregates_enabled: true } })).toBe(
      false,
    );
    expect(await has('signup_disabled', {})).toBe(false);
    expect(await has('signup_disabled', { authSettings: { ...defaultAuthSettings, disable_signup: true } })).toBe(true);
    expect(await has('app_exists', {})).toBe(false);
  });

  it('counts an error under its rule or its function if there is one, else under its code', async () => {
    await script(`create table public."Order lines" (id int, title text constraint "a b" check (title <> ''));
      create function public.close() returns void language plpgsql as $$ begin raise 'no'; end $$;`);
    const errors = [
      { name: '23514', subject: 'public.Order lines.a b', ...figures(3) },
      { name: '23514', subject: 'public.gone.rule', ...figures(5) },
      { name: 'P0001', subject: 'close()', ...figures(7) },
      { name: 'PGRST116', subject: '', ...figures(11) },
    ];
    const met = (await deriveLive({ errors })).chapters.errors?.errors.filter((error) => error.figures);
    expect(met?.map(({ id, figures: found }) => [id, found?.day])).toEqual([
      ['rule.public."Order lines"."a b"', 3],
      ['function.public.close().P0001.no', 7],
      ['code.PGRST116', 11],
      ['code.23514', 5],
    ]);
  });
});

describe('limitsChapter', () => {
  it('lists every limit with its value and the way to change it', async () => {
    const lines = await limitsOf({
      authSettings: { ...defaultAuthSettings, jwt_exp: 30 },
      restSettings: { ...defaultRestSettings, db_statement_timeout: null, db_max_rows: 50 },
      environment: { poolConnections: 3 },
    });
    const line = (id: string) => lines.find((one) => one.id === id);
    expect(Object.keys(limits).filter((name) => !line(name))).toEqual([]);
    expect(line('urlBytes')).toMatchObject({
      value: 32 * 1024,
      set_in: 'code',
      change: null,
      code: 'headers_too_large',
    });
    expect(line('accessTokenSeconds')).toMatchObject({
      value: 30,
      set_in: 'setting',
      range: [30, 604_800],
      change: { by: 'setting', key: 'jwt_exp' },
    });
    expect(line('statementMilliseconds')).toMatchObject({ value: null, set_in: 'setting', may_be_unlimited: true });
    expect(line('pageRows')).toMatchObject({ value: 50, default: 1000, set_in: 'setting' });
    expect(line('poolConnections')).toMatchObject({
      value: 3,
      set_in: 'environment',
      change: { by: 'environment', key: 'NINEFOLD_POOL' },
    });
    expect(line('database.max_connections')).toMatchObject({ unit: 'count', code: '53300' });
  });

  it('shows the limits that the database and its functions set, until they are reset', async () => {
    const value = async (id: string) => (await limitsOf()).find((one) => one.id === id)?.value;
    const superuser = database.pool;
    const name = await currentDatabase();
    await script(`create function public.slow() returns int language sql set statement_timeout = '2min' as 'select 1'`);
    await superuser.script(
      `alter database "${name}" set statement_timeout = '90s'; alter database "${name}" connection limit 40`,
    );
    expect(await value('function.public.slow().statement_timeout')).toBe(120_000);
    expect(await value('database.statement_timeout.everyone')).toBe(90_000);
    expect(await value('database.connections')).toBe(40);
    await script('alter function public.slow() reset statement_timeout');
    await superuser.script(
      `alter database "${name}" reset statement_timeout; alter database "${name}" connection limit -1`,
    );
    expect(await value('function.public.slow().statement_timeout')).toBeUndefined();
    expect(await value('database.statement_timeout.everyone')).toBeUndefined();
    expect(await value('database.connections')).toBeNull();
  });

  it('shows a function’s statement_timeout if calls apply it, and the statement that changes a setting of all roles', async () => {
    const superuser = database.pool;
    await script(`create function public.late() returns int language sql set statement_timeout = '2min' as 'select 1'`);
    await superuser.script(`alter role all set lock_timeout = '7s'`);
    const hoisting = (names: string[]) =>
      limitsOf({ restSettings: { ...defaultRestSettings, db_hoisted_tx_settings: names } });
    const [taken, left] = [await hoisting(['statement_timeout']), await hoisting([])];
    await superuser.script('alter role all reset lock_timeout');
    await script('drop function public.late()');
    const id = 'function.public.late().statement_timeout';
    expect(taken.find((one) => one.id === id)?.value).toBe(120_000);
    expect(left.find((one) => one.id === id)).toBeUndefined();
    expect(left.find((one) => one.id === 'database.lock_timeout.everyone.everywhere')).toMatchObject({
      value: 7000,
      change: { by: 'sql', key: 'alter role all set lock_timeout = …' },
    });
  });

  it('shows the last caller who reached a limit, without changing the hash', async () => {
    const hits = [{ name: 'bodyBytes', last_caller: '192.0.2.1', ...figures(4) }];
    const [without, alive] = [await derive(), await deriveLive({ limits: hits })];
    const hit = alive.chapters.limits?.limits.find(({ id }) => id === 'bodyBytes');
    expect(hit?.figures).toMatchObject({ day: 4, last_caller: '192.0.2.1' });
    expect(alive.hash).toBe(without.hash);
    expect(specificationMarkdown(alive)).toBe(specificationMarkdown(without));
  });
});

it('specificationMarkdown writes the chapters of errors and limits into the Markdown', async () => {
  const markdown = specificationMarkdown(await derive());
  expect(markdown).toContain('## 8 Errors');
  expect(markdown).toMatch(/the errors of Ninefold that the settings of the app make possible: \d+ of data calls/);
  expect(markdown).toContain('## 9 Limits');
  expect(markdown).toMatch(/\d+ limits have their default/);
});

async function currentDatabase(): Promise<string> {
  const [result] = await owner.run([{ text: 'select current_database()', params: [] }]);
  return result?.rows[0]?.[0]?.toString('utf8') ?? '';
}
