import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { startTypedApp, type TypedApp } from '../../../../test/support/typed-app.ts';
import { firstJson } from '../../../database/statement.ts';
import { jsonSchemas } from './json-schema.ts';
import { zodSchemas } from './zod.ts';

let app: TypedApp;

beforeAll(async () => {
  app = await startTypedApp('schemas');
}, 60_000);

afterAll(async () => {
  await app?.stop();
});

type Schemas = Record<string, { insert: z.ZodType; update: z.ZodType }>;

async function loadZod(): Promise<Schemas> {
  const { code } = await transform(zodSchemas(app.types), { loader: 'ts', format: 'esm' });
  const file = join(app.folder, `schemas-${process.hrtime.bigint()}.mjs`);
  await writeFile(file, code);
  const { schemas } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { schemas: Schemas };
  return schemas;
}

function jsonValidators(): (name: string) => ValidateFunction {
  const document = JSON.parse(jsonSchemas(app.types, 'helpdesk'));
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  expect(ajv.validateSchema(document), JSON.stringify(ajv.errors)).toBe(true);
  ajv.addSchema(document);
  return (name) => {
    const validate = ajv.getSchema(`${document.$id}#/$defs/${name.replaceAll(' ', '%20').replaceAll('"', '%22')}`);
    if (!validate) throw new Error(`no schema ${name}`);
    return validate;
  };
}

/**
 * Returns for each row whether PostgreSQL accepts the row. Inserts it in the same way as /rest/v1, and rolls the insert
 * back.
 */
async function taken(table: string, rows: readonly Record<string, unknown>[]): Promise<boolean[]> {
  await app.owner.script(`create or replace function private.try(target regclass, item json) returns boolean language plpgsql as $$
    declare
      names text := (select string_agg(quote_ident(k), ', ') from json_object_keys(item) k);
      columns text := (select string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ')
        from json_object_keys(item) k join pg_attribute a on a.attrelid = target and a.attname = k);
    begin
      begin
        execute format('insert into %s (%s) select %2$s from json_to_record($1) as _ (%3$s)', target, names, columns) using item;
        raise exception using errcode = 'ZZ001';
      exception when sqlstate 'ZZ001' then return true; when others then return false;
      end;
    end $$`);
  const [result] = await app.owner.run([
    {
      text: 'select json_agg(private.try($1::regclass, r) order by i) from json_array_elements($2::json) with ordinality as a (r, i)',
      params: [table, JSON.stringify(rows)],
    },
  ]);
  return (result && firstJson<boolean[]>(result)) ?? [];
}

const texts = [
  '',
  '  ',
  'a',
  'A',
  'ab',
  'abc',
  'abcd',
  'a b',
  'AB1',
  'ABCDE',
  'ABCDE  ',
  'AB12  ',
  'abc   ',
  'red',
  'red    ',
  'blue',
  'ü😀',
  '😀😀😀',
  '😀😀😀😀',
  'a%',
  'ABC٣',
  '\n',
  'open',
  'closed',
  'x'.repeat(19),
  'x'.repeat(21),
  'x'.repeat(21).concat('   '),
  `${'x'.repeat(118)}    `,
  '2026-01-31',
  'tomorrow',
  'infinity',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}',
  'a0ee-bc99-9c0b4ef8-bb6d6bb9-bd380a11',
  'a0eebc99-9c0b',
  `it's "odd"`,
  ...['101', 'B101', 'b1', 'x', 'xF', 'X1f', 'x1fF', '11111', '111111', '10101010', 'b', '102', '101 ', ' 101', 'xG'],
];
const numbers = [
  0,
  -0,
  1,
  -1,
  5,
  6,
  7.5,
  8,
  100,
  101,
  0.004,
  0.005,
  0.0049999,
  0.1,
  0.1000001,
  0.09999999,
  0.5,
  0.50000001,
  -0.5,
  1.5,
  1.50001,
  2.94,
  2.95,
  2.949999,
  -2.2,
  -2.25,
  -2.249,
  -2.3,
  -2.26,
  999,
  999.4,
  999.5,
  -0.4,
  9999.99,
  9999.994,
  9999.995,
  9999.9949999,
  -9999.995,
  32767,
  32768,
  -32768,
  -32769,
  2147483647,
  2147483648,
  -2147483648,
  2 ** 53,
  2 ** 62,
  2 ** 63 - 1024,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e308,
  5e-324,
  -3,
  -3.0001,
];
const lists = [
  { street: 'a', number: 1 },
  { street: 'a' },
  { number: 1.5 },
  [],
  [1],
  [1, 2],
  [1, 2, 3],
  [null],
  ['open'],
  ['open', null],
  ['gone'],
  ['a', 'b', 'c', 'd'],
  ['A'],
  ['abc'],
  ['abc', null],
  ['abc', 'ab'],
  [0, 100],
  [0, 101],
  [0, 1, 2],
  ...['abc', 'ab', null].map((title) => ({ title })),
  { title: 'abc', share: null, letters: null },
  { title: 'abc', share: 101 },
  { title: 'abc', letters: ['a', null] },
  { title: 'abc', letters: ['a', 'ab'] },
  [{ title: 'abc' }, null],
  [{ title: 'ab' }],
  [{ share: 1 }],
  ['10101010', 'xff'],
  ['B1010101'],
];
const values: readonly unknown[] = [...texts, ...numbers, ...lists, true, false, null, {}, { a: 1 }];

/** Names of fields by their type in the generated TypeScript. All other fields have the type string. */
const kinds: Readonly<Record<string, string>> = {
  number: 'small whole large free money signed round float single share',
  boolean: 'flag',
  object: 'states numbers json jsonb place several pair percents titles spot spots split letters initials nibbles',
};
const kindOf = (field: string): string =>
  Object.keys(kinds).find((kind) => kinds[kind]?.split(' ').includes(field)) ?? 'string';

/** Returns true for a list of objects. PostgreSQL reads an object in a list of texts as text. */
const holdsObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.some((element) => typeof element === 'object' && element !== null);

describe('inputs in zod and JSON Schema', () => {
  it('schemas refuse only values that PostgreSQL refuses, for every kind of type and rule', async () => {
    const zod = (await loadZod()).samples?.insert;
    const json = jsonValidators()('samples.insert');
    const fields = app.types.facts.fields.filter(
      (field) => field.relation === app.types.facts.relations.find(({ name }) => name === 'samples')?.oid,
    );
    expect(fields).toHaveLength(54);
    const refused = { zod: 0, json: 0, postgres: 0 };
    for (const { name } of fields) {
      const rows = values
        .filter((value) => value === null || typeof value === kindOf(name) || name.startsWith('json'))
        .filter((value) => name === 'spots' || name.startsWith('json') || !holdsObjects(value))
        .map((value) => ({ [name]: value }));
      const answers = await taken('public.samples', rows);
      for (const [i, row] of rows.entries()) {
        const isTaken = answers[i];
        // PostgreSQL accepts many notations of dates, so the schemas do not check dates.
        if (name === 'day' || name === 'moment') expect(zod?.safeParse(row).success).toBe(true);
        else if (!isTaken) refused.postgres++;
        const byZod = zod?.safeParse(row).success === true;
        const byJson = json(row) === true;
        if (!byZod) refused.zod++;
        if (!byJson) refused.json++;
        if (
          [
            'mask',
            'byte',
            'fewer',
            'bits',
            'nibbles',
            'filled',
            'words',
            'letters_in',
            'several',
            'pair',
            'json_object',
            'json_listed',
          ].includes(name)
        )
          expect([byZod, byJson], `${name} ${JSON.stringify(row)}`).toEqual([isTaken, isTaken]);
        expect(byZod || !isTaken, `zod refuses ${JSON.stringify(row)}`).toBe(true);
        expect(byJson || !isTaken, `JSON Schema refuses ${JSON.stringify(row)}`).toBe(true);
      }
    }
    // The schemas must also refuse some values, namely those that PostgreSQL refuses for a simple reason.
    for (const row of [{ loud: 'abc' }, { quiet: 'ABCDE' }, { plate: 'abc' }, { likely: 'ABCDE' }]) {
      expect(await taken('public.samples', [row])).toEqual([false]);
      expect([zod?.safeParse(row).success, json(row)], JSON.stringify(row)).toEqual([false, false]);
    }
    // A schema that accepts every value would pass the checks above. So the schemas must also refuse most of the values
    // that PostgreSQL refuses.
    expect(refused.zod).toBeGreaterThan(refused.postgres * 0.6);
    expect(refused.json).toBeGreaterThan(refused.postgres * 0.6);
  });

  it('schemas refuse rows without required fields, with generated fields or with unknown fields', async () => {
    const zod = await loadZod();
    const json = jsonValidators();
    const customer = { email: 'a@example.com', name: 'A' };
    const cases: [table: string, row: Record<string, unknown>, taken: boolean][] = [
      ['customers', customer, true],
      ['customers', { email: 'a@example.com' }, false],
      ['customers', { ...customer, name: null }, false],
      ['customers', { ...customer, id: 1 }, false],
      ['customers', { ...customer, nick: 'a' }, false],
      ['mended', { n: 1 }, true],
      ['mended', { title: null }, true],
      ['mended', { n: 40_000 }, false],
      ['touched', { title: 'abcd' }, true],
      ['touched', { n: 1 }, false],
      ['touched', { title: 'abc' }, false],
      ['flows', { title: 'abc' }, true],
      ['flows', { title: 'abc', stage: null }, true],
      ['flows', { title: 'ab' }, false],
      ['flows', { stage: 'open' }, false],
      ['odd "name', { 'a b': 1, class: true }, true],
      ['odd "name', { 'a b': 1.5 }, false],
    ];
    for (const [table, row, isTaken] of cases) {
      const why = `${table} ${JSON.stringify(row)}`;
      const [answer] = await taken(`public."${table.replaceAll('"', '""')}"`, [row]);
      expect(answer, why).toBe(isTaken);
      expect(zod[table]?.insert.safeParse(row).success, `zod ${why}`).toBe(isTaken);
      expect(json(`${table}.insert`)(row), `JSON Schema ${why}`).toBe(isTaken);
    }
  });

  it('schemas omit a table’s rules for an update if a BEFORE trigger may change the row or the row may move to another partition', async () => {
    const zod = await loadZod();
    const json = jsonValidators();
    for (const [table, isTaken] of [
      ['mended', false],
      ['touched', true],
      ['moved', true],
    ] as const) {
      expect(zod[table]?.update.safeParse({ title: null }).success, `zod ${table}`).toBe(isTaken);
      expect(json(`${table}.update`)({ title: null }), `JSON Schema ${table}`).toBe(isTaken);
    }
  });

  it('schemas name the violated rule in the words of the specification', async () => {
    const { tickets } = await loadZod();
    const result = tickets?.insert.safeParse({ title: 'ab', customer: 1, tags: ['a', 'b', 'c', 'd'] });
    expect(result?.error?.issues.map(({ path, message }) => [path[0], message])).toEqual([
      ['title', 'A title has 3 to 120 characters'],
      ['tags', 'tags has at most 3 elements'],
    ]);
    const inner = (await loadZod()).samples?.insert.safeParse({ percents: [101], spot: { title: 'abc', share: -1 } });
    expect(inner?.error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['percents.0', 'each element is 0 to 100'],
      ['spot.share', 'share is 0 to 100'],
    ]);
  });
});
