import { beforeAll, expect, it } from 'vitest';
import { en } from '../../language/en.ts';
import { setLanguage } from '../../language/messages.ts';
import { passwordRules } from './password-rules.ts';

beforeAll(() => setLanguage('en', en));

it.each([
  ['plum-kettle-9', ['8 characters or more', true, 'Not your address', true]],
  ['plum', ['8 characters or more: 4 are missing', false, 'Not your address', true]],
  ['Maren-2026', ['8 characters or more', true, 'Not your address: it contains “maren”', false]],
  ['', ['8 characters or more', false, 'Not your address', true]],
])('passwordRules checks the rules for the password %j', (password, reported) => {
  const rules = passwordRules(password, 'maren@brightwater.example', 8);
  expect(rules.flatMap(({ words, isMet }) => [words, isMet])).toEqual(reported);
});
