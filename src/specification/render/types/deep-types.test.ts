import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import { type AppDatabase, startAppDatabase } from '../../../../test/support/app-database.ts';
import { processorTimeOf } from '../../../../test/support/timing.ts';
import { loadFacts } from '../../../catalog/facts.ts';
import { loadSchemaCache } from '../../../catalog/load-schema-cache.ts';
import type { Pool } from '../../../database/pool.ts';
import { deriveSpecification } from '../../derive/specification.ts';
import { openApiDocument } from '../openapi/document.ts';
import { loadTypeFacts, type TypeFacts } from './facts.ts';
import { jsonSchemas } from './json-schema.ts';
import { NamedTypes, type Shape } from './type-names.ts';
import { typescriptTypes } from './typescript.ts';
import { zodSchemas } from './zod.ts';

const LEVELS = 30;
const levels = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** Returns composite types, each with an attribute of the previous type. */
const nested = (schema: string): string =>
  levels(LEVELS)
    .map((i) => `create type ${schema}.c${i} as (a ${schema}.c${i - 1});`)
    .join('\n');

/**
 * Returns attributes that contain every given attribute twice, under two names. Applied again and again, this gives a
 * type with 2^30 attributes. PostgreSQL needs minutes to create such a type, so the test changes the facts instead.
 */
const twice = <T extends { name: string }>(attributes: readonly T[] | null): T[] | null =>
  attributes === null ? null : attributes.flatMap((one) => [one, { ...one, name: 'b' }]);

const schema = `
  create domain public.word as text check (length(value) > 2);
  create type public.c0 as (a public.word, b int); ${nested('public')}
  create type private.c0 as (a public.word, b int); ${nested('private')}
  create domain public.a0 as text check (value <> 'no');
  ${levels(60)
    .map((i) => `create domain public.a${i} as public.a${i - 1}[] check (cardinality(value) < ${i});`)
    .join('\n')}
  create domain public.d0 as int;
  ${levels(300)
    .map((i) => `create domain public.d${i} as public.d${i - 1} check (value > -${i});`)
    .join('\n')}
  create table public.deep (
    id int primary key, c public.c30, cs public.c30[], p private.c30, a public.a60, d public.d300, ds public.d300[], plain public.c0
  );
  create function public.turn(c public.c30, p private.c30[]) returns private.c30 language sql as 'select p[1]';
  create function public.turns() returns table (c public.c30, p private.c30) language sql as 'select null::public.c30, null::private.c30';`;

let database: AppDatabase;
let owner: Pool;
let types: TypeFacts;

beforeAll(async () => {
  database = await startAppDatabase('deep-types');
  owner = database.as('app_owner');
  await database.pool.script('create schema private authorization app_owner');
  await owner.script(schema);
  const read = await loadFacts(owner, { exposedSchemas: ['public'], authenticator: 'app_authenticator' });
  const facts = {
    ...read,
    types: read.types.map((type) => (type.name.endsWith('c0') ? type : { ...type, parts: twice(type.parts) })),
  };
  const found = await loadTypeFacts(owner, facts, await loadSchemaCache(owner, ['public'], ['extensions']));
  const named = found.named_types.map((one) =>
    one.name === 'c0' ? one : { ...one, attributes: twice(one.attributes) },
  );
  types = { ...found, named_types: named };
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const specification = () =>
  deriveSpecification(types.facts, { ref: 'deep', name: 'Deep', authSettings: defaultAuthSettings });

describe('types that contain the same types many times', () => {
  it.each([
    ['zod', () => zodSchemas(types)],
    ['JSON Schema', () => jsonSchemas(types, 'deep')],
    ['TypeScript', () => typescriptTypes(types)],
    ['the specification', () => JSON.stringify(specification())],
    ['OpenAPI', () => JSON.stringify(openApiDocument(specification(), types, 'http://localhost'))],
  ])('writes nested types within seconds and in a few megabytes in %s', (_name, write) => {
    let text = '';
    const took = processorTimeOf(() => {
      text = write();
    });
    expect(took).toBeLessThan(4000);
    expect(text.length).toBeLessThan(12_000_000);
    expect(text).toContain('plain');
  });

  it('describes nested types completely up to a depth, and accepts anything below it', () => {
    const named = new NamedTypes(types.named_types);
    expect(countOf(named.shapeOf('public.c6'), 'cut')).toBe(0);
    expect(countOf(named.shapeOf('public.c6'), 'text')).toBe(64);
    const deepest = named.shapeOf('public.c30');
    expect(countOf(deepest, 'cut')).toBeGreaterThan(0);
    expect(countOf(deepest, 'composite')).toBeLessThan(1600);
    expect(countOf(named.shapeOf('public.a60'), 'array')).toBe(12);
    expect(countOf(named.shapeOf('public.d300'), 'number')).toBe(1);
  });

  it('names nested types in TypeScript at every depth if their schema is exposed', () => {
    const text = typescriptTypes(types);
    expect(text).toContain('c30: {\n        a: Database["public"]["CompositeTypes"]["c29"] | null\n');
  });

  it('cuts nested types at a smaller depth in a document with very many of them', () => {
    const named = new NamedTypes(types.named_types);
    const composites = levels(100).map(() => countOf(named.shapeOf('public.c30'), 'composite'));
    expect(composites.at(0)).toBeGreaterThan(700);
    expect(composites.at(-1)).toBeLessThan(2);
  });
});

function countOf(shape: Shape, kind: Shape['kind']): number {
  const inner =
    shape.kind === 'array'
      ? [shape.element]
      : shape.kind === 'composite'
        ? shape.attributes.map((one) => one.shape)
        : [];
  return inner.reduce((sum, one) => sum + countOf(one, kind), shape.kind === kind ? 1 : 0);
}
