import { expect, it } from 'vitest';
import { mentionAt, withMention } from './mentions.ts';

it.each([
  ['@', { start: 0, words: '' }],
  ['Ask @Le', { start: 4, words: 'Le' }],
  ['(@lea br', { start: 1, words: 'lea br' }],
  ['@Lea and @G', { start: 9, words: 'G' }],
  ['اسأل @لي', { start: 5, words: 'لي' }],
  ['ada@example', null],
  ['no mention', null],
  ['@Lea\nnext line', null],
  ['@ Lea', null],
  [`@${'a'.repeat(41)}`, null],
])('mentionAt finds in %j the letters after the last @ that begins a word', (text, found) => {
  expect(mentionAt(text, text.length)).toEqual(found && { ...found, end: text.length });
});

it('withMention writes the whole name and one space, and keeps the text after the caret', () => {
  const mention = mentionAt('Ask @Le', 7);
  expect(mention && withMention('Ask @Le', mention, 'Lea Brown')).toEqual({ text: 'Ask @Lea Brown ', caret: 15 });
  expect(mention && withMention('Ask @Le please', mention, 'Lea Brown')).toEqual({
    text: 'Ask @Lea Brown please',
    caret: 14,
  });
});
