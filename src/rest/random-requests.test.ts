import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { makeRestApp, type RestApp } from '../../test/support/rest-app.ts';
import { filmLibrary } from '../../test/support/rest-fixture.ts';

let postgres: TestPostgres;
let app: RestApp;

beforeAll(async () => {
  postgres = await startPostgres('rest-random');
  const functions = `
    create function films_of(director int) returns setof films stable language sql as
      $$ select * from films where director_id = director $$;
    create function echo(value json) returns json immutable language sql as $$ select value $$;
    create function joined(variadic words text[]) returns text immutable language sql as $$ select array_to_string(words, '-') $$;
  `;
  const made = await makeRestApp(postgres.url, filmLibrary + functions);
  app = await made.with({ db_aggregates_enabled: true, db_plan_enabled: true, db_tx_end: 'rollback' });
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const pieces = [
  '"',
  "'",
  '\\',
  ';',
  '--',
  '/*',
  '$1',
  ')',
  '(',
  ',',
  '.',
  ' ',
  '\n',
  'é',
  '🦊',
  '%',
  '*',
  '{',
  '}',
  '[',
  '1',
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''));
const quote = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const name = fc.oneof(fc.constantFrom('id', 'title', 'year', 'details', 'tags', 'run', 'name', '*'), text.map(quote));
const field = fc.oneof(
  name,
  fc.tuple(name, name).map(([column, key]) => `${column}->>${key}`),
  fc.tuple(name, fc.integer()).map(([column, at]) => `${column}->${at}`),
);
const type = fc.constantFrom(
  'int',
  'text',
  'jsonb',
  'daterange',
  'regclass',
  'void',
  'record',
  'double precision',
  'nope',
);
const aggregate = fc.constantFrom('sum', 'avg', 'count', 'max', 'min');
const relation = fc.constantFrom(
  'directors',
  'films',
  'actors',
  'roles',
  'recent_films',
  'debut',
  'whole_work',
  'nope',
);
const hint = fc.constantFrom(
  '',
  '!inner',
  '!films_director_fkey',
  '!films_director_fkey!inner',
  '!director_id',
  '!nope',
);
const { item } = fc.letrec<{ item: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3 },
    field,
    fc.tuple(name, field).map(([alias, column]) => `${alias}:${column}`),
    fc.tuple(field, type).map(([column, cast]) => `${column}::${cast}`),
    fc.tuple(field, aggregate).map(([column, fn]) => `${column}.${fn}()`),
    fc
      .tuple(fc.constantFrom('', '...', 'x:'), relation, hint, fc.array(tie('item'), { maxLength: 3 }))
      .map(([prefix, table, by, items]) => `${prefix}${table}${by}(${items.join(',')})`),
  ),
}));
const operator = fc.constantFrom(
  ...['eq', 'neq', 'gt', 'like', 'match', 'in', 'is', 'cs', 'ov', 'sl', 'adj', 'isdistinct', 'not.eq'],
  ...['fts', 'wfts(simple)', 'plfts(nope)', 'eq(any)', 'like(all)'],
);
const value = fc.oneof(
  text,
  fc.integer().map(String),
  fc.constantFrom('(1,2)', '{1,2}', '[2000-01-01,2001-01-01)', 'null', 'true', '1e400', '99999999999999999999'),
);
const parameter = fc.oneof(
  fc.tuple(field, operator, value).map(([column, op, to]) => [column, `${op}.${to}`]),
  fc
    .tuple(fc.constantFrom('or', 'not.and', 'films.or'), field, operator, value)
    .map(([key, column, op, to]) => [key, `(${column}.${op}.${to},id.eq.1)`]),
  fc.tuple(fc.constantFrom('', 'films.'), field).map(([at, column]) => [`${at}order`, `${column}.desc.nullslast`]),
  fc.tuple(relation, fc.constantFrom('is.null', 'not.is.null', 'eq.1')),
  fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => ['select', items.join(',')]),
  fc.tuple(fc.constantFrom('limit', 'offset', 'films.limit'), value),
  fc.tuple(fc.constantFrom('columns', 'on_conflict'), name),
);
const row = fc.dictionary(
  fc.constantFrom('id', 'title', 'details', 'name', 'director', 'value', 'nope'),
  fc.oneof(fc.integer(), text, fc.constantFrom(null, [], {})),
  { maxKeys: 3 },
);
const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'),
  path: fc.constantFrom(
    '/films',
    '/directors',
    '/roles',
    '/recent_films',
    '/rpc/films_of',
    '/rpc/echo',
    '/rpc/joined',
    '/',
  ),
  query: fc.array(parameter, { maxLength: 5 }),
  prefer: fc.subarray([
    ...['return=representation', 'return=headers-only', 'resolution=merge-duplicates', 'missing=default'],
    ...['count=exact', 'count=estimated', 'handling=strict', 'max-affected=1', 'timezone=nope'],
  ]),
  accept: fc.constantFrom(
    '*/*',
    'text/csv',
    'application/vnd.pgrst.object+json',
    'application/vnd.pgrst.plan',
    'image/png',
  ),
  type: fc.constantFrom('application/json', 'text/csv', 'application/x-www-form-urlencoded', 'text/plain'),
  body: fc.oneof(
    row.map((made) => JSON.stringify(made)),
    fc.array(row).map((made) => JSON.stringify(made)),
    text,
  ),
});

it('the app responds to any request with a valid response, and never with a server error', async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, prefer, accept, type: contentType, body }) => {
      const search = query.map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('=')).join('&');
      const response = await app.call(method, `${path}?${search}`, {
        encoded: true,
        headers: { prefer: prefer.join(', '), accept, 'content-type': contentType },
        ...(/^P/.test(method) && { body }),
      });
      statuses.add(response.status);
      expect(response.status, response.text).toBeLessThan(500);
      if (response.status >= 400) {
        expect(Object.keys(response.json as object).sort()).toEqual(['code', 'details', 'hint', 'message']);
        expect(response.text).not.toMatch(/pgrst_rows|set_config|SELECT /);
      }
    }),
    { numRuns: 600 },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404]));
}, 60_000);
