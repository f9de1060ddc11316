import { describe, expect, it } from 'vitest';
import { filmApp } from '../../test/support/film-app.ts';

const app = filmApp('rest-read');
const { get } = app;

/** Returns the ids that a query on films returns. */
const ids = async (query: string): Promise<unknown> => {
  const { status, json } = await get(`/films?select=id&order=id&${query}`);
  return status === 200 ? (json as { id: number }[]).map((row) => row.id) : json;
};

describe('GET: filters', () => {
  it.each([
    ['id=eq.1', [1]],
    ['id=neq.1', [2, 3, 4, 5]],
    ['year=gt.1975&year=lt.1999', [3]],
    ['year=gte.1975&year=lte.1985', [1, 3]],
    ['title=like.*a*d*', [3]],
    ['title=ilike.cleo', [2]],
    ['title=match.^.e', [1, 4]],
    ['title=imatch.^v', [3]],
    ['id=in.(1,3,99)', [1, 3]],
    ['title=in.("Cleo","Lost reel")', [2, 5]],
    ['id=in.()', []],
    ['year=is.null', [5]],
    ['year=not.is.null', [1, 2, 3, 4]],
    ['rating=is.not_null', [1, 2, 3, 5]],
    ['year=isdistinct.1975', [2, 3, 4, 5]],
    ['tags=cs.{slow}', [1]],
    ['tags=cd.{slow,kitchen,paris}', [1, 2, 3, 5]],
    ['tags=ov.{paris,dance}', [2, 4]],
    ['run=sl.[1970-01-01,1971-01-01)', [2]],
    ['run=sr.[1970-01-01,1971-01-01)', [1]],
    ['run=nxr.[1962-01-01,1970-01-01)', [2]],
    ['run=nxl.[1970-01-01,1971-01-01)', [1]],
    ['run=adj.[1975-12-31,1976-01-01)', [1]],
    ['plot=fts.waits', [2, 4]],
    ['plot=plfts(english).young wandering', [3]],
    ['plot=phfts(english).cooks and cleans', [1]],
    ['plot=wfts(english).dance -singer', [4]],
    ['id=eq(any).{1,2}', [1, 2]],
    ['title=like(all).{J*,*n}', [1]],
    ['title=not.like(any).{J*,C*}', [3, 4, 5]],
    ['details->length=gt.100', [1, 3]],
    ['details->>length=eq.90', [2]],
    ['details->crew->0->>name=eq.Mangolte', [1]],
    ['title_length=eq.4', [2]],
    ['or=(id.eq.1,and(year.gt.1980,rating.is.null))', [1, 4]],
    ['not.or=(id.eq.1,id.eq.2)', [3, 4, 5]],
    ['and=(id.gt.1,not.and(id.gt.2,id.lt.5))', [2, 5]],
    ['or=(title.eq."Lost reel",tags.cs.{slow,kitchen})', [1, 5]],
  ])('returns the matching rows for %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it("returns PostgreSQL's own code and a 4xx for a value of the wrong type", async () => {
    expect(await get('/films?id=eq.one')).toMatchObject({
      status: 400,
      json: { code: '22P02', message: 'invalid input syntax for type integer: "one"' },
    });
  });

  it('returns a 4xx for an unknown column', async () => {
    expect(await get('/films?colour=eq.red')).toMatchObject({
      status: 400,
      json: { code: '42703', message: 'column films.colour does not exist' },
    });
  });
});

describe('GET: select', () => {
  it.each([
    ['select=title,year&id=eq.2', [{ title: 'Cleo', year: 1962 }]],
    ['select=name:title,age:year::text&id=eq.2', [{ name: 'Cleo', age: '1962' }]],
    ['select=details->length,first:details->crew->0->>name&id=eq.1', [{ length: 201, first: 'Mangolte' }]],
    ['select=tags->0&id=eq.1', [{ tags: 'slow' }]],
    ['select=title_length&id=eq.2', [{ title_length: 4 }]],
  ])('returns the selected fields for %s', async (query, expected) => {
    expect((await get(`/films?${query}`)).json).toEqual(expected);
  });

  it('accepts any type in a cast, but nothing else', async () => {
    expect((await get('/films?select=rating::double precision&id=eq.2')).json).toEqual([{ rating: 8.4 }]);
    expect((await get('/films?select=rating::NUMERIC&id=eq.2')).json).toEqual([{ rating: 8.4 }]);
    expect(await get('/films?select=rating::nothing')).toMatchObject({ status: 400, json: { code: '42704' } });
  });
});

describe('GET: order', () => {
  it.each([
    ['order=year', [2, 1, 3, 4, 5]],
    ['order=year.desc', [5, 4, 3, 1, 2]],
    ['order=year.desc.nullslast', [4, 3, 1, 2, 5]],
    ['order=year.nullsfirst', [5, 2, 1, 3, 4]],
    ['order=director_id.desc.nullslast,year.desc', [4, 3, 2, 1, 5]],
    ['order=details->length.desc.nullslast', [1, 3, 4, 2, 5]],
  ])('returns the rows in the order of %s', async (query, expected) => {
    const { json } = await get(`/films?select=id&${query}`);
    expect((json as { id: number }[]).map((row) => row.id)).toEqual(expected);
  });

  it('orders by a column of a related row', async () => {
    const { json } = await get(
      '/films?select=id,director:directors!films_director_fkey(name)&order=director(name).desc,id',
    );
    expect((json as { id: number }[]).map((row) => row.id)).toEqual([5, 2, 3, 4, 1]);
  });

  it.each([
    ['a column that is not shown', 'director:directors!films_director_fkey(id)&order=director(name).desc,id'],
    ['a column under another name', 'director:directors!films_director_fkey(id,n:name)&order=director(name).desc,id'],
    [
      'a column of what is only spread',
      '...directors!films_director_fkey(director_id:id)&order=directors(name).desc,id',
    ],
    ['the alias of a column', 'director:directors!films_director_fkey(n:name)&order=director(n).desc,id'],
    ['the alias of a spread column', '...directors!films_director_fkey(n:name)&order=directors(n).desc,id'],
    ['a column of what is not shown', 'director:directors!films_director_fkey()&order=director(name).desc,id'],
    ['a JSON path', 'director:directors!films_director_fkey(id)&order=director(name->>0).desc,director(name).desc,id'],
  ])('orders by %s, which the response does not show', async (_, query) => {
    const plain = await get(`/films?select=id,${query.split('&')[0]}&id=eq.2`);
    const { status, json } = await get(`/films?select=id,${query}`);
    const rows = json as { id: number }[];
    expect([status, rows.map((row) => row.id)]).toEqual([200, [5, 2, 3, 4, 1]]);
    expect(rows[1]).toEqual((plain.json as unknown[])[0]);
  });

  it('orders the elements of a relation that is spread as arrays', async () => {
    const query = '...films!films_director_fkey(title,editor:directors!films_editor_fkey(id))&films.order=editor(name)';
    expect((await get(`/directors?select=name,${query}&id=eq.2`)).json).toEqual([
      { name: 'Varda', title: ['Vagabond', 'Cleo'], editor: [{ id: 2 }, null] },
    ]);
  });

  it('uses the first order if the request has several', async () => {
    const { json } = await get('/films?select=id&order=id.desc&order=id.asc&limit=1');
    expect(json).toEqual([{ id: 5 }]);
  });

  it('rejects an order by a relation that is not embedded, with a hint', async () => {
    expect(await get('/films?select=id,d:directors!films_director_fkey(id)&order=directors(name)')).toMatchObject({
      status: 400,
      json: { code: 'PGRST108', hint: "Verify that 'directors' is included in the 'select' query parameter." },
    });
  });

  it('rejects an order by a column of a to-many relation', async () => {
    expect(await get('/directors?select=*,films!films_director_fkey(*)&order=films(year)')).toMatchObject({
      status: 400,
      json: {
        code: 'PGRST118',
        details: "'directors' and 'films' do not form a many-to-one or one-to-one relationship",
      },
    });
  });
});

describe('GET: pages', () => {
  it('applies limit and offset', async () => {
    const { status, json, headers } = await get('/films?select=id&order=id&limit=2&offset=1');
    expect([status, json, headers['content-range']]).toEqual([200, [{ id: 2 }, { id: 3 }], '1-2/*']);
  });

  it('applies the Range header and returns the exact count', async () => {
    const { status, json, headers } = await get('/films?select=id&order=id', { range: '0-1', prefer: 'count=exact' });
    expect([status, json, headers['content-range']]).toEqual([206, [{ id: 1 }, { id: 2 }], '0-1/5']);
  });

  it('returns 200 instead of 206 if the page contains all matching rows', async () => {
    const { status, headers } = await get('/films?select=id', { prefer: 'count=exact' });
    expect([status, headers['content-range'], headers['preference-applied']]).toEqual([200, '0-4/5', 'count=exact']);
  });

  it.each(['planned', 'estimated'])('accepts a count that is %s', async (kind) => {
    const { headers } = await get('/films?select=id&id=lt.3', { prefer: `count=${kind}` });
    expect(headers['content-range']).toMatch(/^0-1\/\d+$/);
  });

  it('returns the greater one of the exact count and the estimate if db_max_rows sets no limit', async () => {
    const unlimited = await app.with({ db_max_rows: null });
    const path = '/directors?select=id,films!films_director_fkey()&films=not.is.null';
    const totalOf = async (count: string): Promise<number> => {
      const { headers } = await unlimited.call('GET', path, { headers: { prefer: `count=${count}` } });
      return Number(headers['content-range']?.split('/')[1]);
    };
    const [exact, planned] = [await totalOf('exact'), await totalOf('planned')];
    expect(await totalOf('estimated')).toBe(Math.max(exact, planned));
    expect(planned).toBeGreaterThanOrEqual(exact);
  });

  it('returns an empty page', async () => {
    const { status, headers } = await get('/films?id=eq.99', { prefer: 'count=exact' });
    expect([status, headers['content-range']]).toEqual([200, '*/0']);
    expect((await get('/films?limit=0')).json).toEqual([]);
  });

  it.each([
    ['/films?limit=-1', {}, 'Limit should be greater than or equal to zero.'],
    [
      '/films',
      { range: '5-1' },
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    ],
    ['/films?offset=9', { prefer: 'count=exact' }, 'An offset of 9 was requested, but there are only 5 rows.'],
  ])('rejects %s with %o as a range', async (path, headers, details) => {
    expect(await get(path, headers as Record<string, string>)).toMatchObject({
      status: 416,
      json: { code: 'PGRST103', details },
    });
  });

  it('never returns more rows than db_max_rows on any level, with a correct count', async () => {
    const small = await app.with({ db_max_rows: 2 });
    const { json, headers, status } = await small.call(
      'GET',
      '/directors?select=id,films!films_director_fkey(id)&order=id',
      {
        headers: { prefer: 'count=exact' },
      },
    );
    expect([status, headers['content-range']]).toEqual([206, '0-1/4']);
    expect(json).toHaveLength(2);
  });

  it('reports in a header that db_max_rows ended the response, and only in this case', async () => {
    const small = await app.with({ db_max_rows: 2 });
    const said = async (path: string) => (await small.call('GET', path)).headers['ninefold-max-rows'];
    expect(await said('/films?select=id')).toBe('2');
    expect(await said('/films?select=id&limit=3')).toBe('2');
    expect(await said('/films?select=id&limit=2')).toBeUndefined();
    expect(await said('/films?select=id&id=eq.1')).toBeUndefined();
  });

  it.each([
    ['limit=9', 200, '0-4/5', 0],
    ['limit=5', 200, '0-4/5', 1],
    ['limit=2', 206, '0-1/5', 1],
    ['offset=3', 206, '3-4/5', 0],
    ['offset=3&limit=4', 206, '3-4/5', 0],
    ['offset=3&limit=2', 206, '3-4/5', 1],
    ['offset=5', 206, '*/5', 1],
    ['id=gt.9&limit=3', 200, '*/0', 0],
  ])(
    'counts the rows of %s exactly, and scans the table a second time only if the page does not tell the number',
    async (query, status, range, scans) => {
      const limited = await app.with({ db_max_rows: 100, db_plan_enabled: true });
      const path = `/films?select=id&${query}`;
      const counted = await limited.call('GET', path, { headers: { prefer: 'count=exact' } });
      expect([counted.status, counted.headers['content-range']]).toEqual([status, range]);
      const accept = 'application/vnd.pgrst.plan+json; options=analyze';
      const { json } = await limited.call('GET', path, { headers: { prefer: 'count=exact', accept } });
      const loops: number[] = [];
      const visit = (part: Record<string, unknown>): void => {
        if (String(part['Subplan Name']).startsWith('InitPlan')) loops.push(part['Actual Loops'] as number);
        for (const child of (part.Plans as Record<string, unknown>[] | undefined) ?? []) visit(child);
      };
      visit((json as [{ Plan: Record<string, unknown> }])[0].Plan);
      expect(loops).toEqual([scans]);
    },
  );

  it('counts all rows of an aggregate, not its groups', async () => {
    const aggregates = await app.with({ db_aggregates_enabled: true, db_max_rows: 100 });
    const { headers } = await aggregates.call('GET', '/films?select=count()', { headers: { prefer: 'count=exact' } });
    expect(headers['content-range']).toBe('0-0/5');
  });

  it('returns headers without a body for HEAD', async () => {
    const response = await app.call('HEAD', '/films?select=id', { headers: { prefer: 'count=exact' } });
    expect([response.status, response.text, response.headers['content-range']]).toEqual([200, '', '0-4/5']);
  });
});

describe('GET: unknown names', () => {
  it.each([
    ['/film', 404, 'PGRST205', "Perhaps you meant the table 'public.films'"],
    ['/nothing_like_it', 404, 'PGRST205', null],
    ['/films/1', 404, 'PGRST125', null],
    ['/rpc/add', 404, 'PGRST202', null],
  ])('responds to %s with %i %s', async (path, status, code, hint) => {
    expect(await get(path)).toMatchObject({ status, json: { code, hint } });
  });
});

describe('GET: permissions', () => {
  it('shows a member only the rows that belong to the member', async () => {
    const asked = (sub: string) => app.call('GET', '/notes?select=id', { role: 'authenticated', claims: { sub } });
    expect((await asked('ada')).json).toEqual([{ id: 1 }]);
    expect((await asked('bob')).json).toEqual([{ id: 2 }]);
    expect((await asked('eve')).json).toEqual([]);
  });

  it('returns 401 to an anonymous caller without a grant, and 403 to a member', async () => {
    const anonymous = await get('/specifications');
    expect(anonymous).toMatchObject({
      status: 401,
      json: { code: '42501' },
      headers: { 'www-authenticate': 'Bearer' },
    });
    const embedded = await get('/films?select=id,specifications(camera)');
    expect(embedded.status).toBe(401);
    const member = await app.call('DELETE', '/specifications?film_id=eq.1', { role: 'service_role' });
    expect(member).toMatchObject({ status: 403, json: { code: '42501' } });
  });

  it('does not let a GET request write', async () => {
    await app.script(`
      create function sneak() returns void stable language plpgsql as $$ begin delete from films; end $$;
      create function sneak_volatile() returns void language plpgsql as $$ begin delete from films where false; end $$;
    `);
    expect(await get('/rpc/sneak_volatile')).toMatchObject({ status: 405, json: { code: '25006' } });
  });
});
