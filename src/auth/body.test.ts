import { expect, it } from 'vitest';
import { z } from 'zod';
import type { CallRequest } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { processorTimeOf } from '../../test/support/timing.ts';
import { metadata, readBody, text } from './body.ts';

const schema = z.object({ email: text(10), data: metadata });

const read = (body: string | Uint8Array | null, optional = false) =>
  readBody({ body: typeof body === 'string' ? Buffer.from(body) : body } as CallRequest, schema, { optional });

it('readBody reads known fields, ignores unknown ones, and treats null and the empty string as absent', () => {
  expect(read('{"email":"a@b.c","captcha":{"token":null}}')).toEqual({ email: 'a@b.c' });
  expect(read('{"email":null,"data":null}')).toEqual({});
  expect(read('{"email":"","data":{"name":"Ada \\\\u0000"}}')).toEqual({ data: { name: 'Ada \\u0000' } });
  expect(read(null, true)).toEqual({});
});

it('readBody reads null as an object without fields', () => {
  expect(read('null')).toEqual({});
});

it('readBody reads field names in any letter case, and uses the last of two names that mean the same field', () => {
  expect(read('{"Email":"a@b.c","DATA":{"Email":1}}')).toEqual({ email: 'a@b.c', data: { Email: 1 } });
  expect(read('{"email":"a@b.c","EMAIL":"d@e.f"}')).toEqual({ email: 'd@e.f' });
});

it.each([
  ['no body', null],
  ['an empty body', ''],
  ['half an object', '{"email":'],
  ['a list', '[]'],
  ['a text', '"a"'],
  ['a byte order mark', '\ufeff{"email":"a@b.c"}'],
  ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['101 brackets in one another', `{"data":${'['.repeat(100)}${']'.repeat(100)}}`],
  ['a flood of brackets', '['.repeat(limits.authBodyBytes.default)],
])('readBody refuses %s with bad_json', (_, body) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ code: 'bad_json', status: 400 }));
});

it('readBody ignores brackets inside of strings when it measures nesting', () => {
  const name = `${'[{'.repeat(500)}\\"${'[{'.repeat(500)}`;
  expect(read(`{"data":{"name":"${name}"}}`).data?.name).toContain('[{"[{');
});

it('readBody reads an unterminated string of many quotes in linear time', () => {
  const body = `{"email":"${'\\"'.repeat(60_000)}`;
  const took = processorTimeOf(() => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'bad_json' }));
  });
  expect(took).toBeLessThan(1000);
});

it('readBody refuses a body above the limit before it parses the body', () => {
  const body = Buffer.alloc(limits.authBodyBytes.default + 1, 0x20);
  expect(() => read(body)).toThrow(expect.objectContaining({ code: 'request_entity_too_large', status: 413 }));
});

it.each([
  ['{"email":1}', 'email: '],
  ['{"data":[1]}', 'data: '],
  ['{"data":"x"}', 'data: '],
])('readBody refuses %s with bad_json that names the field with the wrong type', (body, message) => {
  expect(() => read(body)).toThrow(
    expect.objectContaining({ code: 'bad_json', status: 400, message: expect.stringContaining(message) }),
  );
});

it.each([
  ['{"email":"longer than ten"}', 'email: '],
  ['{"email":"a\\u0000"}', 'email: must not contain NUL'],
  ['{"email":"\\ud800"}', 'email: must not contain NUL characters or broken'],
  ['{"data":{"a":[{"b":"\\u0000"}]}}', 'data: must not contain NUL'],
  ['{"data":{"a\\udc00":1}}', 'data: must not contain NUL'],
])('readBody names the invalid field of %s', (body, message) => {
  expect(() => read(body)).toThrow(
    expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(message) }),
  );
});
