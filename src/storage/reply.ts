import type { Reply } from '../../contract/call-request.ts';

/** Returns a reply with a JSON body, which no cache stores. */
export const json = (value: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});
