import { expect, it } from 'vitest';
import { isTest, sourceFiles } from './source-files.ts';

/** A reply whose content an app can choose goes through a header policy: there is one way out (docs/decisions/0012-origins.md). */
const sources = sourceFiles(['src']).filter(({ path }) => !isTest(path));

const filesWith = (pattern: RegExp): string[] =>
  sources.flatMap(({ path, text }) => (pattern.test(text) ? [path] : [])).sort();

it('asks an app for a reply in app-calls.ts only', () => {
  expect(filesWith(/\.(?:answerApp|answerDoor)\(/)).toEqual(['src/http/app-calls.ts']);
});

it('writes to a response of Node.js in write-reply.ts only, which app-calls.ts calls with a policy', () => {
  expect(filesWith(/\bwriteHead\(|\bsetHeader\(|\bresponse\.(?:end|write)\(/)).toEqual(['src/http/write-reply.ts']);
  expect(filesWith(/\bwriteReply\(/)).toEqual(['src/http/app-calls.ts', 'src/http/write-reply.ts']);
});

it('decides by a Host header in origins.ts only', () => {
  expect(filesWith(/\.appAt\(/)).toEqual(['src/apps/origins.ts', 'src/http/app-calls.ts']);
});
