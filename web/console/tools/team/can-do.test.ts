import { expect, it } from 'vitest';
import { canDo } from './can-do.ts';

it('canDo derives the permissions of each role from the least role that each call requires', () => {
  expect(canDo.map(({ marks: { owner, developer, reader } }) => `${owner} ${developer} ${reader}`)).toEqual([
    'always always always',
    'always always never',
    'always always never',
    'always always never',
    'always always never',
    'always never never',
    'always never never',
    'always never never',
  ]);
});
