import { expect } from 'vitest';
import type { HttpResponse } from './http.ts';

/** Matches names in the server's SQL and positions in its code, which no response may contain. */
const INSIDE = /set_config|pgrst_|json_agg|json_build|ninefold\.js|node:internal|\.ts:\d|\n\s+at /;

/**
 * Checks the response to a malformed request. It must have a status of 4xx, a code, a sentence and a request id, and no
 * internal detail. Returns the code.
 */
export function expectRefusal(response: HttpResponse, what = ''): string {
  const context = `${what}\n${response.status} ${response.body.slice(0, 500)}`;
  expect(response.status, context).toBeGreaterThanOrEqual(400);
  expect(response.status, context).toBeLessThan(500);
  expect(response.headers['x-request-id'], context).toMatch(/^[\w.:-]+$/);
  expect(response.body, context).not.toMatch(INSIDE);
  const body = JSON.parse(response.body) as Record<string, unknown>;
  const code = body.error_code ?? body.code;
  expect(code, context).toEqual(expect.stringMatching(/^\w+$/));
  expect(body.message ?? body.msg, context).toEqual(expect.stringMatching(/\w{3}/));
  return String(code);
}

/** Checks a response like `expectRefusal`, but also accepts a success. */
export function expectNoFault(response: HttpResponse, what = ''): void {
  if (response.status >= 400) expectRefusal(response, what);
  else expect(response.headers['x-request-id'], what).toBeTruthy();
}
