import { expect, it } from 'vitest';
import { metadataChange, readMetadata } from './metadata.ts';

it('reads an object', () => {
  expect(readMetadata('{ "plan": "pro" }', 100)).toEqual({ value: { plan: 'pro' } });
});

it.each([
  ['{ "plan": ', /not JSON/],
  ['', /not JSON/],
  ['[1]', /object/],
  ['null', /object/],
  [JSON.stringify({ text: 'ü'.repeat(60) }), /bytes/],
])('says what is wrong with %s', (text, words) => {
  expect(readMetadata(text, 100)).toEqual({ fault: expect.stringMatching(words) });
});

it('removes a key that is gone, which leaving it out would not', () => {
  expect(metadataChange({ plan: 'pro', team: 7 }, { plan: 'free' })).toEqual({ team: null, plan: 'free' });
});
