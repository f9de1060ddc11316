import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import type { RoleCell } from '../../contract/specification-roles.ts';
import { admin, createApp, runSql } from '../support/apps.ts';

const node = inject('node');

/** A function, its description in chapter 6, and the results of calls to it. */
interface Shape {
  readonly what: string;
  /** The SQL that creates the function, which is named `f`. */
  readonly makes: string;
  readonly verdict: RoleCell['verdict'];
  readonly words?: string;
  /** Bodies that every caller may send to it. */
  readonly runs?: readonly object[];
  /** Bodies that are refused because a privilege is missing. */
  readonly refused?: readonly object[];
}

/** PL/pgSQL, because PostgreSQL may inline the body of an SQL function and then not compute unused parts. */
const returning = `returns int language plpgsql as 'begin return 1; end'`;

const shapes: readonly Shape[] = [
  {
    what: 'a domain whose check function the role may execute',
    makes: `create function f(a back.open) ${returning}`,
    verdict: 'always',
    runs: [{ a: 'x' }],
  },
  {
    what: 'a domain whose check function the role may not execute',
    makes: `create function f(a back.closed) ${returning}`,
    verdict: 'never',
    refused: [{ a: 'x' }, { a: null }],
  },
  {
    what: 'a domain over a domain whose check function the role may not execute',
    makes: `create function f(a back.closed_again) ${returning}`,
    verdict: 'never',
    refused: [{ a: 'x' }],
  },
  {
    what: 'such a domain in a SECURITY DEFINER function, because the caller still converts the value',
    makes: `create function f(a back.closed) ${returning} security definer`,
    verdict: 'never',
    refused: [{ a: 'x' }],
  },
  {
    what: 'an argument of such a domain that a call may omit',
    makes: `create function f(b int, a back.closed default back.made()) ${returning}`,
    verdict: 'when',
    words: 'without a',
    runs: [{ b: 1 }],
    refused: [{ b: 1, a: 'x' }],
  },
  {
    what: 'an argument of such a domain whose default the caller converts to the domain',
    makes: `create function f(b int, a back.closed default 'x') ${returning}`,
    verdict: 'never',
    refused: [{ b: 1 }, { b: 1, a: 'x' }],
  },
  {
    what: 'a default that is cast to such a domain and then to another type',
    makes: `create function f(a text default 'x'::back.closed::text) ${returning}`,
    verdict: 'when',
    words: 'with a given',
    runs: [{ a: 'x' }],
    refused: [{}],
  },
  {
    what: 'an array of such a domain',
    makes: `create function f(a back.closed[]) ${returning}`,
    verdict: 'when',
    words: 'with no back.closed in a',
    runs: [{ a: [] }, { a: null }],
    refused: [{ a: ['x'] }],
  },
  {
    what: 'a range and a multirange over such a domain',
    makes: `create type span as range (subtype = back.closed); create function f(a span, b span_multirange default null) ${returning}`,
    verdict: 'when',
    words: 'with no back.closed in a, with no back.closed in b',
    runs: [{ a: 'empty' }, { a: null }, { a: 'empty', b: '{}' }],
    refused: [{ a: '[x,y]' }, { a: 'empty', b: '{[x,y]}' }],
  },
  {
    what: 'a variadic argument of such a domain',
    makes: `create function f(variadic a back.closed[]) ${returning}`,
    verdict: 'when',
    words: 'with no back.closed in a',
    runs: [{ a: [] }],
    refused: [{ a: ['x'] }],
  },
  {
    what: 'a composite type with an attribute of such a domain',
    makes: `create function f(a back.parcel) ${returning}`,
    verdict: 'when',
    words: 'with no back.closed in a',
    runs: [{ a: null }],
    refused: [{ a: { weight: 1, code: 'x' } }, { a: { weight: 1 } }],
  },
  {
    what: 'an array of a table’s row type with such a domain',
    makes: `create function f(a back.sent[]) ${returning}`,
    verdict: 'when',
    words: 'with no back.closed in a',
    runs: [{ a: [] }],
    refused: [{ a: [{ id: 1, parcel: { code: 'x' } }] }],
  },
  {
    what: 'two arguments with such a domain, each of which a call may omit',
    makes: `create function f(a back.closed default back.made(), b back.closed[] default '{}') ${returning}`,
    verdict: 'when',
    words: 'without a, with no back.closed in b',
    runs: [{}, { b: [] }],
    refused: [{ a: 'x' }, { b: ['x'] }],
  },
  {
    what: 'a computed field of a table with such a domain, called as a function',
    makes: `create table kept (id int, code back.closed); grant select on kept to anon; create function f(a kept) ${returning}`,
    verdict: 'when',
    words: 'with no back.closed in a',
    runs: [{ a: null }],
    refused: [{ a: { id: 1 } }],
  },
];

const schemaOf = (index: number): string => `shape_${index}`;

let app: AppConnection;
let cells: readonly RoleCell[];

beforeAll(async () => {
  app = await createApp(node, { name: 'Arguments' });
  await runSql(
    node,
    app.ref,
    `create schema back; grant usage on schema back to anon;
     create function back.fits(text) returns boolean language plpgsql as 'begin return true; end';
     create function back.barred(text) returns boolean language plpgsql as 'begin return true; end';
     create domain back.open as text check (back.fits(value));
     create domain back.closed as text check (back.barred(value));
     create domain back.closed_again as back.closed;
     create type back.parcel as (weight int, code back.closed);
     create table back.sent (id int, parcel back.parcel);
     create function back.made() returns back.closed language plpgsql security definer as 'begin return ''x''; end';
     revoke execute on function back.barred from public;`,
  );
  for (const [i, { makes }] of shapes.entries()) {
    await runSql(
      node,
      app.ref,
      `create schema ${schemaOf(i)}; grant usage on schema ${schemaOf(i)} to anon; set search_path = ${schemaOf(i)}; ${makes}`,
    );
  }
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_schemas`, {
    value: ['public', ...shapes.map((_, i) => schemaOf(i))],
  });
  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
  cells = chapters.roles?.cells.filter(({ role, operation }) => role === 'anon' && operation === 'execute') ?? [];
});

/** Returns the error code of a refused call; null if the function ran. */
async function call(schema: string, body: object): Promise<string | null> {
  const response = await fetch(`${app.url}/rest/v1/rpc/f`, {
    method: 'POST',
    headers: { apikey: app.publishable_key, 'content-type': 'application/json', 'content-profile': schema },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { code?: string };
  return response.ok ? null : (answer.code ?? String(response.status));
}

describe('cells of functions whose argument types run functions that the role may not run', () => {
  it.each(shapes.map((shape, i) => ({ ...shape, schema: schemaOf(i) })))(
    'match the results of calls: $what',
    async ({ schema, verdict, words = '', runs = [], refused = [] }) => {
      const cell = cells.find(({ entity }) => entity.startsWith(`${schema}.f(`));
      for (const body of runs) expect([body, await call(schema, body)]).toEqual([body, null]);
      for (const body of refused) expect([body, await call(schema, body)]).toEqual([body, '42501']);
      expect([cell?.verdict, cell?.words]).toEqual([verdict, words]);
      if (verdict !== 'always') expect(cell?.reason).toMatch(/back\.(barred|made)|default of a/);
    },
  );
});
