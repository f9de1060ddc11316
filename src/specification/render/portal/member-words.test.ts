import { expect, it } from 'vitest';
import { singular } from './member-words.ts';

it.each([
  ['tickets', 'ticket'],
  ['order_lines', 'order line'],
  ['categories', 'category'],
  ['boxes', 'box'],
  ['news', 'news'],
  ['status', 'status'],
  ['user_people', 'user person'],
  ['Children', 'Child'],
  ['menu', 'menu'],
])('singular returns the name of one of the %s', (name, one) => {
  expect(singular(name)).toBe(one);
});
