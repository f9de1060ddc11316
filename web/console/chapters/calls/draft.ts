import type { CallDetail } from '../../../../contract/call-detail.ts';
import type { CallEntry, CallParameter } from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { functionQuestion } from '../../data/explain/question.ts';

/** A filter on rows: status eq open. */
export interface DraftFilter {
  field: string;
  operator: string;
  value: string;
}

/** A call as the form has it, before it is sent. */
export interface Draft {
  /** Values for the parts of the path that stand in braces. */
  path: Readonly<Record<string, string>>;
  /** By parameter; empty for what is not given. */
  query: Readonly<Record<string, string>>;
  filters: readonly DraftFilter[];
  /** Null for a call without one. */
  body: string | null;
  contentType: string;
  /** Of writes to rows: whether the rows come back. */
  rowsBack: boolean;
  /** Of calls that add rows: whether one that is there already is changed instead. */
  upsert: boolean;
  /** Of writes to data: whether all of it is taken back at the end. */
  undo: boolean;
}

/** What is sent: the address below the app, and what goes with it. */
export interface Attempt {
  method: CallEntry['method'];
  /** "/rest/v1/tickets?limit=25". */
  address: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'in', 'is', 'cs'] as const;

/** Whether a call may change what is there. */
export const isWrite = ({ method }: CallEntry): boolean => method !== 'GET';

/** Whether a write can be taken back: the calls of sign-in cannot. */
export const canUndo = (call: CallEntry): boolean => isWrite(call) && call.area !== 'auth';

/** Whether a call may change the row that is there already (PostgREST, "Upsert"). */
export const canUpsert = ({ area, method }: CallEntry): boolean => area === 'rest' && method === 'POST';

/** The parameters that have a field of their own in the form: neither filters nor what is part of the body. */
export const asked = (parameters: readonly CallParameter[]): CallParameter[] =>
  parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== '<field>');

/**
 * How the value of an argument begins where the server takes it for a filter on what the function answers, whatever the name: by GET, arguments
 * and filters stand in the same query (PostgREST docs, "Functions as RPC"). Null where it is the argument. Pure.
 */
export function filterBeginning({ area, method }: CallEntry, value: string): string | null {
  return area === 'rpc' && method === 'GET' ? (beginning.exec(value)?.[0] ?? null) : null;
}

const beginning =
  /^(?:not|in|is|isdistinct|neq|c[sd]|ov|s[lr]|nx[lr]|adj|(?:pl|ph|w)?fts(?:\([\p{L}\d_$ ]+\))?|(?:eq|[gl]te?|i?like|i?match)(?:\((?:any|all)\))?)\./u;

/** The form as it begins: the example of the call. Pure. */
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

/** A name where /rest/v1 parses names. */
const quoted = (name: string): string => `"${name.replace(/[\\"]/g, '\\$&')}"`;

/** Filters and parameters as the query says them, in the order of the form. Pure. */
export const parametersOf = (draft: Draft): [name: string, value: string][] => [
  ...Object.entries(draft.query).filter(([, value]) => value.trim() !== ''),
  ...draft.filters.map(({ field, operator, value }): [string, string] => [
    quoted(field),
    `${operator}.${operator === 'in' && !value.startsWith('(') ? `(${value})` : value}`,
  ]),
];

/** What the form says, as a request. Pure. */
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

/** The schema that a data call reaches; null for the calls of sign-in. Pure. */
export const schemaOf = (call: CallEntry, entity: Entity | undefined): string | null =>
  entity?.schema ?? (call.area === 'rpc' ? (functionQuestion(call.entity ?? '', 'anon', '')?.schema ?? null) : null);

/** Why a draft cannot be sent; null where it can. Pure. */
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
