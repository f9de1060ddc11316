import { expect } from 'vitest';
import type { HttpAnswer } from './http.ts';

/** What only the inside of the server knows: names in its SQL, places in its code. */
const INSIDE = /set_config|pgrst_|json_agg|json_build|ninefold\.js|node:internal|\.ts:\d|\n\s+at /;

/**
 * Holds an answer against the promise for malformed requests: a status of 4xx, a code, a sentence, a request id, and nothing
 * of the inside. Gives the code.
 */
export function expectRefusal(answer: HttpAnswer, what = ''): string {
  const told = `${what}\n${answer.status} ${answer.body.slice(0, 500)}`;
  expect(answer.status, told).toBeGreaterThanOrEqual(400);
  expect(answer.status, told).toBeLessThan(500);
  expect(answer.headers['x-request-id'], told).toMatch(/^[\w.:-]+$/);
  expect(answer.body, told).not.toMatch(INSIDE);
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  const code = body.error_code ?? body.code;
  expect(code, told).toEqual(expect.stringMatching(/^\w+$/));
  expect(body.message ?? body.msg, told).toEqual(expect.stringMatching(/\w{3}/));
  return String(code);
}

/** The same where the request may as well be understood: then there is nothing to refuse. */
export function expectNoFault(answer: HttpAnswer, what = ''): void {
  if (answer.status >= 400) expectRefusal(answer, what);
  else expect(answer.headers['x-request-id'], what).toBeTruthy();
}
