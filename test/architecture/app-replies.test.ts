import { expect, it } from 'vitest';
import { isTest, sourceFiles } from './source-files.ts';

/**
 * Only one file sends replies whose content an app can choose, and it applies a header policy
 * (docs/decisions/0012-origins.md).
 */
const sources = sourceFiles(['src']).filter(({ path }) => !isTest(path));

const filesWith = (pattern: RegExp): string[] =>
  sources.flatMap(({ path, text }) => (pattern.test(text) ? [path] : [])).sort();

it('only app-calls.ts calls answerApp and answerDoor', () => {
  expect(filesWith(/\.(?:answerApp|answerDoor)\(/)).toEqual(['src/http/app-calls.ts']);
});

it('the server writes to a Node.js response only in write-reply.ts, called with a policy by app-calls.ts and node-calls.ts', () => {
  expect(filesWith(/\bwriteHead\(|\bsetHeader\(|\bresponse\.(?:end|write)\(/)).toEqual([
    // The process of edge functions answers workers and functions on Unix sockets, and no client.
    'src/functions/host/app-sockets.ts',
    'src/functions/host/function-host.ts',
    // Serves metrics only, on an own port.
    'src/http/metrics-server.ts',
    'src/http/write-reply.ts',
  ]);
  expect(filesWith(/\bwriteReply\(/)).toEqual([
    'src/http/app-calls.ts',
    'src/http/node-calls.ts',
    'src/http/write-reply.ts',
  ]);
});

it('only origins.ts and app-calls.ts find an app by the Host header', () => {
  expect(filesWith(/\.appAt\(/)).toEqual(['src/apps/registry/origins.ts', 'src/http/app-calls.ts']);
});
