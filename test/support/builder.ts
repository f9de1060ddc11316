import { consoleHeader } from '../../contract/admin.ts';
import type { NodeAddress } from './node.ts';

/** The first builder of every test node that has builders. */
export const builder = { name: 'Ines Okafor', email: 'ines@northwind.example', password: 'a horse, a battery' };

/** A cookie as a browser stores it. */
export interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Strict';
}

/**
 * Creates the first builder, in the same way as the page of the one-time link, and signs the builder in. Returns the
 * cookie of the session.
 */
export async function makeBuilder(node: NodeAddress): Promise<Cookie> {
  const token = new URL(node.setupUrl ?? '').hash.replace('#token=', '');
  const made = await post(node, '/setup', { ...builder, token });
  if (!made.ok) throw new Error(`The builder was not made: ${made.status} ${await made.text()}`);
  return signInBuilder(node, builder);
}

/** Signs a builder in, in the same way as the console. Returns the cookie of the session. */
export async function signInBuilder(node: NodeAddress, who: { email: string; password: string }): Promise<Cookie> {
  const { email, password } = who;
  const answer = await post(node, '/session', { email, password });
  if (!answer.ok) throw new Error(`The builder was not signed in: ${answer.status} ${await answer.text()}`);
  const [pair = '', ...attributes] = (answer.headers.getSetCookie()[0] ?? '').split('; ');
  const [name = '', value = ''] = pair.split('=');
  const has = (attribute: string) => attributes.includes(attribute);
  if (!has('HttpOnly') || !has('SameSite=Strict') || !has('Path=/')) throw new Error(`A cookie with ${attributes}`);
  const { hostname: domain } = new URL(node.url);
  return { name, value, domain, path: '/', expires: -1, httpOnly: true, secure: has('Secure'), sameSite: 'Strict' };
}

/** Proves the identity of the first builder by the password, as the console does before a sensitive request. */
export async function proveBuilder(node: NodeAddress, { name, value }: Cookie): Promise<void> {
  const answer = await post(node, '/account/proof', { password: builder.password }, { cookie: `${name}=${value}` });
  if (!answer.ok) throw new Error(`The session was not proven: ${answer.status} ${await answer.text()}`);
}

const post = (node: NodeAddress, path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${node.url}/admin/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [consoleHeader]: '1', ...headers },
    body: JSON.stringify(body),
  });
