import type { AppConnection } from '../../../contract/admin.ts';
import type { Entity } from '../../../contract/specification-entities.ts';

/** What the snippets read: an entity that the app really has. */
export interface Example {
  name: string;
  fields: string[];
}

/** The entity to show: the first table that is exposed, with its first fields; null while there is none. */
export function exampleOf(entities: readonly Entity[]): Example | null {
  const entity = entities.find(({ exposed, kind }) => exposed && kind === 'table');
  return entity ? { name: entity.name, fields: entity.fields.slice(0, 3).map(({ name }) => name) } : null;
}

const javascriptText = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
const shellText = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;
/** A name as PostgREST's `select` takes it: quoted where it holds more than letters, digits and underscores. */
const selected = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`);

/** The connection in code that runs as it stands. Pure. */
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

/** The same call by hand. */
export function curl({ url, publishable_key }: AppConnection, example: Example | null): string {
  const address = example
    ? `${url}/rest/v1/${encodeURIComponent(example.name)}?select=${example.fields.map((name) => encodeURIComponent(selected(name))).join(',')}`
    : `${url}/auth/v1/settings`;
  return `curl ${shellText(address)} \\
  -H ${shellText(`apikey: ${publishable_key}`)}`;
}

/** For a project that reads its connection from the environment, under the names that Supabase's templates use. */
export const environment = ({ url, publishable_key }: AppConnection): string =>
  `SUPABASE_URL=${url}
SUPABASE_PUBLISHABLE_KEY=${publishable_key}`;

/** SQL from a terminal on the machine of the node. */
export const terminal = (ref: string): string =>
  `$ node bin/ninefold.js sql ${ref} \\
    -c 'select now()'
$ node bin/ninefold.js migrate ${ref} \\
    ./supabase/migrations`;
