import { type CallExample, isWritable, mustBeGiven } from '../../contract/call-detail.ts';
import { authCalls } from '../../contract/calls.ts';
import type { CallEntry } from '../../contract/specification-calls.ts';
import type { Entity, Field } from '../../contract/specification-entities.ts';
import type { RoleCell } from '../../contract/specification-roles.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { js } from './js-literal.ts';
import { queryName, restName } from './names.ts';

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
  /** What to put in for values that are there for their form alone: rows that they point to. */
  notes: readonly string[];
}

/** Whether a cell of chapter 6 lets somebody make a call on rows. */
export const allowsCall = (cell: RoleCell, call: CallEntry): boolean =>
  call.id === `rest.${cell.entity}.${cell.operation}` && cell.verdict !== 'never';

/** An example of a call, written for the least of the roles that may call. Pure. */
export function callExample(call: CallEntry, reach: CallReach): CallExpression {
  if (reach.entity) return rowExample(call, reach.entity, reach);
  if (reach.routine) return routineExample(call, reach.routine, reach);
  const described = authCalls.find(({ id }) => id === call.id);
  const body = described?.example ? json(described.example) : null;
  return { query: '', headers: {}, body, expression: described?.supabase_js ?? null, notes: [] };
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
  Object.fromEntries(makeDistinct(fields.map(({ name }) => [name, examples.get(name)])));

/** Which row the example of a field points to cannot be known. */
const pointing = (row: object, fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, references }) =>
    references === null || !Object.hasOwn(row, name)
      ? []
      : [
          `${plain(name)}: the ${plain(references.field)} of a row in ${plain(`${references.schema}.${references.entity}`)}`,
        ],
  );

/** A name within a comment, which ends with its line. */
const plain = (name: string): string => (/^[\w.]+$/.test(name) ? name : js(name));

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
    return { query, headers, body: null, expression: `${from}.select(${js(names)}).limit(25)`, notes: [] };
  }
  const writable = fields.filter(isWritable);
  const free = writable.filter((field) => !entity.primary_key.includes(field.name));
  if (method === 'POST') {
    const needed = fields.filter(mustBeGiven);
    // Keys are mostly counted, beneath views too.
    const row = exampleRow(needed.length > 0 ? needed : (free.length > 0 ? free : writable).slice(0, 1), examples);
    const expression = `${from}.insert(${js(row)})`;
    return { query: '', headers, body: json(row), expression, notes: pointing(row, fields) };
  }
  const { query, chain: filters } = oneRow(entity, examples);
  if (method === 'DELETE') return { query, headers, body: null, expression: `${from}.delete()${filters}`, notes: [] };
  // What points to another row takes what is there alone.
  const plain = free.filter(({ references }) => references === null);
  const row = exampleRow(([plain, free, writable].find(({ length }) => length > 0) ?? []).slice(0, 1), examples);
  const expression = `${from}.update(${js(row)})${filters}`;
  return { query, headers, body: json(row), expression, notes: pointing(row, fields) };
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

/** A list and a row as PostgreSQL reads them, anything else as its text. */
const inQuery = (value: unknown): string => (Array.isArray(value) ? `{${value.join(',')}}` : text(plainText(value)));

const plainText = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.values(value);
  const isRow = parts.length > 0 && parts.every((part) => part === null);
  return isRow ? `(${','.repeat(parts.length - 1)})` : JSON.stringify(value);
};

/** The elements of a variadic argument stand in the query one by one. */
const oneOf = (value: unknown, mode: 'i' | 'b' | 'v'): unknown =>
  mode === 'v' && Array.isArray(value) ? value[0] : value;

function routineExample(
  { method }: CallEntry,
  routine: RoutineFact,
  { defaultSchema, examples }: CallReach,
): CallExpression {
  const { headers, chain } = schemaHeaders(routine.schema, method, defaultSchema);
  const rpc = `supabase${chain}.rpc(${pathPart(routine.name)}`;
  // PostgreSQL finds a function by the names of its arguments only where the variadic one is among them, default or not.
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
    // supabase-js writes lists as PostgreSQL reads them, and no objects.
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
 * The same values with names, of which no two times, days or keys are alike: what begins ends later, and what joins two rows joins two of
 * them. Each is one hour, day or number after the one before it.
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
  // The first days of the next month, and hours of the next day, are not worth the telling.
  const isFull =
    count === '' || count === '99' || (rest !== '' && count === '23') || (before.length === 8 && count === '31');
  return isFull ? null : `${before}${String(Number(count) + 1).padStart(2, '0')}${rest}`;
}
