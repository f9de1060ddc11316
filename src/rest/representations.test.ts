import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { makeRestApp, type RestApp } from '../../test/support/rest-app.ts';

/** Colours are numbers in tables and text with a # for clients (PostgREST docs, "Domain Representations"). */
const fixture = `
  create domain color as int check (value between 0 and 16777215);
  create function color_json(color) returns json language sql immutable as
    $$ select to_json('#' || lpad(to_hex($1), 6, '0')) $$;
  create function color_of(text) returns color language sql immutable as
    $$ select ('x' || lpad(trim('#' from $1), 8, '0'))::bit(32)::int::color $$;
  create function color_of(json) returns color language sql immutable as $$ select color_of($1 #>> '{}') $$;
  create cast (color as json) with function color_json(color) as implicit;
  create cast (json as color) with function color_of(json) as implicit;
  create cast (text as color) with function color_of(text) as implicit;
  create table palettes (id int primary key, name text);
  create table shades (id int primary key, palette_id int references palettes, shade color default 255);
  insert into palettes values (1, 'Sea');
  insert into shades values (1, 1, 255), (2, 1, 65280), (3, null, 255);
  grant select, insert, update, delete on all tables in schema public to anon;
`;

let postgres: TestPostgres;
let app: RestApp;

beforeAll(async () => {
  postgres = await startPostgres('rest-representations');
  const plain = await makeRestApp(postgres.url, fixture);
  app = await plain.with({ db_aggregates_enabled: true, db_tx_end: 'rollback' });
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

it.each([
  ['with all columns', '/shades?id=eq.2', [{ id: 2, palette_id: 1, shade: '#00ff00' }]],
  ['by name', '/shades?select=shade&id=eq.2', [{ shade: '#00ff00' }]],
  ['under an alias', '/shades?select=s:shade&id=eq.2', [{ s: '#00ff00' }]],
  ['as itself where a cast asks for it', '/shades?select=shade::text&id=eq.2', [{ shade: '"#00ff00"' }]],
  [
    'inside an embedding',
    '/palettes?select=shades(shade)&shades.order=id.desc&shades.limit=1',
    [{ shades: [{ shade: '#00ff00' }] }],
  ],
  [
    'in a group',
    '/shades?select=shade,count()&order=shade',
    [
      { shade: '#0000ff', count: 2 },
      { shade: '#00ff00', count: 1 },
    ],
  ],
])('a response contains a column in its JSON form: %s', async (_, path, expected) => {
  expect((await app.call('GET', path)).json).toEqual(expected);
});

it.each([
  ['shade=eq.%2300ff00', [2]],
  ['shade=neq.%2300ff00', [1, 3]],
  ['shade=in.(%2300ff00,%23000000)', [2]],
  ['or=(shade.eq.%2300ff00,id.eq.3)', [2, 3]],
])('a filter contains the text form of a value: %s', async (query, expected) => {
  const { json } = await app.call('GET', `/shades?select=id&order=id&${query}`, { encoded: true });
  expect((json as { id: number }[]).map(({ id }) => id)).toEqual(expected);
});

it('a body and its response contain the JSON form of a value', async () => {
  const headers = { prefer: 'return=representation' };
  const inserted = await app.call('POST', '/shades', { headers, body: [{ id: 4, shade: '#0a0b0c' }] });
  expect([inserted.status, inserted.json]).toEqual([201, [{ id: 4, palette_id: null, shade: '#0a0b0c' }]]);
  const changed = await app.call('PATCH', '/shades?id=eq.1&select=id,shade', { headers, body: { shade: '#000001' } });
  expect(changed.json).toEqual([{ id: 1, shade: '#000001' }]);
});
