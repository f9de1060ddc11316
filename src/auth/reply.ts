import type { Reply } from '../../contract/call-request.ts';

/**
 * Headers of all responses of the auth API. The responses contain tokens and personal data, so no cache may store them
 * (RFC 6749, section 5.1).
 */
export const replyHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
};

export const json = (value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  headers: { ...replyHeaders, ...headers },
  body: JSON.stringify(value),
});

export const noContent: Reply = { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
