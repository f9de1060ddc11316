import type { AppConnection } from './admin.ts';
import type { Entity } from './specification-entities.ts';

/** An existing entity of the app, which the code examples read. */
export interface Example {
  name: string;
  fields: string[];
}

/** Returns the first exposed table with its first fields; null without such a table. */
export function exampleOf(entities: readonly Entity[]): Example | null {
  const entity = entities.find(({ exposed, kind }) => exposed && kind === 'table');
  return entity ? { name: entity.name, fields: entity.fields.slice(0, 3).map(({ name }) => name) } : null;
}

const javascriptText = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
const shellText = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;
/**
 * Returns a name in the syntax of PostgREST's `select`: quoted if it contains more than letters, digits and
 * underscores.
 */
const selected = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`);

/** Returns JavaScript that connects to the app and runs unchanged. Pure. */
export function supabaseJs({ url, publishable_key }: AppConnection, example: Example | null): string {
  const use = example
    ? `const { data, error } = await supabase
  .from(${javascriptText(example.name)})
  .select(${javascriptText(example.fields.map(selected).join(', '))})`
    : `const { data, error } = await supabase
  .auth.signUp({
    email: 'ada@example.com',
    password: 'correct horse battery',
  })`;
  return `import { createClient }
  from '@supabase/supabase-js'

const supabase = createClient(
  ${javascriptText(url)},
  ${javascriptText(publishable_key)},
)
${use}`;
}

/** Returns a curl command that sends the same request as the JavaScript. Pure. */
export function curl({ url, publishable_key }: AppConnection, example: Example | null): string {
  const address = example
    ? `${url}/rest/v1/${encodeURIComponent(example.name)}?select=${example.fields.map((name) => encodeURIComponent(selected(name))).join(',')}`
    : `${url}/auth/v1/settings`;
  return `curl ${shellText(address)} \\
  -H ${shellText(`apikey: ${publishable_key}`)}`;
}

/** Returns the environment variables of an app, with the names that Supabase's templates use. */
export const environment = ({ url, publishable_key }: AppConnection): string =>
  `SUPABASE_URL=${url}
SUPABASE_PUBLISHABLE_KEY=${publishable_key}`;

/** Returns a command that opens SQL in a terminal on the node's machine. */
export const terminal = (ref: string): string =>
  `$ node bin/ninefold.js sql ${ref} \\
    -c 'select now()'
$ node bin/ninefold.js migrate ${ref} \\
    ./supabase/migrations`;
