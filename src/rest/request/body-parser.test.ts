import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Payload } from './api-request.ts';
import { BodyParser } from './body-parser.ts';
import { type PayloadKind, readPayload } from './payload.ts';

const folder = mkdtempSync(join(tmpdir(), 'ninefold-parser-'));
const file = join(folder, 'entry.mjs');
const parsers: BodyParser[] = [];

beforeAll(() =>
  build({
    entryPoints: ['src/rest/request/body-parser-thread.ts'],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
  }),
);
afterAll(() => {
  for (const parser of parsers) parser.close();
  rmSync(folder, { recursive: true });
});

function start(bounds?: { memory: number; milliseconds: number }): BodyParser {
  const parser = new BodyParser(pathToFileURL(file), bounds);
  parsers.push(parser);
  return parser;
}

const kindOf = (kind: 'json' | 'csv' | 'form' | 'octet-stream' | 'text', isCall = false): PayloadKind => ({
  contentType: { kind },
  isCall,
  columnsNamed: false,
});
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

/** Converts the bytes of a body to text, to compare contents. */
const plain = (payload: Payload): unknown =>
  'body' in payload ? { ...payload, body: Buffer.from(payload.body).toString('hex') } : payload;

const outcome = (work: () => Payload | Promise<Payload>): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(plain, ({ code, message, details, limit, status }: NinefoldError) => ({
      code,
      message,
      details,
      limit,
      status,
    }));

describe('BodyParser', () => {
  it('returns the result of readPayload for any body of any kind', async () => {
    const parser = start();
    const body = fc.oneof(
      fc.array(fc.dictionary(fc.constantFrom('a', 'b', '"', 'ä'), fc.jsonValue())).map((rows) => JSON.stringify(rows)),
      fc.json(),
      fc.webQueryParameters(),
      fc
        .array(fc.constantFrom('"', ',', '\n', 'a', 'NULL', '%', '&', '=', '%zz', '%ff', '{', '['))
        .map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    const kind = fc.record({
      name: fc.constantFrom('json' as const, 'csv' as const, 'form' as const, 'octet-stream' as const, 'text' as const),
      isCall: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(body, kind, async (text, { name, isCall }) => {
        const here = await outcome(() => readPayload(kindOf(name, isCall), bytes(text)));
        expect(await outcome(() => parser.parse('app', kindOf(name, isCall), bytes(text)))).toEqual(here);
      }),
      { numRuns: 400 },
    );
  });

  it('returns the bytes of a JSON body without copying them, and accepts bytes that are part of a larger buffer', async () => {
    const parser = start();
    const body = bytes('[{"a":1},{"a":2}]');
    const payload = await parser.parse('app', kindOf('json'), body);
    expect([body.length, payload]).toEqual([0, expect.objectContaining({ keys: ['a'], isObject: false })]);
    const part = Buffer.from('x{"b":1}x').subarray(1, 8);
    expect(await parser.parse('app', kindOf('json'), part)).toMatchObject({ keys: ['b'] });
    expect(part.toString()).toBe('{"b":1}');
  });

  it('parses bodies of different apps in turns', async () => {
    const parser = start();
    const order: string[] = [];
    const parse = (app: string) => parser.parse(app, kindOf('json'), bytes('{}')).then(() => order.push(app));
    await Promise.all([parse('a'), parse('a'), parse('a'), parse('a'), parse('b'), parse('c')]);
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
  });

  it('ends the parsing of a body that takes too long, and parses the next body', async () => {
    const parser = start({ memory: 256 * 2 ** 20, milliseconds: 1 });
    const slow = parser.parse('app', kindOf('json'), bytes(`[${'{"a":[1,2,3]},'.repeat(500_000)}{}]`));
    await expect(slow).rejects.toMatchObject({ code: 'body_too_complex', status: 413, limit: 'parseMilliseconds' });
    await expect(parser.parse('app', kindOf('text'), bytes('{}'))).rejects.toBeInstanceOf(NinefoldError);
  });

  it('rejects the waiting bodies when it is closed', async () => {
    const parser = start();
    const both = [1, 2].map(() => parser.parse('app', kindOf('json'), bytes('{}')));
    parser.close();
    for (const one of both) await expect(one).rejects.toMatchObject({ code: 'body_too_complex' });
  });
});
