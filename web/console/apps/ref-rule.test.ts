import { expect, it } from 'vitest';
import { refFault, refFor } from './ref-rule.ts';

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

it.each([
  ['Café Zürich', 'cafe-zurich'],
  ['  2nd Floor: desks & chairs! ', 'nd-floor-desks-chairs'],
  ['Jo', 'jo-app'],
  [`${'long '.repeat(9)}`, 'long-long-long-long-long-long-long-long'],
  ['مكتب', ''],
])('refFor makes a valid ref of the name %j', (name, ref) => {
  expect(refFor(name)).toBe(ref);
  if (ref !== '') expect(refFault(ref)).toBeNull();
});
