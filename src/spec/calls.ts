import { type AuthCall, authCalls } from '../../contract/calls.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import type {
  CallEntry,
  CallParameter,
  CallsChapter,
  Entity,
  RoleCell,
  RolesChapter,
} from '../../contract/specification.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { exampleOf } from './examples.ts';
import type { Facts } from './facts.ts';
import { groupBy } from './group.ts';
import { callableRoutines, idOf } from './roles.ts';
import { js, type SnippetApp, type SnippetCaller, snippets } from './snippets.ts';

/** What the calls need to know of the app besides its database. */
export interface CallsApp extends SnippetApp {
  authSettings: AuthSettings;
  /** What was observed of late, by the id of the call. */
  observed?: { calls: ReadonlyMap<string, NonNullable<CallEntry['figures']>> };
}

/** Chapter 7: every call that the app answers, and for whom. `entities` are those that /rest/v1 serves. */
export function callsChapter(
  facts: Facts,
  entities: readonly Entity[],
  roles: RolesChapter,
  app: CallsApp,
): CallsChapter {
  const open = groupBy(
    roles.cells.filter((cell) => cell.verdict !== 'never'),
    (cell) => `${cell.operation} ${cell.entity}`,
  );
  const [defaultSchema] = facts.exposedSchemas;
  const may = (operation: string, id: string) => open.get(`${operation} ${id}`) ?? [];
  const calls: CallEntry[] = [
    ...authCalls.filter((call) => isSwitchedOn(call, app.authSettings)).map((call) => authCall(call, app)),
    ...entities
      .filter((entity) => entity.exposed)
      .flatMap((entity) =>
        tableMethods.flatMap((describe) => {
          const call = describe(entity, schemaHeaders(entity.schema, defaultSchema));
          const cells = may(call.operation, entity.id);
          return cells.length === 0 ? [] : [tableCall(entity, call, cells, app)];
        }),
      ),
    ...callableRoutines(facts).flatMap((routine) => {
      const cells = may('execute', idOf(routine));
      const reads = routine.volatility !== 'v' && wholeBody(routine) === null;
      const methods = reads ? (['GET', 'POST'] as const) : (['POST'] as const);
      return cells.length === 0 ? [] : methods.map((method) => routineCall(routine, method, cells, defaultSchema, app));
    }),
  ];
  return {
    calls: calls.map((call) => withFigures(call, app)),
    extension_functions: facts.extension_routines.filter((one) => facts.exposedSchemas.includes(one.schema)),
    sources: [
      { kind: 'code', label: 'the calls of /auth/v1, and the settings that switch them' },
      { kind: 'catalogue', label: 'tables and views of the exposed schemas, with chapter 6' },
      { kind: 'catalogue', label: 'functions of the exposed schemas', sql: functionsSql },
      { kind: 'setting', label: `db_schemas: ${facts.exposedSchemas.join(', ')}` },
    ],
  };
}

function withFigures(call: CallEntry, { observed }: CallsApp): CallEntry {
  const figures = observed?.calls.get(call.id);
  return figures ? { ...call, figures } : call;
}

const isSwitchedOn = (call: AuthCall, settings: AuthSettings): boolean =>
  Object.entries(call.settings).every(([name, value]) => settings[name as keyof AuthSettings] === value);

const authRoles = {
  anyone: ['anon', 'authenticated', 'service_role'],
  member: ['authenticated'],
  'secret-key': ['service_role'],
} as const;

function authCall(call: AuthCall, app: CallsApp): CallEntry {
  return {
    id: call.id,
    area: 'auth',
    method: call.method,
    path: call.path,
    summary: call.summary,
    entity: null,
    setting: Object.keys(call.settings)[0] ?? null,
    roles: [...authRoles[call.caller]],
    parameters: call.parameters,
    returns: call.returns,
    snippets: snippets(app, {
      caller: call.caller,
      method: call.method,
      address: `${app.url}${call.path.replace('{user_id}', '00000000-0000-0000-0000-000000000000')}`,
      body: call.example,
      expression: call.supabase_js,
    }),
  };
}

/** A snippet is written for the least of the roles that may call. */
const snippetCaller = (roles: readonly string[]): SnippetCaller =>
  roles.includes('anon') ? 'anyone' : roles.some((role) => role !== 'service_role') ? 'member' : 'secret-key';

/** The schema that is not the default one is named in a header (PostgREST, "Schemas"). */
const schemaHeaders = (schema: string, defaultSchema: string | undefined) => ({
  read: schema === defaultSchema ? {} : { 'Accept-Profile': schema },
  write: schema === defaultSchema ? {} : { 'Content-Profile': schema },
  chain: schema === defaultSchema ? '' : `.schema(${js(schema)})`,
});

interface TableCall {
  operation: 'select' | 'insert' | 'update' | 'delete';
  method: CallEntry['method'];
  summary: string;
  parameters: CallParameter[];
  returns: string;
  headers: Readonly<Record<string, string>>;
  /** From the fields that the grant covers: query, body and the supabase-js expression of an example. */
  example: (fields: Entity['fields']) => { query: string; body: unknown; expression: string };
}

const representation: CallParameter = {
  name: 'Prefer',
  in: 'header',
  type: 'return=minimal or return=representation',
  required: false,
  meaning: 'Whether the rows come back; that needs the right to read them.',
};

const filter = (entity: Entity): CallParameter => ({
  name: '<field>',
  in: 'query',
  type: 'operator.value',
  required: false,
  meaning: `A filter such as eq.value, on any of: ${entity.fields.map((field) => field.name).join(', ')}.`,
});

const query = (name: string, type: string, meaning: string): CallParameter => ({
  name,
  in: 'query',
  type,
  required: false,
  meaning,
});

const rowType = (entity: Entity): string => entity.fields.map((field) => `${field.name} ${field.type}`).join(', ');

/** A field's name where /rest/v1 parses names: quoted when it holds a character that means something there. */
const restName = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`);

/** A name for supabase-js, which sets it into the path as it is: encoded where it would not arrive whole. */
function pathPart(name: string): string {
  const arrives = !name.includes('%') && decodeURIComponent(new URL(`http://app/${name}`).pathname) === `/${name}`;
  return js(arrives ? name : encodeURIComponent(name));
}

/** The row that an example is about: by its key, else by its first field. */
function oneRow(entity: Entity): { query: string; chain: string } {
  const names =
    entity.primary_key.length > 0 ? entity.primary_key : entity.fields.slice(0, 1).map((field) => field.name);
  const keys = names.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);
  return {
    query: keys
      .map((field) => `${encodeURIComponent(restName(field.name))}=eq.${encodeURIComponent(text(exampleOf(field)))}`)
      .join('&'),
    chain: keys.map((field) => `.eq(${js(restName(field.name))}, ${js(exampleOf(field))})`).join(''),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const writable = (field: Entity['fields'][number]): boolean => field.generated === null && field.identity !== 'always';
const mustBeGiven = (field: Entity['fields'][number]): boolean =>
  writable(field) && !field.nullable && field.default === null && field.identity === null;

const bodyParameters = (entity: Entity, required: (field: Entity['fields'][number]) => boolean): CallParameter[] =>
  entity.fields.filter(writable).map((field) => ({
    name: field.name,
    in: 'body',
    type: field.type,
    required: required(field),
    meaning: field.comment ?? '',
  }));

const exampleRow = (fields: Entity['fields']) =>
  Object.fromEntries(fields.map((field) => [field.name, exampleOf(field)]));

type Describe = (entity: Entity, headers: ReturnType<typeof schemaHeaders>) => TableCall;

const tableMethods: readonly Describe[] = [
  (entity, { read, chain }) => ({
    operation: 'select',
    method: 'GET',
    summary: `Reads rows of ${entity.name}.`,
    parameters: [
      query('select', 'list of fields', 'Which fields, and which related rows; all fields when not given.'),
      filter(entity),
      query('order', 'list of field.asc or field.desc', 'The order of the rows.'),
      query('limit', 'integer', 'How many rows at most.'),
      query('offset', 'integer', 'How many rows to pass over.'),
    ],
    returns: `a list of rows: ${rowType(entity)}`,
    headers: read,
    example: (fields) => {
      const names =
        fields.length === entity.fields.length ? '*' : fields.map((field) => restName(field.name)).join(',');
      return {
        query: `select=${names === '*' ? '*' : encodeURIComponent(names)}&limit=25`,
        body: null,
        expression: `supabase${chain}.from(${pathPart(entity.name)}).select(${js(names)}).limit(25)`,
      };
    },
  }),
  (entity, { write, chain }) => ({
    operation: 'insert',
    method: 'POST',
    summary: `Adds rows to ${entity.name}.`,
    parameters: [...bodyParameters(entity, mustBeGiven), representation],
    returns: '201, no body; the rows with Prefer: return=representation',
    headers: write,
    example: (fields) => {
      const needed = fields.filter(mustBeGiven);
      const row = exampleRow(needed.length > 0 ? needed : fields.filter(writable).slice(0, 1));
      return { query: '', body: row, expression: `supabase${chain}.from(${pathPart(entity.name)}).insert(${js(row)})` };
    },
  }),
  (entity, { write, chain }) => ({
    operation: 'update',
    method: 'PATCH',
    summary: `Changes rows of ${entity.name}: those that the filters choose, all without a filter.`,
    parameters: [filter(entity), ...bodyParameters(entity, () => false), representation],
    returns: '204, no body; the rows with Prefer: return=representation',
    headers: write,
    example: (fields) => {
      const free = fields.filter((field) => writable(field) && !entity.primary_key.includes(field.name));
      const row = exampleRow((free.length > 0 ? free : fields.filter(writable)).slice(0, 1));
      const { query, chain: filters } = oneRow(entity);
      return {
        query,
        body: row,
        expression: `supabase${chain}.from(${pathPart(entity.name)}).update(${js(row)})${filters}`,
      };
    },
  }),
  (entity, { write, chain }) => ({
    operation: 'delete',
    method: 'DELETE',
    summary: `Deletes rows of ${entity.name}: those that the filters choose, all without a filter.`,
    parameters: [filter(entity), representation],
    returns: '204, no body; the rows with Prefer: return=representation',
    headers: write,
    example: () => {
      const { query, chain: filters } = oneRow(entity);
      return { query, body: null, expression: `supabase${chain}.from(${pathPart(entity.name)}).delete()${filters}` };
    },
  }),
];

function tableCall(entity: Entity, call: TableCall, cells: readonly RoleCell[], app: CallsApp): CallEntry {
  const roles = cells.map((cell) => cell.role);
  const path = `/rest/v1/${encodeURIComponent(entity.name)}`;
  const columns = cells[0]?.columns ?? null;
  const fields = entity.fields.filter((field) => columns === null || columns.includes(field.name));
  const example = call.example(fields);
  return {
    id: `rest.${entity.id}.${call.operation}`,
    area: 'rest',
    method: call.method,
    path,
    summary: call.summary,
    entity: entity.id,
    setting: null,
    roles,
    parameters: call.parameters,
    returns: call.returns,
    snippets: snippets(app, {
      caller: snippetCaller(roles),
      method: call.method,
      address: `${app.url}${path}${example.query === '' ? '' : `?${example.query}`}`,
      headers: call.headers,
      body: example.body,
      expression: example.expression,
    }),
  };
}

/** The one unnamed argument that takes the whole body; null where arguments have names. */
const wholeBody = (routine: RoutineFact): RoutineFact['inputs'][number] | null =>
  routine.inputs.length === 1 && routine.inputs[0]?.name === '' ? routine.inputs[0] : null;

/** Content types of bodies that are no JSON (PostgREST, "Functions with a single unnamed parameter"). */
const rawTypes: Readonly<Record<string, string>> = {
  text: 'text/plain',
  xml: 'text/xml',
  bytea: 'application/octet-stream',
};

function routineCall(
  routine: RoutineFact,
  method: 'GET' | 'POST',
  cells: readonly RoleCell[],
  defaultSchema: string | undefined,
  app: CallsApp,
): CallEntry {
  const roles = cells.map((cell) => cell.role);
  const { read, write, chain } = schemaHeaders(routine.schema, defaultSchema);
  const path = `/rest/v1/rpc/${encodeURIComponent(routine.name)}`;
  const whole = wholeBody(routine);
  const given = routine.inputs.filter((input) => !input.has_default && input.mode !== 'v');
  const values = Object.fromEntries(given.map((input) => [input.name, exampleOf({ type: input.type })]));
  const search = given
    .map((input) => `${encodeURIComponent(input.name)}=${encodeURIComponent(text(values[input.name]))}`)
    .join('&');
  const body = method === 'GET' ? null : whole ? exampleOf({ type: whole.type }) : values;
  const options = method === 'GET' ? ', { get: true }' : '';
  const raw = whole && !whole.type.startsWith('json') ? rawTypes[whole.type] : undefined;
  const sent = js(whole ? body : values);
  return {
    id: `rpc.${idOf(routine)}${method === 'GET' ? '.get' : ''}`,
    area: 'rpc',
    method,
    path,
    summary: routine.comment ?? `Calls ${routine.name}.`,
    entity: idOf(routine),
    setting: null,
    roles,
    parameters: routine.inputs.map((input) => ({
      name: input.name === '' ? 'body' : input.name,
      in: method === 'GET' ? 'query' : 'body',
      type: input.mode === 'v' ? `${input.type}, any number of them` : input.type,
      required: !input.has_default && input.mode !== 'v',
      meaning: input.name === '' ? 'The whole body.' : '',
    })),
    returns: routine.result === 'void' ? '204, no body' : routine.result,
    snippets: snippets(app, {
      caller: snippetCaller(roles),
      method,
      address: `${app.url}${path}${method === 'GET' && search !== '' ? `?${search}` : ''}`,
      headers: method === 'GET' ? read : write,
      body,
      ...(raw !== undefined && { contentType: raw }),
      expression:
        raw !== undefined
          ? null
          : `supabase${chain}.rpc(${pathPart(routine.name)}${sent === '{}' && options === '' ? '' : `, ${sent}`}${options})`,
    }),
  };
}

const functionsSql = `select p.oid::regprocedure as function, pg_get_function_result(p.oid) as returns, p.provolatile as volatility
from pg_proc p where p.pronamespace <> 'pg_catalog'::regnamespace order by 1`;
