import { type CallExample, isWritable, mustBeGiven } from '../../../../../contract/call-detail.ts';
import { authCalls, realtimeCalls, storageCalls } from '../../../../../contract/calls.ts';
import type { CallEntry } from '../../../../../contract/specification-calls.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import { queryName, restName } from '../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../catalog/routines.ts';
import type { CallExpression } from './call-expression.ts';
import { js } from './js-literal.ts';
import { changesExample, realtimeExample } from './realtime-example.ts';
import { storageExample } from './storage-example.ts';

/** The parts of the app that the example of a call depends on. */
export interface CallReach {
  /** The entity of a call on rows. */
  entity?: Entity | undefined;
  /** The cells of chapter 6 that allow some role to make the call on rows. */
  cells: readonly RoleCell[];
  /** Example values, by the names of the entity's fields or by the types of the function's arguments. */
  examples: ReadonlyMap<string, unknown>;
  /** The function of a call to a function. */
  routine?: RoutineFact | undefined;
  /** A bucket of the app; absent if the app has none. */
  bucket?: string | undefined;
  /** The exposed schema that calls use if they have no header that names a schema. */
  defaultSchema: string | undefined;
}

/** Returns true if a cell of chapter 6 allows some role to make a call on rows. */
export const allowsCall = (cell: RoleCell, call: CallEntry): boolean =>
  call.id === `rest.${cell.entity}.${cell.operation}` && cell.verdict !== 'never';

/** Returns an example of a call, written for the role with the fewest privileges among those that may call. Pure. */
export function callExample(call: CallEntry, reach: CallReach): CallExpression {
  if (call.area === 'realtime') return exampleOfRealtime(call, reach);
  if (reach.entity) return rowExample(call, reach.entity, reach);
  if (reach.routine) return routineExample(call, reach.routine, reach);
  if (call.area === 'functions') return edgeFunctionExample(call);
  const stored = storageCalls.find(({ id }) => id === call.id);
  if (stored) return storageExample(stored, reach.bucket ?? 'photos');
  const described = authCalls.find(({ id }) => id === call.id);
  const body = described?.example ? json(described.example) : null;
  return { query: '', headers: {}, body, expression: described?.supabase_js ?? null, notes: [] };
}

/** Returns the example of an edge function. What it reads from the body is not known. */
function edgeFunctionExample({ id }: CallEntry): CallExpression {
  const body = { name: 'Ada' };
  const expression = `supabase.functions.invoke(${js(id.slice('functions.'.length))}, { body: ${js(body)} })`;
  return {
    query: '',
    headers: {},
    body: json(body),
    expression,
    notes: ['The function decides what it reads from the body.'],
  };
}

function exampleOfRealtime(call: CallEntry, { entity, examples }: CallReach): CallExpression {
  const known = realtimeCalls.find(({ id }) => id === call.id);
  return known ? realtimeExample(known) : changesExample(call, entity, examples.get(entity?.primary_key[0] ?? ''));
}

const json = (value: unknown): CallExample['body'] => ({
  content_type: 'application/json',
  text: JSON.stringify(value),
});

/** Returns the header that names a schema other than the default one (PostgREST, "Schemas"). */
const schemaHeaders = (schema: string, method: CallEntry['method'], defaultSchema: string | undefined) => ({
  headers: schema === defaultSchema ? {} : { [method === 'GET' ? 'Accept-Profile' : 'Content-Profile']: schema },
  // The schema public needs no call of schema(), because supabase-js uses it by default.
  chain: schema === 'public' ? '' : `.schema(${js(schema)})`,
});

/**
 * Returns a name as an argument for supabase-js, which inserts the name into the path unchanged. Encodes the name if a
 * URL with this name would contain another text.
 */
function pathPart(name: string): string {
  const arrives = !name.includes('%') && decodeURIComponent(new URL(`http://app/${name}`).pathname) === `/${name}`;
  return js(arrives ? name : encodeURIComponent(name));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const exampleRow = (fields: readonly Field[], examples: CallReach['examples']) =>
  Object.fromEntries(makeDistinct(fields.map(({ name }) => [name, examples.get(name)])));

/** Returns a note for each field that references a row, because the example cannot know an existing row. */
const pointing = (row: object, fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, references }) =>
    references === null || !Object.hasOwn(row, name)
      ? []
      : [
          `${plain(name)}: the ${plain(references.field)} of a row in ${plain(`${references.schema}.${references.entity}`)}`,
        ],
  );

/** Returns a name for a comment. A line break in the name would end the comment, so such names are quoted. */
const plain = (name: string): string => (/^[\w.]+$/.test(name) ? name : js(name));

/** Returns a filter for the row of the example, by its primary key or by its first field. */
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
    return { query, headers, body: null, expression: `${from}.select(${js(names)}).limit(25)`, notes: [] };
  }
  const writable = fields.filter(isWritable);
  const free = writable.filter((field) => !entity.primary_key.includes(field.name));
  if (method === 'POST') {
    const needed = fields.filter(mustBeGiven);
    // Omits the primary key if possible, because the database usually generates its value, also if the entity is a
    // view.
    const row = exampleRow(needed.length > 0 ? needed : (free.length > 0 ? free : writable).slice(0, 1), examples);
    const expression = `${from}.insert(${js(row)})`;
    return { query: '', headers, body: json(row), expression, notes: pointing(row, fields) };
  }
  const { query, chain: filters } = oneRow(entity, examples);
  if (method === 'DELETE') return { query, headers, body: null, expression: `${from}.delete()${filters}`, notes: [] };
  // Prefers fields that reference no other row, because the referenced row might not exist.
  const plain = free.filter(({ references }) => references === null);
  const row = exampleRow(([plain, free, writable].find(({ length }) => length > 0) ?? []).slice(0, 1), examples);
  const expression = `${from}.update(${js(row)})${filters}`;
  return { query, headers, body: json(row), expression, notes: pointing(row, fields) };
}

/** Returns the single unnamed argument that receives the whole body; null if the arguments have names. */
export const wholeBody = (routine: RoutineFact): RoutineFact['inputs'][number] | null =>
  routine.inputs.length === 1 && routine.inputs[0]?.name === '' ? routine.inputs[0] : null;

/** Content types of bodies that are not JSON (PostgREST, "Functions with a single unnamed parameter"). */
const rawTypes: Readonly<Record<string, string>> = {
  text: 'text/plain',
  xml: 'text/xml',
  bytea: 'application/octet-stream',
};

/** Returns lists and rows in the notation of PostgreSQL, other values as text. */
const inQuery = (value: unknown): string => (Array.isArray(value) ? `{${value.join(',')}}` : text(plainText(value)));

const plainText = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.values(value);
  const isRow = parts.length > 0 && parts.every((part) => part === null);
  return isRow ? `(${','.repeat(parts.length - 1)})` : JSON.stringify(value);
};

/** Returns one element of a variadic argument, because a query contains the elements one by one. */
const oneOf = (value: unknown, mode: 'i' | 'b' | 'v'): unknown =>
  mode === 'v' && Array.isArray(value) ? value[0] : value;

function routineExample(
  { method }: CallEntry,
  routine: RoutineFact,
  { defaultSchema, examples }: CallReach,
): CallExpression {
  const { headers, chain } = schemaHeaders(routine.schema, method, defaultSchema);
  const rpc = `supabase${chain}.rpc(${pathPart(routine.name)}`;
  // PostgreSQL finds a function by the names of its arguments only if the variadic argument is among them, even if it
  // has a default.
  const given = routine.inputs.filter((input) => !input.has_default || input.mode === 'v');
  const values = Object.fromEntries(
    makeDistinct(
      given.map(({ name, type, mode }) => [
        name,
        mode === 'v' ? [examples.get(type.replace(/\[\]$/, ''))] : examples.get(type),
      ]),
    ),
  );
  if (method === 'GET') {
    const query = given
      .map(
        ({ name, mode }) =>
          `${encodeURIComponent(queryName(name))}=${encodeURIComponent(inQuery(oneOf(values[name], mode)))}`,
      )
      .join('&');
    // Lists stay arrays, because supabase-js writes an array in the notation of PostgreSQL. Objects become strings
    // here, because supabase-js does not convert them.
    const args = given.map(({ name, mode }) => {
      const value = oneOf(values[name], mode);
      return [queryName(name), Array.isArray(value) ? value : plainText(value)];
    });
    return {
      query,
      headers,
      body: null,
      expression: `${rpc}, ${js(Object.fromEntries(args))}, { get: true })`,
      notes: [],
    };
  }
  const whole = wholeBody(routine);
  const body = whole ? examples.get(whole.type) : values;
  const raw = whole && !whole.type.startsWith('json') ? rawTypes[whole.type] : undefined;
  if (raw !== undefined)
    return { query: '', headers, body: { content_type: raw, text: String(body) }, expression: null, notes: [] };
  const sent = js(body);
  return { query: '', headers, body: json(body), expression: `${rpc}${sent === '{}' ? '' : `, ${sent}`})`, notes: [] };
}

/**
 * Makes equal times, days and keys among the values distinct by adding one hour, day or number to each. So a period
 * ends after it starts, and a row that links two rows links different ones.
 */
function makeDistinct(values: readonly [name: string, value: unknown][]): [name: string, value: unknown][] {
  const taken = new Set<unknown>();
  return values.map(([name, value]) => {
    let next = value;
    while (typeof next === 'string' && taken.has(next)) {
      const after = following(next);
      if (after === null) break;
      next = after;
    }
    taken.add(next);
    return [name, next];
  });
}

function following(value: string): string | null {
  const [, before = '', count = '', rest = ''] =
    /^(\d{4}-\d\d-\d\dT|)(\d\d)(:\d\d.*)$/.exec(value) ??
    /^(\d{4}-\d\d-)(\d\d)()$/.exec(value) ??
    /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-0{10})(\d\d)()$/.exec(value) ??
    [];
  // Returns null for a value that would reach the next month or the next day.
  const isFull =
    count === '' || count === '99' || (rest !== '' && count === '23') || (before.length === 8 && count === '31');
  return isFull ? null : `${before}${String(Number(count) + 1).padStart(2, '0')}${rest}`;
}
