import { expect, it } from 'vitest';
import { arrivedKeys } from './use-arrivals.ts';

const known = new Set(['a', 'b', 'c', 'd']);

it('arrivedKeys finds the row that was added between the known rows, and at the end of a list that has room', () => {
  expect(arrivedKeys(known, ['a', 'b', 'c'], ['n', 'a', 'b'], 3)).toEqual(['n']);
  expect(arrivedKeys(known, ['a', 'b'], ['a', 'b', 'n'], 3)).toEqual(['n']);
  expect(arrivedKeys(known, [], ['n'], 3)).toEqual(['n']);
});

it('arrivedKeys takes a row that moved up from the next page, or that was on another page, for no new row', () => {
  expect(arrivedKeys(known, ['a', 'b', 'c'], ['a', 'c', 'z'], 3)).toEqual([]);
  expect(arrivedKeys(known, ['a', 'b', 'c'], ['d', 'a', 'b'], 3)).toEqual([]);
});
