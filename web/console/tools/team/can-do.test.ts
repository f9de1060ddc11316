import { expect, it } from 'vitest';
import { canDo } from './can-do.ts';

it('derives the rights of each role from the least roles of the calls', () => {
  expect(canDo.map(({ marks: { owner, developer, reader } }) => `${owner} ${developer} ${reader}`)).toEqual([
    'always always always',
    'always always never',
    'always always never',
    'always never never',
    'always never never',
    'always never never',
  ]);
});
