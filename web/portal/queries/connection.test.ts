import { afterEach, expect, it, vi } from 'vitest';
import { isConnectionLost, loseConnection, reach } from './connection.ts';

afterEach(() => vi.unstubAllGlobals());

it('reach ends a loss of the connection by a response, but not by the response to an earlier request', async () => {
  const responses: (() => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise((resolve) => responses.push(() => resolve(new Response()))));
  const retry = vi.fn();
  const earlier = reach('/', {});
  loseConnection(retry);
  responses[0]?.();
  await earlier;
  expect(isConnectionLost()).toBe(true);
  const later = reach('/', {});
  responses[1]?.();
  await later;
  expect(isConnectionLost()).toBe(false);
});
