import type { StorageCall } from '../../../../../contract/calls.ts';
import type { CallExpression } from './call-expression.ts';
import { js } from './js-literal.ts';

/** The path of the object in examples, and the values of other words in capitals in the expressions of calls. */
const PATH = 'folder/file.txt';
const values: Readonly<Record<string, string>> = { PATH, OLD: PATH, NEW: 'folder/new.txt', FOLDER: 'folder' };
/** The bytes of an uploaded file. */
const FILE = { content_type: 'text/plain', text: 'hello' };

/** Returns an example of a call of files, with a bucket of the app. */
export function storageExample(call: StorageCall, bucket: string): CallExpression {
  const put = (text: string): string => (text === 'BUCKET' ? bucket : (values[text] ?? text));
  const uploads = call.id.startsWith('storage.object.upload');
  const query = call.parameters.some(({ name, in: where }) => where === 'query' && name === 'token')
    ? 'token=TOKEN'
    : '';
  const body =
    call.example &&
    Object.fromEntries(
      Object.entries(call.example).map(([name, value]) => [name, typeof value === 'string' ? put(value) : value]),
    );
  const expression = call.supabase_js
    ?.replace(/'([A-Z]+)(\/?)'/g, (_, word: string, slash: string) => js(`${put(word)}${slash}`))
    .replace(/\bfile\b(?=\))/, `new Blob([${js(FILE.text)}], { type: ${js(FILE.content_type)} })`)
    .replace(', token,', ', TOKEN,');
  return {
    path: call.path.replace('{bucket}', encodeURIComponent(bucket)).replace('{path}', PATH),
    query,
    headers: {},
    body: uploads ? FILE : body ? { content_type: 'application/json', text: JSON.stringify(body) } : null,
    expression: expression ?? null,
    notes: query === '' ? [] : ['TOKEN: the token of the signed URL'],
  };
}
