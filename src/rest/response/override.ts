import { NinefoldError } from '../../errors/ninefold-error.ts';

/**
 * Parses status and headers that functions set for the response (PostgREST docs, "Response Headers", "Response Status
 * Code").
 */

/**
 * Parses the setting response.status. Returns null if it is not set.
 * @throws NinefoldError PGRST112
 */
export function overriddenStatus(setting: string | null): number | null {
  if (setting === null) return null;
  const match = /^(\d{3})/.exec(setting);
  const status = match ? Number(match[1]) : 0;
  if (status < 200 || status > 599) throw new NinefoldError('PGRST112');
  return status;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers that determine the framing of a message. Only the server may set them, because wrong values would make a
 * client or proxy misread the next response.
 */
const framing = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a function has set. */
export interface OverriddenHeaders {
  /** Names in lower case; several values of one name are joined as a list (RFC 9110, section 5.3). */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
}

const noHeaders: OverriddenHeaders = { headers: {}, cookies: [] };

/**
 * Parses the setting response.headers, an array of objects with one name and value each.
 * @throws NinefoldError PGRST111, also for invalid names and values.
 */
export function overriddenHeaders(setting: string | null): OverriddenHeaders {
  if (setting === null) return noHeaders;
  let value: unknown;
  try {
    value = JSON.parse(setting);
  } catch {
    throw new NinefoldError('PGRST111');
  }
  if (!Array.isArray(value)) throw new NinefoldError('PGRST111');
  // Without a prototype, so that `constructor` is a normal name.
  const headers: Record<string, string> = Object.create(null);
  const cookies: string[] = [];
  for (const element of value) {
    const [name, text] = headerOf(element);
    if (name === 'set-cookie') cookies.push(text);
    else headers[name] = headers[name] === undefined ? text : `${headers[name]}, ${text}`;
  }
  return { headers, cookies };
}

function headerOf(element: unknown): [string, string] {
  const pairs = typeof element === 'object' && element !== null ? Object.entries(element) : [];
  const [name, text] = pairs[0] ?? [];
  if (pairs.length !== 1 || name === undefined || typeof text !== 'string') throw new NinefoldError('PGRST111');
  if (!headerName.test(name) || !headerValue.test(text)) throw new NinefoldError('PGRST111');
  if (framing.has(name.toLowerCase())) throw new NinefoldError('PGRST111');
  return [name.toLowerCase(), text];
}
