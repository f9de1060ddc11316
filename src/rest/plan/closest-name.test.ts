import { expect, it } from 'vitest';
import { closestName } from './closest-name.ts';

/** The expected names are those that PostgREST proposes. It compares names by trigrams and then by edit distance. */
it.each([
  ['film', ['films', 'directors'], 0.75, 'films'],
  ['FILMS', ['films', 'directors'], 0.75, 'films'],
  ['filmography', ['films', 'directors'], 0.75, null],
  ['(id)', ['(attr, id)', '(name, param, val)'], 0.33, '(attr, id)'],
  ['(nam, pqaram, vall)', ['(attr, id)', '(name, param, val)'], 0.33, '(name, param, val)'],
  ['(x)', ['(y)'], 0.33, null],
  ['(noclosealternative)', ['(attr, id)', '(name, param, val)'], 0.33, null],
  ['___', ['_a_'], 0.33, null],
])('closestName finds the closest name to %s in %j', (wanted, names, min, expected) => {
  expect(closestName(wanted, names, min)?.name ?? null).toBe(expected);
});
