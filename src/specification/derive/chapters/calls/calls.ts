import { type AuthCall, authCalls } from '../../../../../contract/calls.ts';
import type { RestSettings } from '../../../../../contract/settings.ts';
import type { AuthSettings } from '../../../../../contract/settings-auth.ts';
import type { CallEntry, CallParameter, CallsChapter, RowCall } from '../../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { RoleCell, RolesChapter } from '../../../../../contract/specification-roles.ts';
import { callingRoles } from '../../../../access/calling-roles.ts';
import { executedRoutines } from '../../../../access/exposed.ts';
import { named } from '../../../../access/fact-indexes.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { refusedCalls } from '../../../../access/overloads.ts';
import { groupBy } from '../../../../catalog/group.ts';
import { idOf, queryName } from '../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../catalog/routines.ts';
import type { Entries, EntryLookup } from '../../entries.ts';
import { wholeBody } from './call-example.ts';
import { callSettings } from './call-settings.ts';
import { definitionEntries } from './definitions.ts';
import { edgeFunctionCallEntries } from './edge-function-calls.ts';
import { functionEntries } from './functions.ts';
import { jobEntries } from './jobs.ts';
import { realtimeCallEntries } from './realtime-calls.ts';
import { storageCallEntries } from './storage-calls.ts';

/**
 * Builds chapter 7: every call that the app accepts with its roles, the code of the functions, and the settings of
 * calls.
 */
export function callsChapter(
  entries: Entries,
  entities: readonly Entity[],
  roles: RolesChapter,
  settings: RestSettings & AuthSettings,
): CallsChapter {
  const { facts, look } = entries;
  const cellsOf = groupBy(roles.cells, ({ entity }) => entity);
  const isFirst = (schema: string) => schema === facts.exposedSchemas[0];
  const callable = executedRoutines(look).filter(({ isCallable }) => isCallable);
  const calls: CallEntry[] = [
    ...authCalls.filter((call) => isSwitchedOn(call, settings)).map(authCall),
    ...entities
      .filter((entity) => entity.exposed)
      .flatMap((entity) =>
        entries.of(rowCalls, entity.id, entity, cellsOf.get(entity.id) ?? [], isFirst(entity.schema)),
      ),
    ...entries.ofAllDecisions(storageCallEntries),
    ...(roles.changes ? entries.ofAllDecisions(realtimeCallEntries, facts.published, roles.changes) : []),
    ...entries.ofAllDecisions(edgeFunctionCallEntries, facts.edge_functions),
    ...(settings.openapi_mode === 'disabled' ? [] : [rootCall(look, settings, roles)]),
    ...callable.flatMap(({ routine, overlaps }) => {
      const cells = (cellsOf.get(idOf(routine)) ?? []).filter(({ verdict }) => verdict !== 'never');
      // A function with a whole-body argument can be called with GET only if this argument has a default.
      const isRead = wholeBody(routine)?.has_default ?? true;
      const methods = isRead ? (['GET', 'POST'] as const) : (['POST'] as const);
      const refused = refusedCalls(overlaps)
        .map((words) => ` ${words}`)
        .join('');
      return cells.length === 0
        ? []
        : methods.map((method) =>
            routineCall(
              routine,
              method,
              cells,
              `${isFirst(routine.schema) ? '' : profileWords(routine.schema, method)}${refused}`,
              look.shared.code.writes(routine),
            ),
          );
    }),
  ];
  return {
    calls,
    rows: rowMethods.map(({ method, parameters, returns }) => ({ method, parameters, returns })),
    extension_functions: facts.extension_routines.filter((one) => facts.exposedSchemas.includes(one.schema)),
    sources: [
      { kind: 'code', label: 'the calls of /auth/v1, and the settings that switch them' },
      { kind: 'code', label: 'the calls of /storage/v1, with the policies on storage.objects and storage.buckets' },
      { kind: 'code', label: 'the calls of /realtime/v1, with the publication supabase_realtime' },
      { kind: 'catalog', label: 'tables and views of the exposed schemas, with chapter 6' },
      { kind: 'catalog', label: 'functions of the exposed schemas', sql: functionsSql },
      { kind: 'catalog', label: 'ninefold.functions: the edge functions that run' },
      { kind: 'catalog', label: 'scheduled jobs', sql: 'select * from cron.job order by jobname, jobid' },
      { kind: 'setting', label: `db_schemas: ${facts.exposedSchemas.join(', ')}` },
    ],
    functions: functionEntries(look),
    jobs: jobEntries(facts.jobs),
    definitions: definitionEntries(look),
    settings: callSettings(look, settings),
  };
}

/** Returns true if the settings enable a sign-in call. */
export const isSwitchedOn = (call: AuthCall, settings: AuthSettings): boolean =>
  Object.entries(call.settings).every(([name, value]) => settings[name as keyof AuthSettings] === value);

const authRoles = {
  anyone: ['anon', 'authenticated', 'service_role'],
  member: ['authenticated'],
  'secret-key': ['service_role'],
} as const;

const authCall = (call: AuthCall): CallEntry => ({
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
});

interface RowMethod extends RowCall {
  operation: 'select' | 'insert' | 'update' | 'delete';
  summary: (name: string) => string;
}

const parameter = (name: string, where: CallParameter['in'], type: string, meaning: string): CallParameter => ({
  name,
  in: where,
  type,
  required: false,
  meaning,
});

const filter = parameter(
  '<field>',
  'query',
  'operator.value',
  'A filter such as eq.value, on any field of the entity.',
);
const value = parameter(
  '<field>',
  'body',
  'of the field',
  'The value of a field. A new row needs those that are never empty and have no default.',
);
const representation = parameter(
  'Prefer',
  'header',
  'return=minimal or return=representation',
  'Whether the rows come back; that needs the right to read them.',
);

const rowMethods: readonly RowMethod[] = [
  {
    operation: 'select',
    method: 'GET',
    summary: (name) => `Reads rows of ${name}.`,
    parameters: [
      parameter(
        'select',
        'query',
        'list of fields',
        'Which fields, and which related rows; all fields when not given.',
      ),
      filter,
      parameter('order', 'query', 'list of field.asc or field.desc', 'The order of the rows.'),
      parameter('limit', 'query', 'integer', 'How many rows at most.'),
      parameter('offset', 'query', 'integer', 'How many rows to pass over.'),
    ],
    returns: 'a list of rows, with the fields of the entity; HEAD the same without a body',
  },
  {
    operation: 'insert',
    method: 'POST',
    summary: (name) => `Adds rows to ${name}.`,
    parameters: [
      value,
      parameter(
        'on_conflict',
        'query',
        'list of fields',
        'With resolution: the unique fields by which a row is there already; the primary key when not given.',
      ),
      parameter(
        'columns',
        'query',
        'list of fields',
        'Which members of the body count, where not all objects of a list have the same.',
      ),
      parameter(
        'Prefer',
        'header',
        'return=minimal or return=representation; resolution=merge-duplicates or resolution=ignore-duplicates; missing=default',
        'Whether the rows come back, which needs the right to read them. What becomes of a row that is there already (an upsert): it is changed, which needs the rights to change and to read it, or passed over; without resolution the call is refused with 409. Whether a member that is missing in the body becomes the default of its field instead of null.',
      ),
    ],
    returns:
      '201, no body; the rows with Prefer: return=representation; 200 where an upsert added none. PUT with the primary key in the query adds one row, or changes the one that is there',
  },
  {
    operation: 'update',
    method: 'PATCH',
    summary: (name) => `Changes rows of ${name}: those that the filters choose, all without a filter.`,
    parameters: [filter, value, representation],
    returns: '204, no body; the rows with Prefer: return=representation',
  },
  {
    operation: 'delete',
    method: 'DELETE',
    summary: (name) => `Deletes rows of ${name}: those that the filters choose, all without a filter.`,
    parameters: [filter, representation],
    returns: '204, no body; the rows with Prefer: return=representation',
  },
];

/**
 * Returns the calls on the rows of an entity.
 * @param cells The cells of the entity.
 * @param isInFirst True if its schema is the first exposed schema.
 */
const rowCalls = (look: EntryLookup, entity: Entity, cells: readonly RoleCell[], isInFirst: boolean): CallEntry[] =>
  rowMethods.flatMap((row) => {
    const open = cells.filter(({ operation, verdict }) => operation === row.operation && verdict !== 'never');
    if (open.length === 0) return [];
    const upserts = row.operation === 'insert' ? upsertWords(look, entity, cells) : '';
    return [rowCall(entity, row, open, `${isInFirst ? '' : profileWords(entity.schema, row.method)}${upserts}`)];
  });

/** Words for a schema other than the first exposed one, which calls select with a header. */
const profileWords = (schema: string, method: CallEntry['method']): string =>
  ` (In schema ${schema}: header ${method === 'GET' ? 'Accept-Profile' : 'Content-Profile'}.)`;

const rowCall = (
  entity: Entity,
  { operation, method, summary }: RowMethod,
  cells: readonly RoleCell[],
  where: string,
): CallEntry => ({
  id: `rest.${entity.id}.${operation}`,
  area: 'rest',
  method,
  path: `/rest/v1/${encodeURIComponent(entity.name)}`,
  summary: `${summary(entity.name)}${where}`,
  entity: entity.id,
  setting: null,
  roles: cells.map((cell) => cell.role),
  parameters: null,
  returns: null,
});

/**
 * Returns who may add rows to a table, but may send no upsert that changes a row. PostgreSQL refuses every upsert of a
 * table with a rewrite rule for updates, even if the rule is disabled (rewriteHandler.c, matchLocks).
 */
function upsertWords(look: EntryLookup, { schema, name }: Entity, cells: readonly RoleCell[]): string {
  const relation = named(look, schema, name);
  const rules = relation && relation.kind !== 'v' ? look.rules.get(relation.oid) : undefined;
  const rule = rules?.find(({ event }) => event === 'update');
  if (rule) return ` Every upsert is refused (0A000), because of the rewrite rule ${rule.name}.`;
  const ofRole = groupBy(cells, ({ role }) => role);
  const refused = [...ofRole].flatMap(([role, group]) => {
    const [insert, update] = ['insert', 'update'].map((one) => group.find(({ operation }) => operation === one));
    const isRefused = insert?.verdict !== 'never' && update?.verdict === 'never';
    return isRefused ? [{ role, code: update.code ?? '42501' }] : [];
  });
  return [...groupBy(refused, ({ code }) => code)]
    .map(([code, all]) => {
      const names = all.map(({ role }) => role).join(', ');
      return ` An upsert that changes a row is refused to ${names} (${code}).`;
    })
    .join('');
}

/** The comment that PostgreSQL itself sets on the schema public. */
const INITIAL = 'standard public schema';

/**
 * Returns the call that describes the other calls (PostgREST, "OpenAPI"), with the comments of the exposed schemas as
 * titles. If the setting db_root_spec is set, a function responds instead.
 */
function rootCall(
  { facts, privileges }: Lookup,
  { openapi_mode, db_root_spec }: RestSettings,
  roles: RolesChapter,
): CallEntry {
  const call = { id: 'rest.describe', area: 'rest', method: 'GET', path: '/rest/v1/', entity: null } as const;
  const setting = 'openapi_mode';
  if (db_root_spec !== null) {
    const cells = roles.cells.filter(
      ({ operation, entity, verdict }) =>
        operation === 'execute' && entity.startsWith(`${db_root_spec}(`) && verdict !== 'never',
    );
    const summary = `Answers what the function ${db_root_spec} answers.`;
    return {
      ...call,
      setting,
      summary,
      roles: cells.map(({ role }) => role),
      parameters: [],
      returns: 'what it returns',
    };
  }
  const titles = facts.exposedSchemas.flatMap((name) => {
    const comment = facts.schemas.find((schema) => schema.name === name)?.comment;
    return comment && comment !== INITIAL ? [` ${name} is described as “${comment}”.`] : [];
  });
  const which = openapi_mode === 'ignore-privileges' ? 'all of them' : 'those that the caller may make';
  const schemas = facts.exposedSchemas.join(', ');
  return {
    ...call,
    setting,
    summary: `Describes the calls on rows and to functions, ${which}.${titles.join('')}`,
    roles: callingRoles(facts, privileges.membership)
      .filter(({ barred, caller }) => barred === null && caller.memberRole === null)
      .map(({ name }) => name),
    parameters:
      facts.exposedSchemas.length < 2
        ? []
        : [parameter('Accept-Profile', 'header', schemas, 'Which schema; the first when not given.')],
    returns:
      'an OpenAPI 2.0 document; openapi.json, beside /rest, is one of OpenAPI 3.1, with the calls of sign-in too',
  };
}

const routineCall = (
  routine: RoutineFact,
  method: 'GET' | 'POST',
  cells: readonly RoleCell[],
  more: string,
  writes: CallEntry['writes'],
): CallEntry => ({
  id: `rpc.${idOf(routine)}${method === 'GET' ? '.get' : ''}`,
  area: 'rpc',
  method,
  path: `/rest/v1/rpc/${encodeURIComponent(routine.name)}`,
  summary: `${routine.comment ?? `Calls ${routine.name}.`}${more}`,
  entity: idOf(routine),
  setting: null,
  roles: cells.map((cell) => cell.role),
  ...((method === 'GET' || routine.volatility !== 'v') && { reads_only: true as const }),
  ...(writes && { writes }),
  parameters: (method === 'GET' ? routine.inputs.filter(({ name }) => name !== '') : routine.inputs).map((input) => ({
    name: input.name === '' ? 'body' : method === 'GET' ? queryName(input.name) : input.name,
    in: method === 'GET' ? 'query' : 'body',
    type: input.mode === 'v' ? `${input.type}, any number of them` : input.type,
    // PostgreSQL finds a function by the names of its arguments only if the variadic argument is among them, even if it
    // has a default.
    required: !input.has_default || input.mode === 'v',
    meaning: input.name === '' ? 'The whole body.' : '',
  })),
  returns: routine.result === 'void' ? '204, no body' : routine.result,
});

const functionsSql = `select p.oid::regprocedure as function, pg_get_function_result(p.oid) as returns, p.provolatile as volatility
from pg_proc p where p.pronamespace <> 'pg_catalog'::regnamespace order by 1`;
