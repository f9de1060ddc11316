import { expect, it } from 'vitest';
import { cellWords } from './role-text.ts';

it.each([
  ['own row (by customer)', 'own'],
  ['own row (by member or owner)', 'own'],
  [
    'own row (by id) or the member has role agent or lead, 4 of 12 fields',
    'own, or role agent or lead, 4 of 12 fields',
  ],
  ['the member has role a, b or c', 'role a, b or c'],
  ['the member has role lead and id is not the member', 'role lead and not own'],
  ['as far as rows of bookings can be seen', 'as its tables allow'],
  ['slot of an active resource (staff: of any)', 'slot of an active resource (staff: of any)'],
  ['', ''],
])('cellWords shortens %s to %s', (words, short) => expect(cellWords(words)).toBe(short));
