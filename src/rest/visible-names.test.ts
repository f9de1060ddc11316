import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { makeRestApp, type RestApp } from '../../test/support/rest-app.ts';

let postgres: TestPostgres;
let app: RestApp;

beforeAll(async () => {
  postgres = await startPostgres('visible-names');
  app = await makeRestApp(
    postgres.url,
    `grant usage on schema public to anon, authenticated, service_role;
     alter default privileges revoke execute on functions from public;
     create table public.films (id int primary key, title text, secret_rating int);
     create table public.payroll_secrets (id int primary key, film_id int references public.films, salary int);
     create table public.reviews (id int primary key, film_id int references public.films);
     create table public.people (id int primary key);
     create table public.cast_members (film_id int references public.films, person_id int references public.people, primary key (film_id, person_id));
     create table public.crew_secrets (film_id int references public.films, person_id int references public.people, primary key (film_id, person_id));
     create table public.orders (id int primary key, film_id int references public.films, shadow_film_id int references public.films);
     create table public.inbox (id int primary key, note text, reply text, verdict text not null default '');
     create schema hidden; create table hidden.parts (id int primary key);
     create table public.links (inbox_id int references public.inbox, part_id int references hidden.parts);
     create function public.fire_everybody(reason text) returns void language sql as '';
     create function public.find_film(title text) returns int language sql as 'select 1';
     create function public.find_film(secret_budget int) returns int language sql as 'select 1';
     grant select (id, title) on public.films to anon;
     grant select on public.reviews, public.people, public.cast_members to anon;
     grant select (id, film_id) on public.orders to anon;
     grant insert (note), update (reply) on public.inbox to anon;
     grant select on public.links to anon;
     grant execute on function public.find_film(text) to anon;
     grant all on all tables in schema public to authenticated;
     grant execute on all functions in schema public to authenticated`,
  );
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const textOf = async (path: string, role = 'anon', method = 'GET') => {
  const { text } = await app.call(method, path, { role, ...(method === 'POST' && { body: {} }) });
  return text;
};

describe('withVisibleNames', () => {
  it.each([
    ['PGRST205', '/payroll_secret', 'payroll_secrets'],
    ['PGRST202', '/rpc/fire_everybod', 'fire_everybody'],
    ['PGRST202', '/rpc/find_film?secret_budge=1', 'secret_budget'],
    ['PGRST200', '/films?select=*,payroll_secret(*)', 'payroll_secrets'],
    ['42703', '/films?select=secret_ratin', 'secret_rating'],
    ['42703', '/payroll_secrets?select=salry', 'salary'],
    ['PGRST201', '/films?select=id,people(*)', 'crew_secrets'],
    ['PGRST201', '/orders?select=id,films(id)', 'shadow_film_id'],
  ])('names, in the hint of %s, only objects on which the role has a privilege: %s', async (code, path, name) => {
    const [anon, member] = [await textOf(path), await textOf(path, 'authenticated')];
    expect(JSON.parse(member).code).toBe(code);
    expect(member).toContain(name);
    expect(anon.replaceAll(decodeURIComponent(path), '')).not.toContain(name);
    if (code !== 'PGRST201') expect(JSON.parse(anon).code).toBe(code);
  });

  it.each([
    ['/film', "Perhaps you meant the table 'public.films'"],
    ['/rpc/find_fil', 'Perhaps you meant to call the function public.find_film'],
    ['/films?select=*,review(*)', "Perhaps you meant 'reviews' instead of 'review'."],
    ['/films?select=titl', 'Perhaps you meant to reference the column "films.title".'],
  ])('proposes only objects that the role may use: %s', async (path, hint) => {
    expect(JSON.parse(await textOf(path)).hint).toBe(hint);
  });

  it('omits the hint for a role that the database does not have', async () => {
    const body = JSON.parse(await textOf('/film', 'nobody_of_this_name'));
    expect(body).toMatchObject({ code: 'PGRST205', hint: null });
  });
});

describe('GET / with column privileges', () => {
  type Definitions = Record<string, { properties: object } | undefined>;
  const documentFor = async (role: string) => JSON.parse(await textOf('/', role)) as { definitions: Definitions };
  const fieldsOf = (definition: { properties: object } | undefined) => Object.keys(definition?.properties ?? {});

  it('describes only the columns that the role may use, and the keys that lead to such columns', async () => {
    const [anon, member] = [await documentFor('anon'), await documentFor('authenticated')];
    expect(fieldsOf(anon.definitions.films)).toEqual(['id', 'title']);
    expect(fieldsOf(anon.definitions.orders)).toEqual(['id', 'film_id']);
    for (const name of ['secret_rating', 'shadow_film_id', 'payroll_secrets', 'salary']) {
      expect([JSON.stringify(anon).includes(name), JSON.stringify(member).includes(name)]).toEqual([false, true]);
    }
  });

  it('describes the columns of a table that the role may only insert or update', async () => {
    const { definitions } = await documentFor('anon');
    expect(fieldsOf(definitions.inbox)).toEqual(['note', 'reply']);
    expect(fieldsOf(definitions.links)).toEqual(['inbox_id', 'part_id']);
    expect(JSON.stringify([definitions.inbox, definitions.links])).not.toMatch(/verdict|Foreign Key|required/);
    expect(JSON.stringify((await documentFor('authenticated')).definitions.links)).toContain('inbox.id');
  });
});
