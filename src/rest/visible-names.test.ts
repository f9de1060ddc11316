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
     create function public.fire_everybody(reason text) returns void language sql as '';
     create function public.find_film(title text) returns int language sql as 'select 1';
     create function public.find_film(secret_budget int) returns int language sql as 'select 1';
     grant select (id, title) on public.films to anon;
     grant select on public.reviews, public.people, public.cast_members to anon;
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
