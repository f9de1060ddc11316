import { describe, expect, it } from 'vitest';
import type { EdgeFunction } from '../../../../contract/functions.ts';
import { callsInWords, curlOf, readHeaders, templateOf, whyNoFunctionName, whyNoSecretName } from './function-words.ts';

const called = (count: number, failed: number): EdgeFunction => ({
  ...{ name: 'hello', url: 'http://shop.localhost/functions/v1/hello', verify_jwt: true, created_at: '', versions: [] },
  calls: { count, failed, hours: [], median: null, start: null },
});

it.each([
  [0, 0, 'No client has called it in 24 hours.'],
  [1, 0, 'Its only call of 24 hours succeeded.'],
  [1200, 0, 'All 1,200 calls of 24 hours succeeded.'],
  [2208, 31, '2,177 of 2,208 calls in 24 hours succeeded.'],
])('callsInWords describes %i calls of which %i failed', (count, failed, words) => {
  expect(callsInWords(called(count, failed))).toBe(words);
});

describe('whyNoFunctionName', () => {
  it('accepts a letter followed by letters, digits, hyphens and underscores', () => {
    expect(whyNoFunctionName('Send_receipt-2', ['hello'])).toBeNull();
  });
  it.each(['', '2nd', 'a b', 'hello/world', 'hello', 'a'.repeat(64)])('refuses %j', (name) => {
    expect(whyNoFunctionName(name, ['hello'])).not.toBeNull();
  });
});

describe('whyNoSecretName', () => {
  it.each(['SMTP_TOKEN', 'SB_PUBLISHABLE_KEY'])('accepts the name %s of an environment variable', (name) => {
    expect(whyNoSecretName(name)).toBeNull();
  });
  it.each(['SUPABASE_URL', 'DENO_DIR', 'NINEFOLD_HOME'])('names the reserved beginning of %s', (name) => {
    expect(whyNoSecretName(name)).toContain(name.slice(0, name.indexOf('_') + 1));
  });
  it('names the reserved variable SB_REGION', () => expect(whyNoSecretName('SB_REGION')).toContain('SB_REGION'));
  it.each(['', '1A', 'A-B', 'A B'])('refuses %j', (name) => expect(whyNoSecretName(name)).not.toBeNull());
});

describe('curlOf', () => {
  it('quotes each value for a shell, also one with apostrophes', () => {
    expect(
      curlOf({ method: 'POST', url: 'http://a/f?x=1&y=2', headers: { 'x-name': "O'Hara" }, body: `{"a":"it's"}` }),
    ).toBe(
      [
        "curl -X POST 'http://a/f?x=1&y=2'",
        String.raw`-H 'x-name: O'\''Hara'`,
        String.raw`--data-raw '{"a":"it'\''s"}'`,
      ].join(' \\\n  '),
    );
  });
  it('sends no body if the request has none', () => {
    expect(curlOf({ method: 'GET', url: 'http://a', headers: {}, body: null })).toBe("curl -X GET 'http://a'");
  });
});

describe('readHeaders', () => {
  it('reads a header from each line, and leaves empty lines out', () => {
    expect(readHeaders('Content-Type: application/json\n\n x-a : b: c ')).toEqual({
      'content-type': 'application/json',
      'x-a': 'b: c',
    });
  });
  it.each(['no colon', 'a b: c', ': value'])('returns null for %j', (text) => expect(readHeaders(text)).toBeNull());
});

it('templateOf writes code that answers with the name of the function', () => {
  expect(templateOf('hello')).toContain(', from hello`');
});
