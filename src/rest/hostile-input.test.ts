import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallRequest } from '../../contract/call-request.ts';
import { defaultRestSettings } from '../../contract/settings.ts';
import {
  type Column,
  nameKey,
  type Relation,
  type Relationship,
  type Routine,
  type SchemaCache,
} from '../catalog/schema-cache.ts';
import type { Statement } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { planRequest } from './plan/plan-request.ts';
import { parseRequest } from './request/parse-request.ts';
import { buildStatements } from './sql/build-statements.ts';

const column = (name: string, type: string): [string, Column] => [
  name,
  {
    name,
    type,
    baseType: type,
    comparedAs: null,
    nullable: true,
    default: null,
    maxLength: null,
    enumValues: [],
    comment: null,
  },
];

const table = (oid: number, name: string): Relation => ({
  oid,
  schema: 'public',
  name,
  isView: false,
  comment: null,
  insertable: true,
  updatable: true,
  deletable: true,
  primaryKey: ['id'],
  columns: new Map([column('id', 'integer'), column('parent_id', 'integer'), column('data', 'jsonb')]),
});

const link = (from: string, to: string, kind: 'many-to-one' | 'one-to-many'): Relationship => ({
  kind,
  table: { schema: 'public', name: from },
  foreignTable: { schema: 'public', name: to },
  isSelf: false,
  constraint: 'link',
  columns: [kind === 'many-to-one' ? ['parent_id', 'id'] : ['id', 'parent_id']],
  tableIsView: false,
  foreignTableIsView: false,
  isParent: false,
});

const routine: Routine = {
  oid: 9,
  schema: 'public',
  name: 'find',
  comment: null,
  parameters: [{ name: 'a', type: 'text', unboundedType: 'text', required: false, variadic: false }],
  returns: { set: true, composite: true, type: { schema: 'public', name: 'child' } },
  volatility: 'stable',
  variadic: false,
  isolation: null,
  settings: [],
};

const schemaCache: SchemaCache = {
  buildMilliseconds: 0,
  version: 'test',
  schemas: ['public'],
  relations: new Map([table(1, 'child'), table(2, 'parent')].map((relation) => [nameKey(relation), relation])),
  relationships: new Map([
    [nameKey(table(1, 'child')), [link('child', 'parent', 'many-to-one')]],
    [nameKey(table(2, 'parent')), [link('parent', 'child', 'one-to-many')]],
  ]),
  functions: new Map([[nameKey(routine), [routine]]]),
  representations: new Map(),
  mediaHandlers: new Map(),
  ruleComments: new Map(),
};

const identity: Identity = {
  role: 'anon',
  claims: {},
  claimsJson: '{}',
  userId: null,
  sessionId: null,
  source: 'none',
};
const settings = { ...defaultRestSettings, db_aggregates_enabled: true, db_plan_enabled: true };

interface Call {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
}

/**
 * Runs the three steps that need no database. Returns the statements or the error for the caller. Any other error is a
 * bug.
 */
function statementsOf(call: Call): readonly Statement[] | NinefoldError {
  const callRequest: CallRequest = {
    ...call,
    stream: null,
    target: '/',
    address: '127.0.0.1',
    requestId: 'test',
    baseUrl: 'http://localhost',
    signal: new AbortController().signal,
  };
  try {
    const request = parseRequest(callRequest, settings);
    const plan = planRequest(request, schemaCache, settings);
    if (plan.kind === 'options' || plan.kind === 'describe') return [];
    return buildStatements(request, plan, identity, settings).statements;
  } catch (error) {
    if (error instanceof NinefoldError) return error;
    throw error;
  }
}

const MARK = 'zqx';

/**
 * Text with which a client might try to break out of a name or value. Each text contains the mark, by which the test
 * finds it in the SQL.
 */
const hostile = fc
  .array(
    fc.constantFrom(
      MARK,
      '"',
      "'",
      '\\',
      ';',
      '--',
      '/*',
      '$1',
      '$$',
      ')',
      '(',
      ',',
      '.',
      ' ',
      '\n',
      'é',
      '🦊',
      '%',
      '+',
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => `${MARK}${parts.join('')}`);

/** Quotes a name or value as the grammar does. */
const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const name = fc.oneof(hostile.map(quote), fc.constantFrom('id', 'data', 'parent_id', MARK));
const field = fc.oneof(
  name,
  fc.tuple(name, name).map(([column, key]) => `${column}->>${key}`),
);
const typeName = fc.constantFrom('int', 'text', `${MARK} type`, `${MARK}$`);
const operator = fc.constantFrom('eq', 'not.like', 'gt(any)', 'cs', 'fts(simple)', 'isdistinct', 'match');
const selectItem = fc.oneof(
  field,
  fc.tuple(name, field).map(([alias, column]) => `${alias}:${column}`),
  fc.tuple(field, typeName).map(([column, type]) => `${column}::${type}`),
  field.map((column) => `${column}.max()`),
  fc.tuple(name, name).map(([alias, column]) => `${alias}:parent(${column},${alias})`),
  name.map((column) => `...parent(${column})`),
);
const parameter = fc.oneof(
  fc.tuple(field, operator, hostile).map(([column, op, value]) => [column, `${op}.${value}`]),
  fc.tuple(field, hostile, hostile).map(([column, a, b]) => [column, `in.(${quote(a)},${quote(b)})`]),
  fc.tuple(field, operator, hostile).map(([column, op, value]) => ['or', `(${column}.${op}.${quote(value)},id.eq.1)`]),
  field.map((column) => ['order', `${column}.desc.nullslast`]),
  fc.tuple(name, hostile).map(([column, value]) => [`parent.${column}`, `eq.${value}`]),
  name.map((column) => ['on_conflict', column]),
  fc.array(selectItem, { minLength: 1, maxLength: 4 }).map((items) => ['select', items.join(',')]),
  fc.tuple(fc.constantFrom('limit', 'offset'), fc.oneof(fc.nat().map(String), hostile)),
);
const call: fc.Arbitrary<Call> = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'),
  path: fc.constantFrom('/child', '/parent', '/rpc/find'),
  query: fc
    .array(parameter, { maxLength: 6 })
    .map((pairs) => pairs.map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('=')).join('&')),
  headers: fc.record({
    prefer: fc.constantFrom(
      '',
      'return=representation',
      'resolution=merge-duplicates',
      'count=exact,missing=default',
      `timezone=${MARK}'`,
    ),
    accept: fc.constantFrom('*/*', 'text/csv', 'application/vnd.pgrst.object+json', 'application/vnd.pgrst.plan+json'),
  }),
  body: hostile.map((value) => Buffer.from(JSON.stringify([{ id: value, data: { [value]: value } }]))),
});

it('planRequest puts client input into SQL text only as quoted identifiers', () => {
  let built = 0;
  fc.assert(
    fc.property(call, (made) => {
      const result = statementsOf(made);
      if (result instanceof NinefoldError) return;
      built += 1;
      for (const { text, params } of result) {
        const outsideOfNames = text.replaceAll(/"(?:[^"]|"")*"/g, '""');
        expect(outsideOfNames).not.toContain(MARK);
        // The text outside of quoted names contains only words of this program.
        expect(outsideOfNames).toMatch(/^[\x20-\x7e\n]*$/);
        const placeholders = [...outsideOfNames.matchAll(/\$(\d+)/g)].map((match) => Number(match[1]));
        expect(Math.max(0, ...placeholders)).toBe(params.length);
      }
    }),
    { numRuns: 1500 },
  );
  expect(built).toBeGreaterThan(100);
});

it('planRequest produces the same SQL text for requests that differ only in their values', () => {
  const textOf = (id: string, limit: number): string[] => {
    const query = `select=id,parent(id)&id=eq.${id}&data->>k=in.(${id},${id}x)&limit=${limit}`;
    const result = statementsOf({ method: 'GET', path: '/child', query, headers: {}, body: null });
    if (result instanceof NinefoldError) throw result;
    return result.map((statement) => statement.text);
  };
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{1,9}$/), fc.integer({ min: 1, max: 900 }), (id, limit) => {
      expect(textOf(id, limit)).toEqual(textOf('1', 5));
    }),
  );
});

it('planRequest returns statements, or an error with a code and a status below 500, for any bytes', () => {
  const anything: fc.Arbitrary<Call> = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'FOO'),
    path: fc.oneof(fc.constantFrom('/', '/child', '/rpc/find', '/rpc/', '//', '/%', '/%00', '/..'), fc.webPath()),
    query: fc.oneof(fc.string(), fc.webQueryParameters(), fc.string({ unit: 'binary' })),
    headers: fc.record(
      {
        prefer: fc.string(),
        accept: fc.string(),
        'content-type': fc.oneof(fc.string(), fc.constantFrom('text/csv', 'application/json', 'text/plain')),
        range: fc.string(),
        cookie: fc.string(),
        'accept-profile': fc.string(),
        'content-profile': fc.string(),
      },
      { requiredKeys: [] },
    ),
    body: fc.option(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
    ),
  });
  fc.assert(
    fc.property(anything, (made) => {
      const result = statementsOf(made);
      if (result instanceof NinefoldError) expect(result.status).toBeLessThan(500);
    }),
    { numRuns: 3000 },
  );
});
