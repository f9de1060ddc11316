import { type CallExample, isWritable, mustBeGiven } from '../../contract/call-detail.ts';
import { authCalls } from '../../contract/calls.ts';
import type { CallEntry } from '../../contract/specification-calls.ts';
import type { Entity, Field } from '../../contract/specification-entities.ts';
import type { RoleCell } from '../../contract/specification-roles.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { queryName, restName } from './names.ts';
import { js } from './snippets.ts';

/** What a call reaches, as far as an example of it needs to know. */
export interface CallReach {
  /** The entity of a call on rows. */
  entity?: Entity | undefined;
  /** The cells of chapter 6 that let somebody make the call on rows. */
  cells: readonly RoleCell[];
  /** Values to give: by the names of the entity's fields, or by the types of the function's arguments. */
  examples: ReadonlyMap<string, unknown>;
  /** The function of a call to one. */
  routine?: RoutineFact | undefined;
  /** The schema that no header names. */
  defaultSchema: string | undefined;
}

/** A request that a call takes, and the same as an expression over `supabase`; null where supabase-js has none. */
export interface CallExpression extends CallExample {
  expression: string | null;
}

/** Whether a cell of chapter 6 lets somebody make a call on rows. */
export const letsMake = (cell: RoleCell, call: CallEntry): boolean =>
  call.id === `rest.${cell.entity}.${cell.operation}` && cell.verdict !== 'never';

/** An example of a call, written for the least of the roles that may call. Pure. */
export function callExample(call: CallEntry, reach: CallReach): CallExpression {
  if (reach.entity) return rowExample(call, reach.entity, reach);
  if (reach.routine) return routineExample(call, reach.routine, reach);
  const described = authCalls.find(({ id }) => id === call.id);
  const body = described?.example ? json(described.example) : null;
  return { query: '', headers: {}, body, expression: described?.supabase_js ?? null };
}

const json = (value: unknown): CallExample['body'] => ({
  content_type: 'application/json',
  text: JSON.stringify(value),
});

/** The schema that is not the default one is named in a header (PostgREST, "Schemas"). */
const schemaHeaders = (schema: string, method: CallEntry['method'], defaultSchema: string | undefined) => ({
  headers: schema === defaultSchema ? {} : { [method === 'GET' ? 'Accept-Profile' : 'Content-Profile']: schema },
  // supabase-js names public where it is told of no other.
  chain: schema === 'public' ? '' : `.schema(${js(schema)})`,
});

/** A name for supabase-js, which sets it into the path as it is: encoded where it would not arrive whole. */
function pathPart(name: string): string {
  const arrives = !name.includes('%') && decodeURIComponent(new URL(`http://app/${name}`).pathname) === `/${name}`;
  return js(arrives ? name : encodeURIComponent(name));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const exampleRow = (fields: readonly Field[], examples: CallReach['examples']) =>
  Object.fromEntries(fields.map(({ name }) => [name, examples.get(name)]));

/** The row that an example is about: by its key, else by its first field. */
function oneRow(entity: Entity, examples: CallReach['examples']): { query: string; chain: string } {
  const names =
    entity.primary_key.length > 0 ? entity.primary_key : entity.fields.slice(0, 1).map((field) => field.name);
  return {
    query: names
      .map((name) => `${encodeURIComponent(queryName(name))}=eq.${encodeURIComponent(text(examples.get(name)))}`)
      .join('&'),
    chain: names.map((name) => `.eq(${js(queryName(name))}, ${js(examples.get(name))})`).join(''),
  };
}

function rowExample(
  { method }: CallEntry,
  entity: Entity,
  { cells, defaultSchema, examples }: CallReach,
): CallExpression {
  const { headers, chain } = schemaHeaders(entity.schema, method, defaultSchema);
  const from = `supabase${chain}.from(${pathPart(entity.name)})`;
  const columns = cells[0]?.columns ?? null;
  const fields = entity.fields.filter((field) => columns === null || columns.includes(field.name));
  if (method === 'GET') {
    const isAll = fields.length === entity.fields.length;
    const names = isAll ? '*' : fields.map((field) => restName(field.name)).join(',');
    const query = `select=${isAll ? '*' : encodeURIComponent(names)}&limit=25`;
    return { query, headers, body: null, expression: `${from}.select(${js(names)}).limit(25)` };
  }
  const writable = fields.filter(isWritable);
  const free = writable.filter((field) => !entity.primary_key.includes(field.name));
  if (method === 'POST') {
    const needed = fields.filter(mustBeGiven);
    // Keys are mostly counted, beneath views too.
    const row = exampleRow(needed.length > 0 ? needed : (free.length > 0 ? free : writable).slice(0, 1), examples);
    return { query: '', headers, body: json(row), expression: `${from}.insert(${js(row)})` };
  }
  const { query, chain: filters } = oneRow(entity, examples);
  if (method === 'DELETE') return { query, headers, body: null, expression: `${from}.delete()${filters}` };
  // What points to another row takes what is there alone.
  const plain = free.filter(({ references }) => references === null);
  const row = exampleRow(([plain, free, writable].find(({ length }) => length > 0) ?? []).slice(0, 1), examples);
  return { query, headers, body: json(row), expression: `${from}.update(${js(row)})${filters}` };
}

/** The one unnamed argument that takes the whole body; null where arguments have names. */
export const wholeBody = (routine: RoutineFact): RoutineFact['inputs'][number] | null =>
  routine.inputs.length === 1 && routine.inputs[0]?.name === '' ? routine.inputs[0] : null;

/** Content types of bodies that are no JSON (PostgREST, "Functions with a single unnamed parameter"). */
const rawTypes: Readonly<Record<string, string>> = {
  text: 'text/plain',
  xml: 'text/xml',
  bytea: 'application/octet-stream',
};

/** A list as PostgreSQL reads it, anything else as its text. */
const inQuery = (value: unknown): string => (Array.isArray(value) ? `{${value.join(',')}}` : text(value));

const plainText = (value: unknown): unknown => (typeof value === 'object' ? JSON.stringify(value) : value);

function routineExample(
  { method }: CallEntry,
  routine: RoutineFact,
  { defaultSchema, examples }: CallReach,
): CallExpression {
  const { headers, chain } = schemaHeaders(routine.schema, method, defaultSchema);
  const rpc = `supabase${chain}.rpc(${pathPart(routine.name)}`;
  const given = routine.inputs.filter((input) => !input.has_default && input.mode !== 'v');
  const values = Object.fromEntries(given.map((input) => [input.name, examples.get(input.type)]));
  if (method === 'GET') {
    const query = given
      .map((input) => `${encodeURIComponent(queryName(input.name))}=${encodeURIComponent(inQuery(values[input.name]))}`)
      .join('&');
    // supabase-js writes lists as PostgreSQL reads them, and no objects.
    const args = Object.entries(values).map(([name, value]) => [
      queryName(name),
      Array.isArray(value) ? value : plainText(value),
    ]);
    return { query, headers, body: null, expression: `${rpc}, ${js(Object.fromEntries(args))}, { get: true })` };
  }
  const whole = wholeBody(routine);
  const body = whole ? examples.get(whole.type) : values;
  const raw = whole && !whole.type.startsWith('json') ? rawTypes[whole.type] : undefined;
  if (raw !== undefined)
    return { query: '', headers, body: { content_type: raw, text: String(body) }, expression: null };
  const sent = js(body);
  return { query: '', headers, body: json(body), expression: `${rpc}${sent === '{}' ? '' : `, ${sent}`})` };
}
