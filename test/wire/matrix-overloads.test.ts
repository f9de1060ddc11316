import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import type { RoleCell } from '../../contract/specification-roles.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { probeOf } from '../support/probe.ts';

/**
 * A call selects a function by its name and the names of the arguments. The server refuses a call that matches two
 * functions (PGRST203), whichever of them the caller may execute.
 */
const node = inject('node');

/** The arguments of a call as the JSON of its body; null for a GET without arguments. */
type Given = object | null;

/** Functions with the same name, the description of each in chapter 6, and the results of calls. */
interface Shape {
  readonly what: string;
  /** The SQL that creates the functions, which are named `f`. */
  readonly makes: string;
  /** The expected cell for each list of argument types: `never`, `always`, or the words of `when`. */
  readonly says: Readonly<Record<string, string>>;
  /** Calls with the number that the selected function returns. */
  readonly answers?: readonly (readonly [Given, number])[];
  /** Calls that match several functions. */
  readonly ambiguous?: readonly Given[];
  /** Calls that are refused because a privilege is missing. */
  readonly closed?: readonly Given[];
}

const returning = (number: number) => `returns int language plpgsql as 'begin return ${number}; end'`;
const closing = (types: string) => `revoke execute on function f(${types}) from public, anon`;

const shapes: readonly Shape[] = [
  {
    what: 'two functions with the same argument names',
    makes: `create function f(a int) ${returning(1)}; create function f(a text) ${returning(2)}`,
    says: { integer: 'never', text: 'never' },
    ambiguous: [{ a: 1 }, { a: 'x' }],
  },
  {
    what: 'two functions with the same argument names, of which the role may execute one',
    makes: `create function f(a int) ${returning(1)}; create function f(a text) ${returning(2)}; ${closing('text')}`,
    says: { integer: 'never', text: 'never' },
    ambiguous: [{ a: 1 }, { a: 'x' }],
  },
  {
    what: 'two functions with the same argument names, one of them polymorphic, which no call can run',
    makes: `create function f(a int) ${returning(1)}; create function f(a anyelement) ${returning(2)}`,
    says: { integer: 'never' },
    ambiguous: [{ a: 1 }],
  },
  {
    what: 'two functions with different argument names',
    makes: `create function f(a int) ${returning(1)}; create function f(b text) ${returning(2)}`,
    says: { integer: 'always', text: 'always' },
    answers: [
      [{ a: 1 }, 1],
      [{ b: 'x' }, 2],
    ],
  },
  {
    what: 'a function with an additional optional argument',
    makes: `create function f(a int) ${returning(1)}; create function f(a int, b int default 0) ${returning(2)}`,
    says: { integer: 'never', 'integer, integer': 'with b given' },
    answers: [[{ a: 1, b: 1 }, 2]],
    ambiguous: [{ a: 1 }],
  },
  {
    what: 'a function with an additional optional argument that the role may not execute',
    makes: `create function f(a int) ${returning(1)}; create function f(a int, b int default 0) ${returning(2)}; ${closing('int, int')}`,
    says: { integer: 'never', 'integer, integer': 'never' },
    ambiguous: [{ a: 1 }],
    closed: [{ a: 1, b: 1 }],
  },
  {
    what: 'two functions with optional arguments only',
    makes: `create function f(a int default 0, c int default 0) ${returning(1)}; create function f(b int default 0) ${returning(2)}`,
    says: { 'integer, integer': 'with a given or with c given', integer: 'with b given' },
    answers: [
      [{ a: 1 }, 1],
      [{ c: 1 }, 1],
      [{ b: 1 }, 2],
    ],
    ambiguous: [{}, null],
  },
  {
    what: 'an argument that is optional in one function and required in the other',
    makes: `create function f(a int default 0) ${returning(1)}; create function f(a text) ${returning(2)}`,
    says: { integer: 'without a', text: 'never' },
    answers: [
      [{}, 1],
      [null, 1],
    ],
    ambiguous: [{ a: 1 }],
  },
  {
    what: 'three functions, of which two make every call of the third ambiguous',
    makes: `create function f(a int, b int default 0) ${returning(1)}; create function f(a int) ${returning(2)};
      create function f(a int, b text) ${returning(3)}`,
    says: { 'integer, integer': 'never', integer: 'never', 'integer, text': 'never' },
    ambiguous: [{ a: 1 }, { a: 1, b: 1 }],
  },
  {
    what: 'three functions, of which two make some calls of the third ambiguous',
    makes: `create function f(a int default 0, b int default 0) ${returning(1)}; create function f(a int) ${returning(2)};
      create function f(b text) ${returning(3)}`,
    says: { 'integer, integer': 'with b given or without a, with a given or without b' },
    answers: [
      [{}, 1],
      [{ a: 1, b: 1 }, 1],
    ],
    ambiguous: [{ a: 1 }, { b: 1 }],
  },
  {
    what: 'a default that the role may not compute, in one of two functions',
    makes: `create function g() ${returning(0)}; revoke execute on function g() from public, anon;
      create function f(a int, b int default g()) ${returning(1)}; create function f(a int, b text) ${returning(2)}`,
    says: { 'integer, integer': 'never', 'integer, text': 'never' },
    ambiguous: [{ a: 1, b: 1 }],
    closed: [{ a: 1 }],
  },
  {
    what: 'a variadic function with a default, and a function with an optional argument',
    makes: `create function f(variadic a int[] default '{}') ${returning(1)}; create function f(b int default 0) ${returning(2)}`,
    says: { 'integer[]': 'with a given', integer: 'with b given' },
    answers: [
      [{ a: [1] }, 1],
      [{ b: 1 }, 2],
    ],
    ambiguous: [{}, null],
  },
  {
    what: 'two functions with a single unnamed argument, which takes the body',
    makes: `create function f(json) ${returning(1)}; create function f(jsonb) ${returning(2)}`,
    says: { json: 'never', jsonb: 'never' },
    ambiguous: [{ a: 1 }, {}],
  },
  {
    what: 'a function whose argument takes the body, and a function with named arguments',
    makes: `create function f(json) ${returning(1)}; create function f(a int default 0) ${returning(2)}`,
    says: { json: 'always', integer: 'always' },
    answers: [
      [{ b: 1 }, 1],
      [{ a: 1 }, 2],
      [{}, 2],
      [null, 2],
    ],
  },
  {
    what: 'a function with an optional body, and a function with optional named arguments',
    makes: `create function f(json default '{}') ${returning(1)}; create function f(a int default 0) ${returning(2)}`,
    says: { json: 'with a body given', integer: 'with a given' },
    answers: [
      [{ b: 1 }, 1],
      [{ a: 1 }, 2],
    ],
    ambiguous: [{}, null],
  },
];

const schemaOf = (index: number): string => `shape_${index}`;

let app: AppConnection;
let cells: readonly RoleCell[];
let probed: Awaited<ReturnType<typeof probeOf>>;

beforeAll(async () => {
  app = await createApp(node, { name: 'Overloads' });
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
  probed = await probeOf(node, app.ref);
});

/** Returns the error code of a refused call, or the result if the function ran. */
async function call(schema: string, given: Given): Promise<string | number> {
  const profile = given === null ? 'accept-profile' : 'content-profile';
  const response = await fetch(`${app.url}/rest/v1/rpc/f`, {
    method: given === null ? 'GET' : 'POST',
    headers: { apikey: app.publishable_key, 'content-type': 'application/json', [profile]: schema },
    ...(given === null ? {} : { body: JSON.stringify(given) }),
  });
  const answer = await response.json();
  return response.ok ? (answer as number) : (answer as { code: string }).code;
}

describe('cells of functions with the same name', () => {
  it.each(shapes.map((shape, i) => ({ ...shape, schema: schemaOf(i) })))(
    'match the results of calls: $what',
    async ({ schema, says, answers = [], ambiguous = [], closed = [] }) => {
      for (const [given, number] of answers) expect([given, await call(schema, given)]).toEqual([given, number]);
      for (const given of ambiguous) expect([given, await call(schema, given)]).toEqual([given, 'PGRST203']);
      for (const given of closed) expect([given, await call(schema, given)]).toEqual([given, '42501']);
      for (const [types, said] of Object.entries(says)) {
        const cell = cells.find(({ entity }) => entity === `${schema}.f(${types})`);
        expect([types, cell?.verdict === 'when' ? cell.words : cell?.verdict]).toEqual([types, said]);
        if (cell?.verdict === 'when') expect(cell.reason).toMatch(/takes the rest, too \(PGRST203\)/);
      }
    },
  );

  it('are not contradicted by the probe', () => {
    expect(probed.cells.filter(({ outcome }) => outcome === 'disagrees')).toEqual([]);
  });
});
