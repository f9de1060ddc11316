import { expect, it } from 'vitest';
import { refFault } from './ref-rule.ts';

it.each(['abc', 'help-desk-2', `a${'b'.repeat(39)}`])('refFault accepts %s as a ref', (ref) =>
  expect(refFault(ref)).toBeNull(),
);

it.each([
  ['ab', /3 characters/],
  [`a${'b'.repeat(40)}`, /40/],
  ['2nd', /starts/],
  ['-abc', /starts/],
  ['Help', /starts/],
  ['help desk', /Only/],
  ['help_desk', /Only/],
  ['abc\n', /Only/],
])('refFault explains why %j is not a valid ref', (ref, why) => expect(refFault(ref)).toMatch(why));
