import { expect, it } from 'vitest';
import { metadataChange, readMetadata } from './metadata.ts';

it('readMetadata parses an object', () => {
  expect(readMetadata('{ "plan": "pro" }', 100)).toEqual({ value: { plan: 'pro' } });
});

it.each([
  ['{ "plan": ', /not JSON/],
  ['', /not JSON/],
  ['[1]', /object/],
  ['null', /object/],
  [JSON.stringify({ text: 'ü'.repeat(60) }), /bytes/],
])('readMetadata explains why %s is invalid', (text, words) => {
  expect(readMetadata(text, 100)).toEqual({ fault: expect.stringMatching(words) });
});

it('metadataChange removes a deleted key by setting it to null', () => {
  expect(metadataChange({ plan: 'pro', team: 7 }, { plan: 'free' })).toEqual({ team: null, plan: 'free' });
});
