import { describe, expect, it } from 'vitest';
import { filmApp } from '../../test/support/film-app.ts';

const app = filmApp('rest-embedding');
const { get } = app;

describe('select with embedded relations', () => {
  it.each([
    [
      'many-to-one',
      '/films?select=title,director:directors!films_director_fkey(name)&id=in.(1,5)&order=id',
      [
        { title: 'Jeanne Dielman', director: { name: 'Akerman' } },
        { title: 'Lost reel', director: null },
      ],
    ],
    [
      'one-to-many',
      '/directors?select=name,films!films_director_fkey(title)&id=in.(1,4)&order=id',
      [
        { name: 'Akerman', films: [{ title: 'Jeanne Dielman' }] },
        { name: 'Nobody', films: [] },
      ],
    ],
    [
      'many-to-many',
      '/films?select=title,actors(name)&id=eq.3',
      [{ title: 'Vagabond', actors: expect.arrayContaining([{ name: 'Seyrig' }, { name: 'Bonnaire' }]) }],
    ],
    [
      'the junction beside what it joins',
      '/films?select=title,roles(character,actors(name))&id=eq.2',
      [{ title: 'Cleo', roles: [{ character: 'Cleo', actors: { name: 'Marchand' } }] }],
    ],
    [
      'recursive, both ways',
      '/directors?select=name,mentor:mentor_id(name),pupils:directors(name)&id=in.(2,3)&order=id',
      [
        { name: 'Varda', mentor: null, pupils: [{ name: 'Denis' }] },
        { name: 'Denis', mentor: { name: 'Varda' }, pupils: [] },
      ],
    ],
    [
      'through a view',
      '/recent_films?select=title,director_id(name)',
      [{ title: 'Beau travail', director_id: { name: 'Denis' } }],
    ],
    [
      'the same table twice',
      '/films?select=director:directors!films_director_fkey(name),editor:directors!films_editor_fkey(name)&id=eq.1',
      [{ director: { name: 'Akerman' }, editor: { name: 'Denis' } }],
    ],
    [
      'a computed to-one relationship',
      '/directors?select=name,debut(title)&id=eq.2',
      [{ name: 'Varda', debut: { title: 'Cleo' } }],
    ],
    [
      'a computed to-many relationship',
      '/directors?select=name,whole_work(title)&id=eq.2&whole_work.order=year.desc',
      [{ name: 'Varda', whole_work: [{ title: 'Vagabond' }, { title: 'Cleo' }] }],
    ],
    [
      'filters, order and limit inside',
      '/directors?select=id,films!films_director_fkey(id)&id=eq.2&films.year=lt.1990&films.order=year.desc&films.limit=1',
      [{ id: 2, films: [{ id: 3 }] }],
    ],
    [
      '!inner keeps only rows with a match',
      '/directors?select=id,films!films_director_fkey!inner(id)&films.year=gt.1980&order=id',
      [
        { id: 2, films: [{ id: 3 }] },
        { id: 3, films: [{ id: 4 }] },
      ],
    ],
    ['only rows without a related one', '/directors?select=id,films!films_director_fkey()&films=is.null', [{ id: 4 }]],
    [
      'only rows with a related one',
      '/directors?select=id,films!films_director_fkey()&films=not.is.null&order=id',
      [{ id: 1 }, { id: 2 }, { id: 3 }],
    ],
    [
      'an or over related rows',
      '/directors?select=id,films!films_director_fkey()&or=(films.not.is.null,name.eq.Nobody)&order=id',
      [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }],
    ],
    [
      'spread of one',
      '/films?select=title,...directors!films_director_fkey(director:name)&id=eq.1',
      [{ title: 'Jeanne Dielman', director: 'Akerman' }],
    ],
    [
      'spread of many',
      '/directors?select=name,...films!films_director_fkey(titles:title,year)&id=eq.2&films.order=year',
      [{ name: 'Varda', titles: ['Cleo', 'Vagabond'], year: [1962, 1985] }],
    ],
  ])('returns related rows: %s', async (_, path, expected) => {
    const { json } = await get(path);
    expect(json).toEqual(expected);
  });

  it('returns the related row as an object on both sides of a one-to-one relationship', async () => {
    const asMember = (path: string) => app.call('GET', path, { role: 'authenticated' });
    expect((await asMember('/films?select=id,specifications(camera)&id=in.(1,2)&order=id')).json).toEqual([
      { id: 1, specifications: { camera: 'Eclair' } },
      { id: 2, specifications: null },
    ]);
    expect((await asMember('/specifications?select=camera,films(id)&film_id=eq.4')).json).toEqual([
      { camera: 'Arri', films: { id: 4 } },
    ]);
  });

  it('returns an error with all candidates of an ambiguous relationship', async () => {
    const { status, json } = await get('/films?select=*,directors(*)');
    expect([status, json]).toEqual([
      300,
      {
        code: 'PGRST201',
        message: "Could not embed because more than one relationship was found for 'films' and 'directors'",
        details: ['films_director_fkey', 'films_editor_fkey'].map((name) => ({
          embedding: 'films with directors',
          cardinality: 'many-to-one',
          relationship: `${name} using films(${name.slice(6, -5)}_id) and directors(id)`,
        })),
        hint: expect.stringContaining("'directors!films_director_fkey', 'directors!films_editor_fkey'"),
      },
    ]);
  });

  it('returns a hint if there is no relationship', async () => {
    expect(await get('/films?select=*,actor(*)')).toMatchObject({
      status: 400,
      json: { code: 'PGRST200', hint: "Perhaps you meant 'actors' instead of 'actor'." },
    });
  });

  it('accepts the name of a relation that has an alias and adds a warning, unless url_use_legacy_target_names is disabled', async () => {
    const path = '/directors?select=id,work:films!films_director_fkey(id)&films.id=eq.1&id=eq.1';
    const { json, headers } = await get(path);
    expect(json).toEqual([{ id: 1, work: [{ id: 1 }] }]);
    expect(headers.warning).toContain('Update `films` to `work` in query string filters');
    const strict = await app.with({ url_use_legacy_target_names: false });
    expect(await strict.call('GET', path)).toMatchObject({
      status: 400,
      json: { code: 'PGRST108', hint: "Change 'films' to 'work' in filters, orders or limits." },
    });
    expect((await get(path.replace('films.id', 'work.id'))).headers.warning).toBeUndefined();
  });

  it('rejects a filter on a relation that is not embedded', async () => {
    expect(await get('/films?actors.name=eq.x')).toMatchObject({ status: 400, json: { code: 'PGRST108' } });
  });
});

describe('select with aggregates', () => {
  it('rejects aggregates unless db_aggregates_enabled is set', async () => {
    expect(await get('/films?select=count()')).toMatchObject({ status: 400, json: { code: 'PGRST123' } });
  });

  it.each([
    ['/films?select=count()', [{ count: 5 }]],
    [
      '/films?select=director_id,n:count(),best:rating.max()&director_id=not.is.null&order=director_id',
      [
        { director_id: 1, n: 1, best: 9.1 },
        { director_id: 2, n: 2, best: 8.4 },
        { director_id: 3, n: 1, best: null },
      ],
    ],
    ['/films?select=year.avg()::int,year.sum(),year.min()', [{ avg: 1980, sum: 7921, min: 1962 }]],
    ['/directors?select=name,films!films_director_fkey(count())&id=eq.2', [{ name: 'Varda', films: [{ count: 2 }] }]],
    ['/films?select=...directors!films_director_fkey(name),count()&director_id=eq.2', [{ name: 'Varda', count: 2 }]],
    [
      '/films?select=director_id::text,count()&director_id=not.is.null&order=director_id.desc',
      [
        { director_id: '3', count: 1 },
        { director_id: '2', count: 2 },
        { director_id: '1', count: 1 },
      ],
    ],
    ['/films?select=known:rating::int,count()&rating=gt.8.5', [{ known: 9, count: 1 }]],
    ['/films?select=count', [{ count: 5 }]],
    ['/films?select=year::text,details->>length,count()&id=eq.2', [{ year: '1962', length: '90', count: 1 }]],
  ])('returns the aggregates of %s', async (path, expected) => {
    const counting = await app.with({ db_aggregates_enabled: true });
    expect((await counting.call('GET', path)).json).toEqual(expected);
  });
});
