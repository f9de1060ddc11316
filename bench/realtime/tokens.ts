import { createHmac } from 'node:crypto';

/** Period of the access tokens, longer than any measurement. */
const SECONDS = 3600;

/** Returns the id of the member with a number. */
export const memberId = (i: number): string => `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`;

/**
 * Returns an access token of the member with a number.
 * @param secret The shared secret of the app.
 */
export function accessToken(i: number, secret: string): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = {
    sub: memberId(i),
    role: 'authenticated',
    aud: 'authenticated',
    exp: Math.floor(Date.now() / 1000) + SECONDS,
  };
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
