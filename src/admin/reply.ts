import type { Reply } from '../../contract/call-request.ts';

/** Returns a JSON reply of a value. */
export const json = (value: unknown, status = 200): Reply => ({ ...jsonBytes(JSON.stringify(value)), status });

/** Returns a JSON reply of text or bytes that are JSON already. */
export const jsonBytes = (body: string | Uint8Array): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body,
});

export const noContent = (): Reply => ({ status: 204, headers: {}, body: null });
