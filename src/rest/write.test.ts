import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { makeRestApp, type RestApp, type RestCall } from '../../test/support/rest-app.ts';
import { filmLibrary } from '../../test/support/rest-fixture.ts';

let postgres: TestPostgres;
let app: RestApp;

beforeAll(async () => {
  postgres = await startPostgres('rest-write');
  app = await makeRestApp(
    postgres.url,
    `${filmLibrary}
     create table shelves (room text, number int, label text default 'empty', primary key (room, number));
     grant all on shelves to anon;
     create view shelf_labels as select room, number, label from shelves;
     grant all on shelf_labels to anon;
     create policy see_all on notes for select to service_role using (true);
     create table inbox (id serial primary key, body text);
     alter table inbox enable row level security;
     create policy send on inbox for insert with check (true);
     grant insert, select on inbox to anon;
     grant usage on sequence inbox_id_seq to anon;`,
  );
});
beforeEach(() =>
  app.script(`truncate shelves; insert into shelves values ('hall', 1, 'a'), ('hall', 2, 'b'), ('attic', 1, 'c')`),
);
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const full = { prefer: 'return=representation' };
const send = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  call: RestCall = {},
) => app.call(method, path, { ...call, body, headers: { 'content-type': 'application/json', ...headers } });
/** Returns the stored shelves. */
const shelves = async () =>
  ((await app.call('GET', '/shelves?order=room,number')).json as { room: string; number: number; label: string }[]).map(
    (row) => `${row.room} ${row.number} ${row.label}`,
  );

describe('POST', () => {
  it('returns 201 without a body, and writes the row', async () => {
    const response = await send('POST', '/shelves', { room: 'cellar', number: 7, label: 'z' });
    expect([response.status, response.text, response.headers['content-range']]).toEqual([201, '', '*/*']);
    expect(await shelves()).toContain('cellar 7 z');
  });

  it('returns the rows in the form of select', async () => {
    const response = await send('POST', '/shelves?select=number,at:room', { room: 'cellar', number: 7 }, full);
    expect(response).toMatchObject({
      status: 201,
      json: [{ number: 7, at: 'cellar' }],
      headers: { 'preference-applied': 'return=representation' },
    });
  });

  it('embeds rows that the new row references', async () => {
    const path = '/films?select=title,director:directors!films_director_fkey(name)';
    const { json } = await send('POST', path, { title: 'Saute ma ville', director_id: 1 }, full);
    expect(json).toEqual([{ title: 'Saute ma ville', director: { name: 'Akerman' } }]);
  });

  it('returns the location of one new row', async () => {
    const { headers } = await send(
      'POST',
      '/shelves',
      { room: 'a room', number: 7 },
      { prefer: 'return=headers-only' },
    );
    expect(headers.location).toBe('/shelves?room=eq.a%20room&number=eq.7');
  });

  it('writes many rows, counts them, and sets missing keys to null or, on request, to the default', async () => {
    const rows = [
      { room: 'x', number: 1, label: 'l' },
      { room: 'x', number: 2 },
    ];
    expect(await send('POST', '/shelves', rows)).toMatchObject({
      status: 400,
      json: { code: 'PGRST102', message: 'All object keys must match' },
    });
    const nulls = await send('POST', '/shelves?columns=room,number,label', rows, { prefer: 'count=exact' });
    expect([nulls.status, nulls.headers['content-range']]).toEqual([201, '*/2']);
    expect(await shelves()).toEqual(expect.arrayContaining(['x 1 l', 'x 2 null']));
    const defaults = [
      { room: 'y', number: 1, label: 'l' },
      { room: 'y', number: 2 },
    ];
    await send('POST', '/shelves?columns=room,number,label', defaults, { prefer: 'missing=default' });
    expect(await shelves()).toEqual(expect.arrayContaining(['y 1 l', 'y 2 empty']));
  });

  it('ignores keys of the body that the parameter columns does not name', async () => {
    const { json } = await send(
      'POST',
      '/shelves?columns=room,number',
      { room: 'x', number: 1, label: 'no', odd: 1 },
      full,
    );
    expect(json).toEqual([{ room: 'x', number: 1, label: 'empty' }]);
  });

  it.each([
    [
      'CSV',
      'text/csv',
      'room,number,label\r\ncsv,1,"a, ""b"""\ncsv,2,NULL\n',
      [
        ['csv', 1, 'a, "b"'],
        ['csv', 2, null],
      ],
    ],
    ['a form', 'application/x-www-form-urlencoded', 'room=form&number=3&label=a+b%26', [['form', 3, 'a b&']]],
  ])('accepts %s', async (_, contentType, body, rows) => {
    const { json } = await send('POST', '/shelves', body, { 'content-type': contentType, ...full });
    expect((json as Record<string, unknown>[]).map((row) => [row.room, row.number, row.label])).toEqual(rows);
  });

  it.each([
    ['{"room": ', 'PGRST102'],
    ['', 'PGRST102'],
    ['{"nope": 1}', 'PGRST204'],
    ['{"room": "x", "number": "seven"}', '22P02'],
    ['[1, 2]', 'PGRST102'],
    ['{"room": "x", "number": null}', '23502'],
  ])('rejects %s with %s', async (body, code) => {
    expect(await send('POST', '/shelves', body)).toMatchObject({ status: 400, json: { code } });
  });

  it('returns a conflict for an existing row', async () => {
    expect(await send('POST', '/shelves', { room: 'hall', number: 1 })).toMatchObject({
      status: 409,
      json: { code: '23505' },
    });
  });

  it('returns one new row as a single object on request', async () => {
    const accept = 'application/vnd.pgrst.object+json';
    const { status, json } = await send('POST', '/shelves', { room: 'x', number: 1 }, { accept, ...full });
    expect([status, json]).toEqual([201, { room: 'x', number: 1, label: 'empty' }]);
  });

  it('writes nothing if a single object is requested and there are two rows', async () => {
    const rows = [
      { room: 'x', number: 1 },
      { room: 'x', number: 2 },
    ];
    const response = await send('POST', '/shelves', rows, { accept: 'application/vnd.pgrst.object+json', ...full });
    expect(response).toMatchObject({ status: 406, json: { code: 'PGRST116', details: 'The result contains 2 rows' } });
    expect(await shelves()).toHaveLength(3);
  });
});

describe('POST and PUT with upsert', () => {
  const rows = [
    { room: 'hall', number: 1, label: 'new' },
    { room: 'hall', number: 9, label: 'new' },
  ];

  it('merges duplicates', async () => {
    const response = await send('POST', '/shelves', rows, { prefer: 'resolution=merge-duplicates' });
    expect([response.status, response.headers['preference-applied']]).toEqual([201, 'resolution=merge-duplicates']);
    expect(await shelves()).toEqual(['attic 1 c', 'hall 1 new', 'hall 2 b', 'hall 9 new']);
  });

  it('returns 200 if every row of the upsert existed', async () => {
    const response = await send('POST', '/shelves', [rows[0]], { prefer: 'resolution=merge-duplicates' });
    expect(response.status).toBe(200);
  });

  it('ignores duplicates', async () => {
    const { json } = await send('POST', '/shelves', rows, {
      prefer: 'resolution=ignore-duplicates,return=representation',
    });
    expect(json).toEqual([rows[1]]);
  });

  it('detects conflicts on other columns than the primary key', async () => {
    const call = { role: 'authenticated', claims: { sub: 'ada' } };
    const prefer = 'resolution=merge-duplicates,return=representation';
    const row = { id: 7, owner: 'ada', body: 'mine' };
    const { json } = await send('POST', '/notes?on_conflict=owner,body', row, { prefer }, call);
    expect(json).toEqual([row]);
  });

  it('writes the row of a PUT, whether it exists or not', async () => {
    const put = (body: unknown) => send('PUT', '/shelves?room=eq.hall&number=eq.1', body, full);
    expect(await put({ room: 'hall', number: 1, label: 'put' })).toMatchObject({
      status: 200,
      json: [{ label: 'put' }],
    });
    expect(await put({ room: 'hall', number: 2, label: 'put' })).toMatchObject({
      status: 400,
      json: { code: 'PGRST115' },
    });
    expect(await shelves()).toEqual(['attic 1 c', 'hall 1 put', 'hall 2 b']);
    const fresh = await send('PUT', '/shelves?room=eq.x&number=eq.1', { room: 'x', number: 1 }, full);
    expect(fresh.status).toBe(201);
    expect(await send('PUT', '/shelves?room=eq.x', { room: 'x', number: 1 })).toMatchObject({
      status: 405,
      json: { code: 'PGRST105' },
    });
    expect(await send('PUT', '/shelves?room=eq.x&number=eq.1&limit=1', { room: 'x', number: 1 })).toMatchObject({
      status: 400,
      json: { code: 'PGRST114' },
    });
  });
});

describe('PATCH', () => {
  it('changes the rows that match the filter', async () => {
    const response = await send('PATCH', '/shelves?room=eq.hall', { label: 'new' });
    expect([response.status, response.text, response.headers['content-range']]).toEqual([204, '', '0-1/*']);
    expect(await shelves()).toEqual(['attic 1 c', 'hall 1 new', 'hall 2 new']);
  });

  it('returns the changed rows', async () => {
    const { status, json } = await send('PATCH', '/shelves?room=eq.attic&select=label', { label: 'new' }, full);
    expect([status, json]).toEqual([200, [{ label: 'new' }]]);
  });

  it('succeeds without matching rows', async () => {
    const { status, json } = await send('PATCH', '/shelves?room=eq.nowhere', { label: 'new' }, full);
    expect([status, json]).toEqual([200, []]);
  });

  it('changes nothing for an empty object', async () => {
    const { status, json } = await send('PATCH', '/shelves', {}, full);
    expect([status, json]).toEqual([200, []]);
  });

  it('writes to a table through a view', async () => {
    await send('PATCH', '/shelf_labels?number=eq.2', { label: 'seen' });
    expect(await shelves()).toContain('hall 2 seen');
  });

  it('reports the columns that another caller has changed, if the filters contain the values that this caller had read', async () => {
    const report = { prefer: 'return=representation, conflict=report' };
    const save = (query: string, body: unknown, headers: Record<string, string> = report) =>
      send('PATCH', `/shelves?room=eq.hall&number=eq.1${query}`, body, headers);
    expect((await save('&label=eq.a', { label: 'mine' })).json).toMatchObject([{ label: 'mine' }]);
    expect(await save('&label=eq.a', { label: 'late' })).toMatchObject({
      status: 409,
      json: { code: 'row_changed', details: { label: 'mine' } },
    });
    const object = { ...report, accept: 'application/vnd.pgrst.object+json' };
    expect(await save('&label=is.null', { label: 'late' }, object)).toMatchObject({ json: { code: 'row_changed' } });
    expect(await shelves()).toContain('hall 1 mine');
    // The response is the same as PostgREST's if the preference is missing, if no row has the key, or if no filter
    // contains a value that was read.
    for (const [query, headers] of [
      ['&label=eq.a', full],
      ['&room=eq.none', report],
    ] as const) {
      expect(await save(query, { label: 'late' }, headers)).toMatchObject({ status: 200, json: [] });
    }
    expect((await send('PATCH', '/shelves?room=eq.hall&label=eq.x', { label: 'y' }, report)).json).toEqual([]);
  });

  it('applies an or tree', async () => {
    await send('PATCH', '/shelves?or=(number.eq.2,room.eq.attic)', { label: 'new' });
    expect(await shelves()).toEqual(['attic 1 new', 'hall 1 a', 'hall 2 new']);
  });

  it('writes nothing if more rows than max-affected match', async () => {
    const response = await send(
      'PATCH',
      '/shelves?room=eq.hall',
      { label: 'new' },
      { prefer: 'handling=strict,max-affected=1' },
    );
    expect(response).toMatchObject({ status: 400, json: { code: 'PGRST124', details: 'The query affects 2 rows' } });
    expect(await shelves()).toEqual(['attic 1 c', 'hall 1 a', 'hall 2 b']);
  });

  it('writes nothing if a single object is requested and two rows match', async () => {
    const accept = 'application/vnd.pgrst.object+json';
    expect(await send('PATCH', '/shelves?room=eq.hall', { label: 'new' }, { accept })).toMatchObject({
      status: 406,
      json: { code: 'PGRST116' },
    });
    expect(await shelves()).toEqual(['attic 1 c', 'hall 1 a', 'hall 2 b']);
  });
});

describe('DELETE', () => {
  it('deletes the rows that match the filter and counts them', async () => {
    const response = await send('DELETE', '/shelves?room=eq.hall', undefined, { prefer: 'count=exact' });
    expect([response.status, response.text, response.headers['content-range']]).toEqual([204, '', '*/2']);
    expect(await shelves()).toEqual(['attic 1 c']);
  });

  it('returns the deleted rows in order', async () => {
    const { json } = await send('DELETE', '/shelves?select=label&order=label.desc', undefined, full);
    expect(json).toEqual([{ label: 'c' }, { label: 'b' }, { label: 'a' }]);
  });
});

describe('Writes with row-level security', () => {
  const as = (sub: string): RestCall => ({ role: 'authenticated', claims: { sub } });

  it('rejects a row in the name of another member', async () => {
    expect(await send('POST', '/notes', { id: 50, owner: 'ada', body: 'x' }, {}, as('bob'))).toMatchObject({
      status: 403,
      json: { code: '42501', message: 'new row violates row-level security policy for table "notes"' },
    });
  });

  it('does not change or delete rows of another member', async () => {
    expect((await send('PATCH', '/notes?owner=eq.ada', { body: 'hers?' }, full, as('bob'))).json).toEqual([]);
    expect((await send('DELETE', '/notes?owner=eq.ada', undefined, full, as('bob'))).json).toEqual([]);
    expect((await app.call('GET', '/notes?select=owner,body', as('ada'))).json).toEqual([
      { owner: 'ada', body: 'mine' },
    ]);
  });

  it('writes a row that the caller may not read if the caller requests no representation', async () => {
    expect((await send('POST', '/inbox', { body: 'hello' })).status).toBe(201);
    expect((await send('POST', '/inbox', { body: 'hello' }, full)).status).toBe(401);
  });
});

describe('Prefer: tx', () => {
  it('writes nothing for tx=rollback and still returns the normal response, if the app allows this preference', async () => {
    const allowed = await app.with({ db_tx_end: 'commit-allow-override' });
    const response = await allowed.call('POST', '/shelves', {
      body: { room: 'x', number: 1 },
      headers: { prefer: 'tx=rollback,return=representation' },
    });
    expect(response).toMatchObject({ status: 201, json: [{ room: 'x' }] });
    expect(response.headers['preference-applied']).toBe('return=representation, tx=rollback');
    expect(await shelves()).toHaveLength(3);
  });

  it('is ignored by default', async () => {
    await send('POST', '/shelves', { room: 'x', number: 1 }, { prefer: 'tx=rollback' });
    expect(await shelves()).toHaveLength(4);
  });

  it('does not affect the next request on the same connection', async () => {
    const always = await app.with({ db_tx_end: 'rollback' });
    for (let i = 0; i < 8; i += 1) {
      await always.call('POST', '/shelves', { body: { room: 'x', number: i } });
      expect((await always.call('GET', '/shelves?select=room')).json).toHaveLength(3);
    }
  });
});

it('a request with unknown preferences fails only with handling=strict', async () => {
  expect((await send('POST', '/shelves', { room: 'x', number: 1 }, { prefer: 'odd=1' })).status).toBe(201);
  expect(await send('POST', '/shelves', { room: 'x', number: 2 }, { prefer: 'handling=strict, odd=1' })).toMatchObject({
    status: 400,
    json: { code: 'PGRST122', details: 'Invalid preferences: odd=1' },
  });
});
