import { expect, inject, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';

const node = inject('node');

it('the hint of an error is the comment on the violated rule, as soon as the comment changes', async () => {
  const app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create domain public.postcode as text constraint postcode_digits check (value ~ '^\\d{4}$');
     comment on constraint postcode_digits on domain public.postcode is 'A postcode is four digits.';
     create table public.places (
       id int primary key, name text constraint places_named not null, code public.postcode, parent int references public.places (id),
       size int constraint places_size check (size > 0)
     );
     create unique index places_name on public.places (lower(name));
     comment on index public.places_name is 'There is a place of this name.';
     comment on constraint places_pkey on public.places is 'Ids are used once.';
     comment on constraint places_parent_fkey on public.places is 'The parent is a place.';
     comment on constraint places_size on public.places is 'A size is more than 0.';
     insert into public.places (id, name) values (1, 'Graz')`,
  );
  const client = clientOf(app, app.secret_key);
  const refused = async (row: object) => {
    const { error } = await client.from('places').insert({ id: 2, name: 'Linz', ...row });
    return [error?.code, error?.hint];
  };
  expect(await refused({ id: 1 })).toEqual(['23505', 'Ids are used once.']);
  expect(await refused({ name: 'GRAZ' })).toEqual(['23505', 'There is a place of this name.']);
  expect(await refused({ parent: 9 })).toEqual(['23503', 'The parent is a place.']);
  expect(await refused({ size: 0 })).toEqual(['23514', 'A size is more than 0.']);
  expect(await refused({ code: 'x' })).toEqual(['23514', 'A postcode is four digits.']);
  expect(await refused({ name: null })).toEqual(['23502', null]);
  await runSql(node, app.ref, `comment on constraint places_size on public.places is 'Not that small.'`);
  await expect.poll(() => refused({ size: 0 }), { timeout: 1000 }).toEqual(['23514', 'Not that small.']);
  await runSql(node, app.ref, 'comment on constraint places_size on public.places is null');
  await expect.poll(() => refused({ size: 0 }), { timeout: 1000 }).toEqual(['23514', null]);
});

it('the hint of an error is the comment on a NOT NULL constraint, if PostgreSQL stores such a comment', async () => {
  const app = await createApp(node);
  const version = await runSql(node, app.ref, 'show server_version_num');
  if (Number(version.results[0]?.rows[0]?.[0]) < 180_000) return;
  await runSql(
    node,
    app.ref,
    `create table public.places (id int primary key, name text constraint places_named not null);
     comment on constraint places_named on public.places is 'A place has a name.'`,
  );
  const { error } = await clientOf(app, app.secret_key).from('places').insert({ id: 1 });
  expect(error).toMatchObject({ code: '23502', hint: 'A place has a name.' });
});
