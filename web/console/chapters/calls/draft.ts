import type { CallDetail } from '../../../../contract/call-detail.ts';
import type { CallEntry, CallParameter } from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { functionQuestion } from '../../queries/explain.ts';

/** A filter on rows, for example status eq open. */
export interface DraftFilter {
  field: string;
  operator: string;
  value: string;
}

/** The values of the form for a call, before the call is sent. */
export interface Draft {
  /** Values by placeholder of the path. */
  path: Readonly<Record<string, string>>;
  /** Values by parameter; empty for a parameter that is not set. */
  query: Readonly<Record<string, string>>;
  filters: readonly DraftFilter[];
  /** Null for a call without a body. */
  body: string | null;
  contentType: string;
  /** For writes to rows: true if the response contains the rows. */
  rowsBack: boolean;
  /** For calls that insert rows: true if an existing row is updated instead. */
  upsert: boolean;
  /** For writes to data: true if the server rolls the transaction back. */
  undo: boolean;
}

/** The request that a draft describes: its address below the app, its headers and its body. */
export interface Attempt {
  method: CallEntry['method'];
  /** For example "/rest/v1/tickets?limit=25". */
  address: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'in', 'is', 'cs'] as const;

/** Returns true if a call may change data. */
export const isWrite = ({ method }: CallEntry): boolean => method !== 'GET';

/** Returns true if the server can roll a write back. Sign-in calls have no rollback. */
export const canUndo = (call: CallEntry): boolean => isWrite(call) && call.area !== 'auth';

/** Returns true if a call can update an existing row (PostgREST, "Upsert"). */
export const canUpsert = ({ area, method }: CallEntry): boolean => area === 'rest' && method === 'POST';

/** Returns the parameters that have their own field in the form: neither filters nor parts of the body. */
export const asked = (parameters: readonly CallParameter[]): CallParameter[] =>
  parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== '<field>');

/**
 * Returns the beginning of an argument's value that makes the server read the value as a filter on the function's
 * result. By GET, arguments and filters share the query, whatever their names (PostgREST docs, "Functions as RPC").
 * Returns null if the value is read as the argument. Pure.
 */
export function filterBeginning({ area, method }: CallEntry, value: string): string | null {
  return area === 'rpc' && method === 'GET' ? (beginning.exec(value)?.[0] ?? null) : null;
}

const beginning =
  /^(?:not|in|is|isdistinct|neq|c[sd]|ov|s[lr]|nx[lr]|adj|(?:pl|ph|w)?fts(?:\([\p{L}\d_$ ]+\))?|(?:eq|[gl]te?|i?like|i?match)(?:\((?:any|all)\))?)\./u;

/** Returns the initial values of the form: the example of the call. Pure. */
export function draftOf(call: CallEntry, parameters: readonly CallParameter[], { example }: CallDetail): Draft {
  const names = asked(parameters).map(({ name }) => name);
  const given = [...new URLSearchParams(example.query), ...new URLSearchParams(call.path.split('?')[1] ?? '')];
  return {
    path: Object.fromEntries([...call.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, ''])),
    query: Object.fromEntries(given.filter(([name]) => call.area !== 'rest' || names.includes(name))),
    filters: call.area !== 'rest' ? [] : given.filter(([name]) => !names.includes(name)).map(filterOf),
    body: example.body === null ? null : pretty(example.body.text, example.body.content_type),
    contentType: example.body?.content_type ?? 'application/json',
    rowsBack: true,
    upsert: false,
    undo: canUndo(call),
  };
}

function filterOf([name, said]: [string, string]): DraftFilter {
  const dot = said.indexOf('.');
  const field = /^".*"$/.test(name) ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name;
  return { field, operator: said.slice(0, dot), value: said.slice(dot + 1) };
}

const pretty = (text: string, type: string): string =>
  type === 'application/json' ? JSON.stringify(JSON.parse(text), null, 2) : text;

/** Quotes a name for the places where /rest/v1 parses names. */
const quoted = (name: string): string => `"${name.replace(/[\\"]/g, '\\$&')}"`;

/** Returns filters and parameters as the query contains them, in the order of the form. Pure. */
export const parametersOf = (draft: Draft): [name: string, value: string][] => [
  ...Object.entries(draft.query).filter(([, value]) => value.trim() !== ''),
  ...draft.filters.map(({ field, operator, value }): [string, string] => [
    quoted(field),
    `${operator}.${operator === 'in' && !value.startsWith('(') ? `(${value})` : value}`,
  ]),
];

/** Converts the form's values to a request. Pure. */
export function attemptOf(call: CallEntry, draft: Draft, schema: string | null): Attempt {
  const [path = ''] = call.path.split('?');
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(draft.path[name] ?? ''));
  const query = parametersOf(draft)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const prefer = [
    ...(call.area === 'rest' && isWrite(call) ? [draft.rowsBack ? 'return=representation' : 'return=minimal'] : []),
    ...(draft.upsert && canUpsert(call) ? ['resolution=merge-duplicates'] : []),
    ...(draft.undo && canUndo(call) ? ['tx=rollback'] : []),
  ];
  return {
    method: call.method,
    address: query === '' ? filled : `${filled}?${query}`,
    headers: {
      accept: 'application/json',
      ...(schema !== null && { [call.method === 'GET' ? 'accept-profile' : 'content-profile']: schema }),
      ...(draft.body !== null && { 'content-type': draft.contentType }),
      ...(prefer.length > 0 && { prefer: prefer.join(', ') }),
    },
    body: draft.body,
  };
}

/** Returns the schema that a data call reaches; null for sign-in calls. Pure. */
export const schemaOf = (call: CallEntry, entity: Entity | undefined): string | null =>
  entity?.schema ?? (call.area === 'rpc' ? (functionQuestion(call.entity ?? '', 'anon', '')?.schema ?? null) : null);

/** Returns the reason why a draft cannot be sent; null for a valid draft. Pure. */
export function whyNot(draft: Draft): string | null {
  const empty = Object.entries(draft.path).find(([, value]) => value.trim() === '');
  if (empty) return `${empty[0]} is missing.`;
  if (draft.body === null || draft.contentType !== 'application/json') return null;
  try {
    JSON.parse(draft.body);
    return null;
  } catch {
    return 'The body is not valid JSON.';
  }
}
