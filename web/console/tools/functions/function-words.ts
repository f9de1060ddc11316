import { type EdgeFunction, FUNCTION_NAME, RESERVED_SECRET, SECRET_NAME } from '../../../../contract/functions.ts';
import { count, counted } from '../../format/format.ts';

/** Returns the version that runs; undefined while the function is switched off. Pure. */
export const activeVersion = ({ versions }: EdgeFunction) => versions.find(({ is_active: isActive }) => isActive);

/** Returns in words what a caller of a function needs. Pure. */
export const callerWords = ({ verify_jwt: verifies }: Pick<EdgeFunction, 'verify_jwt'>): string =>
  verifies ? 'key or token' : 'open to everybody';

/** Describes the calls of the last 24 hours in sentences. Pure. */
export function callsInWords({ calls: { count: all, failed } }: EdgeFunction): string {
  if (all === 0) return 'No client has called it in 24 hours.';
  if (failed === 0) return `${all === 1 ? 'Its only call' : `All ${count(all)} calls`} of 24 hours succeeded.`;
  return `${count(all - failed)} of ${counted(all, 'call')} in 24 hours succeeded.`;
}

/** Returns the reason why a function cannot have a name; null if it can. Pure. */
export function whyNoFunctionName(name: string, taken: readonly string[]): string | null {
  if (name === '') return 'Enter a name first.';
  if (!FUNCTION_NAME.test(name)) {
    return 'A name begins with a letter, and has at most 63 letters, digits, hyphens and underscores.';
  }
  return taken.includes(name) ? `The app already has a function ${name}.` : null;
}

/** Returns the reason why a secret cannot have a name; null if it can. Pure. */
export function whyNoSecretName(name: string): string | null {
  if (name === '') return 'Enter a name first.';
  const [, reserved] = new RegExp(`(${RESERVED_SECRET.source})`).exec(name) ?? [];
  if (reserved === name) return `The node sets the variable ${name} itself. Choose another name.`;
  if (reserved !== undefined) return `The node sets variables that begin with ${reserved} itself. Choose another name.`;
  return SECRET_NAME.test(name)
    ? null
    : 'A name has letters, digits and underscores, and does not begin with a digit, as environment variables do.';
}

/** The code of a new function. Pure. */
export const templateOf = (name: string): string => `Deno.serve(async (request) => {
  const text = await request.text();
  console.log('called by', request.method, text);
  const { name = 'world' } = text === '' ? {} : JSON.parse(text);
  return Response.json({ message: \`Hello, \${name}, from ${name}\` });
});
`;

/** A request as \`curl\` sends it. */
interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Quotes a text for a POSIX shell. Pure. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes a request as a command with curl. Pure. */
export const curlOf = ({ method, url, headers, body }: CurlRequest): string =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');

/** Reads headers, one on each line; null if a line is no header. Pure. */
export function readHeaders(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line));
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), value]))
    : null;
}
