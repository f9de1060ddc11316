import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRequest } from '../../contract/call-request.ts';
import { defaultRestSettings } from '../../contract/settings.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { makeRestApp, type RestApp } from '../../test/support/rest-app.ts';
import { filmLibrary } from '../../test/support/rest-fixture.ts';
import { loadSchemaCache } from '../catalog/load-schema-cache.ts';
import type { SchemaCache } from '../catalog/schema-cache.ts';
import { parseConnectionUrl } from '../database/connection-config.ts';
import { Pool } from '../database/pool.ts';
import type { Identity } from '../identity/identity.ts';
import { planRequest } from './plan/plan-request.ts';
import { PlanCache, type PlannedQuery } from './plan-cache.ts';
import { planNames } from './plan-names.ts';
import { parseRequest } from './request/parse-request.ts';
import { buildStatements, mainStatement, type QueryPlan } from './sql/build-statements.ts';

let postgres: TestPostgres;
let app: RestApp;
let schemaCache: SchemaCache;
let plans: PlanCache;

beforeAll(async () => {
  postgres = await startPostgres('plan-call');
  app = await makeRestApp(postgres.url, filmLibrary);
  const options = { max: 1, idleMilliseconds: 1000, waitMilliseconds: 5000 };
  const pool = new Pool(parseConnectionUrl(postgres.url, 'test'), options);
  schemaCache = await loadSchemaCache(pool, ['public'], ['public']);
  await pool.close();
  plans = new PlanCache();
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const get = (query: string, headers: CallRequest['headers'] = {}): CallRequest => ({
  method: 'GET',
  path: '/films',
  query,
  headers,
  body: null,
  stream: null,
  target: '/',
  address: '127.0.0.1',
  requestId: 'test',
  baseUrl: '',
  signal: new AbortController().signal,
});

const identity: Identity = {
  role: 'anon',
  claims: {},
  claimsJson: '{}',
  userId: null,
  sessionId: null,
  source: 'none',
};

const cachedQuery = (callRequest: CallRequest): PlannedQuery | null =>
  plans.findRead(callRequest, schemaCache, defaultRestSettings) ??
  plans.findInsert(callRequest, parseRequest(callRequest, defaultRestSettings), schemaCache, defaultRestSettings);

function newQuery(callRequest: CallRequest): PlannedQuery {
  const request = parseRequest(callRequest, defaultRestSettings);
  const plan = planRequest(request, schemaCache, defaultRestSettings) as QueryPlan;
  const names = planNames(plan, callRequest.method);
  return { request, plan, names, main: mainStatement(request, plan, defaultRestSettings) };
}

/** Returns the statements and the response parts of a request, or the error of the request. */
function outcome(callRequest: CallRequest, anew: boolean): unknown {
  try {
    const query = (anew ? null : cachedQuery(callRequest)) ?? newQuery(callRequest);
    if (!anew) plans.store(callRequest, query, schemaCache, defaultRestSettings);
    const batch = buildStatements(query.request, query.plan, identity, defaultRestSettings, query.main);
    return { batch, canonical: query.request.parameters.canonical };
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: string };
    return { code, message, details };
  }
}

const value = fc.oneof(
  fc.integer().map(String),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', '.', '(a,b)', '"x"', 'null', 'eq.1', '*', '\u{f0000}0\u{f0001}', '\u{f0000}1\u{f0001}'),
);
const comparison = fc.constantFrom(
  ...['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'not.eq', 'like', 'in', 'is', 'eq(any)', 'fts', 'not.not.eq'],
);
const column = fc.constantFrom(
  'id',
  'title',
  'year',
  'details->>a',
  'directors.name',
  'nope',
  'select',
  'order',
  'limit',
);
const encode = (text: string): string => encodeURIComponent(text);
const parameter = fc
  .tuple(column, comparison, value)
  .map(([name, operator, what]) => `${encode(name)}=${operator}.${encode(what)}`);
const query = fc
  .tuple(
    fc.constantFrom('', 'select=*,directors(name)&', 'order=title&', 'limit=2&', 'and=(id.eq.1,year.gt.2)&'),
    fc.array(parameter, { maxLength: 3 }),
  )
  .map(([before, parameters]) => before + parameters.join('&'));

describe('PlanCache with a cached read', () => {
  it('returns the same statements and response parts as without the cache', () => {
    fc.assert(
      fc.property(query, fc.array(value, { minLength: 6, maxLength: 6 }), (first, values) => {
        let next = 0;
        const second = first.replaceAll(/\.([^.&]*)(?=&|$)/g, () => `.${encode(values[next++ % 6] as string)}`);
        for (const text of [first, second, first]) {
          expect(outcome(get(text), false)).toEqual(outcome(get(text), true));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("does not reuse a plan for another media type, and uses the request's own headers and cookies", () => {
    for (const headers of [
      { accept: 'text/csv', cookie: 'a=1' },
      { accept: 'application/vnd.pgrst.object+json', cookie: 'a=2' },
      { range: '0-1' },
      { prefer: 'count=exact' },
      { prefer: 'count=planned' },
      { prefer: 'count=estimated' },
      { 'x-mine': '1' },
    ]) {
      const request = get('id=eq.1', headers);
      expect(outcome(request, false)).toEqual(outcome(request, true));
    }
  });
});

describe('PlanCache', () => {
  it('returns a stored read for the same shape with other values, and for no other shape', () => {
    // The other tests store random shapes.
    const plans = new PlanCache();
    const query = newQuery(get('year=eq.1990'));
    expect(plans.findRead(get('year=eq.1990'), schemaCache, defaultRestSettings)).toBeNull();
    plans.store(get('year=eq.1990'), query, schemaCache, defaultRestSettings);
    const found = plans.findRead(get('year=eq.2001'), schemaCache, defaultRestSettings);
    expect(found?.plan).toBe(query.plan);
    expect(found?.main.params).toContain('2001');
    expect(plans.findRead(get('year=neq.2001'), schemaCache, defaultRestSettings)).toBeNull();
  });
});

describe('PlanCache with a cached insert', () => {
  const post = (body: unknown, query: string, headers: CallRequest['headers']): CallRequest => ({
    ...get(query, headers),
    method: 'POST',
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const row = fc.dictionary(fc.constantFrom('id', 'title', 'year', 'nope'), fc.oneof(fc.string(), fc.integer()), {
    maxKeys: 3,
  });
  const body = fc.oneof(row, fc.array(row, { maxLength: 3 }), fc.constantFrom('', 'null', '{', '"*"'));

  it('returns the same statements as without the cache', () => {
    fc.assert(
      fc.property(
        fc.array(body, { minLength: 2, maxLength: 4 }),
        fc.constantFrom('', 'select=id', 'columns=id,title', 'on_conflict=id', 'select=*,directors(name)'),
        fc.constantFrom('return=minimal', 'return=representation', 'resolution=merge-duplicates', 'missing=default'),
        (bodies, query, prefer) => {
          for (const each of [...bodies, ...bodies]) {
            const request = post(each, query, { prefer });
            expect(outcome(request, false)).toEqual(outcome(request, true));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
