import { expect, it } from 'vitest';
import { sentenceCase, singular } from './member-words.ts';

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

it.each([
  ['author_name', 'Author name'],
  ['avatar_url', 'Avatar URL'],
  ['id', 'ID'],
  ['idea', 'Idea'],
  ['Order lines', 'Order lines'],
])('sentenceCase writes %s as “%s”', (name, words) => {
  expect(sentenceCase(name)).toBe(words);
});
