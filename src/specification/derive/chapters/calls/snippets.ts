import type { CallDetail } from '../../../../../contract/call-detail.ts';
import type { CallEntry } from '../../../../../contract/specification-calls.ts';
import type { CallExpression } from './call-expression.ts';
import { js, propertyName } from './js-literal.ts';

export interface SnippetApp {
  /** Address of the app, without a trailing slash. */
  url: string;
  publishableKey: string;
}

/** The caller of a snippet. The caller determines which key the snippet uses, and whether it signs in first. */
type SnippetCaller = 'anyone' | 'member' | 'secret-key';

/** Returns the caller with the fewest privileges among the roles that may make the call. */
const callerOf = (roles: readonly string[]): SnippetCaller =>
  roles.includes('anon') ? 'anyone' : roles.some((role) => role !== 'service_role') ? 'member' : 'secret-key';

interface Parts {
  app: SnippetApp;
  caller: SnippetCaller;
  method: CallEntry['method'];
  /** The complete address of the call, encoded. */
  address: string;
  example: CallExpression;
}

/**
 * Returns a call as complete programs for supabase-js, curl and fetch. The reader only replaces a password or a key.
 */
export function snippets(app: SnippetApp, call: CallEntry, example: CallExpression): CallDetail['snippets'] {
  const path = example.path ?? call.path.replace('{user_id}', '00000000-0000-0000-0000-000000000000');
  const address = `${app.url}${path}${example.query === '' ? '' : `?${example.query}`}`;
  const parts: Parts = { app, caller: callerOf(call.roles), method: call.method, address, example };
  const fetching = fetchSnippet(parts);
  return { supabase_js: supabaseSnippet(parts) ?? fetching, curl: curlSnippet(parts), fetch: fetching };
}

function supabaseSnippet({ app, caller, example: { expression, program, notes } }: Parts): string | null {
  if (expression === null && program === undefined) return null;
  const put = comments('//', notes);
  const key = caller === 'secret-key' ? 'process.env.NINEFOLD_SECRET_KEY' : js(app.publishableKey);
  const signIn =
    caller === 'member'
      ? "await supabase.auth.signInWithPassword({ email: 'ada@example.org', password: 'a long password' });\n"
      : '';
  return `import { createClient } from '@supabase/supabase-js';

const supabase = createClient(${js(app.url)}, ${key});
${signIn}${put}${program ?? `const { data, error } = await ${expression};\nconsole.log(error ?? data);\n`}`;
}

function curlSnippet({ app, caller, method, address, example: { headers, body, notes } }: Parts): string {
  const lines = [`${comments('#', notes)}curl ${method === 'GET' ? '' : `-X ${method} `}${shell(address)}`];
  lines.push(
    caller === 'secret-key' ? '-H "apikey: $NINEFOLD_SECRET_KEY"' : `-H ${shell(`apikey: ${app.publishableKey}`)}`,
  );
  if (caller === 'member') lines.push('-H "Authorization: Bearer $NINEFOLD_ACCESS_TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (body !== null) lines.push(`-H 'Content-Type: ${body.content_type}'`, `--data-binary ${shell(body.text)}`);
  return lines.join(' \\\n  ');
}

function fetchSnippet({ app, caller, method, address, example: { headers, body, notes } }: Parts): string {
  const sent: [string, string][] = [
    ['apikey', caller === 'secret-key' ? 'process.env.NINEFOLD_SECRET_KEY' : js(app.publishableKey)],
  ];
  if (caller === 'member') sent.push(['Authorization', "'Bearer ' + process.env.NINEFOLD_ACCESS_TOKEN"]);
  for (const [name, value] of Object.entries(headers)) sent.push([name, js(value)]);
  if (body !== null) sent.push(['Content-Type', js(body.content_type)]);
  const lines = [
    ...(method === 'GET' ? [] : [`  method: ${js(method)},`]),
    '  headers: {',
    ...sent.map(([name, value]) => `    ${propertyName(name)}: ${value},`),
    '  },',
    ...(body === null ? [] : [`  body: ${sourceOf(body)},`]),
  ];
  return `${comments('//', notes)}const response = await fetch(${js(address)}, {\n${lines.join('\n')}\n});\nconsole.log(response.status, await response.text());\n`;
}

const comments = (sign: string, notes: readonly string[]): string => notes.map((note) => `${sign} ${note}\n`).join('');

const sourceOf = ({ content_type, text }: NonNullable<CallExpression['body']>): string =>
  content_type === 'application/json' ? `JSON.stringify(${js(JSON.parse(text))})` : js(text);

/** Returns a text as one word for a POSIX shell. */
const shell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
