import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { type AuthCall, codesOfEveryCall } from '../../contract/calls.ts';
import { statusOfSqlstate } from '../../contract/errors/sqlstate-status.ts';
import { CONSOLE_REF } from '../apps/registry/app-record.ts';
import { groupBy } from '../catalog/group.ts';
import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireKnownKey } from '../identity/resolve.ts';
import type { CallForm, Endpoint } from './call.ts';
import { calls } from './calls.ts';
import { type AuthContext, timeOf } from './context.ts';
import { codeInReply } from './error-reply.ts';

export { authErrorReply } from './error-reply.ts';

/** A call that a request can mean. */
interface Candidate {
  readonly call: Endpoint;
  readonly forms: readonly CallForm[];
  /** Path below /auth/v1. */
  readonly path: string;
  /** The query parameter that distinguishes the call from others with the same path and method. */
  readonly query: readonly [name: string, value: string] | null;
}

const isForm = (call: Endpoint | CallForm): call is CallForm => 'of' in call;

const candidates = calls.flatMap((call): Candidate[] => {
  if (isForm(call)) return [];
  const [path = '', query] = call.facts.path.slice('/auth/v1'.length).split('?');
  const [parameter = null] = new URLSearchParams(query);
  return [{ call, forms: calls.filter(isForm).filter((form) => form.of === call), path, query: parameter }];
});

/** The calls of one path. */
interface Route {
  readonly byMethod: ReadonlyMap<string, readonly Candidate[]>;
  /** The names in braces of the path. */
  readonly names: readonly string[];
}

/** The routes by path below /auth/v1. */
const routes: ReadonlyMap<string, Route> = new Map(
  [...groupBy(candidates, ({ path }) => path)].map(([path, group]) => [
    path,
    {
      byMethod: groupBy(group, ({ call }) => call.facts.method),
      names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
    },
  ]),
);

/** The routes with names in braces, each with a pattern of its path. */
const patterns: readonly (readonly [RegExp, Route])[] = [...routes]
  .filter(([, { names }]) => names.length > 0)
  .map(([path, route]) => [new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`), route]);

/** Returns the route of a path and the values of the names in the path; null for an unknown path. */
function routeOf(path: string): readonly [Route, Readonly<Record<string, string>>] | null {
  const exact = routes.get(path);
  if (exact?.names.length === 0) return [exact, {}];
  for (const [pattern, route] of patterns) {
    const match = pattern.exec(path);
    if (match) return [route, Object.fromEntries(route.names.map((name, i) => [name, match[i + 1] ?? '']))];
  }
  return null;
}

const withoutSlash = (path: string): string => path.replace(/(?<=.)\/$/, '');

/** Returns the call that a request means; undefined if its query names none. */
function choose(group: readonly Candidate[], request: CallRequest): Candidate | undefined {
  const [first] = group;
  if (!first?.query) return first;
  const query = new URLSearchParams(request.query);
  return group.find(({ query: wanted }) => wanted && query.get(wanted[0]) === wanted[1]);
}

/** Returns the id of the call that a request means, without its body; null if there is no such call. */
export function callOfRequest(request: CallRequest): AuthCall['id'] | null {
  const group = routeOf(withoutSlash(request.path))?.[0].byMethod.get(request.method);
  return (group && choose(group, request)?.call.facts.id) ?? null;
}

/**
 * Handles a call of `/auth/v1` as GoTrue does.
 * @throws errors that `authErrorReply` renders, and errors of the database that are not about the call
 */
export async function handleAuth(context: AuthContext, request: CallRequest): Promise<Reply> {
  const [route, path] = routeOf(withoutSlash(request.path)) ?? [];
  if (route === undefined) throw new NinefoldError('not_found');
  const group = route.byMethod.get(request.method);
  if (group === undefined) {
    throw new NinefoldError('method_not_allowed', { headers: { allow: [...route.byMethod.keys()].join(', ') } });
  }
  const chosen = choose(group, request);
  if (chosen === undefined) {
    requireKnownKey(context, request.headers, timeOf(context));
    throw new NinefoldError('invalid_credentials', { message: 'unsupported_grant_type' });
  }
  const { call, forms } = chosen;
  let { facts } = call;
  const { trace } = context;
  if (trace) trace.call = facts.id;
  const onBody = (body: Readonly<Record<string, unknown>>) => {
    facts = forms.find(({ isMeant }) => isMeant(body))?.facts ?? facts;
    if (trace) trace.call = facts.id;
  };
  try {
    return await call.run(context, request, { path: path ?? {}, onBody });
  } catch (caught) {
    const refusal = refusedByApp(caught);
    if (refusal) context.events.emit({ type: 'fault', requestId: request.requestId, where: 'auth', error: caught });
    const error = refusal ?? caught;
    const isOfConsole = context.app.ref === CONSOLE_REF;
    if (error instanceof NinefoldError && !isOfConsole && !declares(facts, codeInReply(error))) {
      context.events.emit({ type: 'undeclared-error', call: facts.id, code: error.code });
    }
    throw error;
  }
}

/** Returns true if the definition of a call names the code. Chapter 8 lists only such codes; the console has none. */
const declares = ({ errors }: AuthCall, code: string): boolean =>
  [errors, codesOfEveryCall].some((codes: readonly string[]) => codes.includes(code));

/**
 * SQLSTATEs of faults of the server itself, and not of the SQL that it ran: connections, resources, a shutdown, its
 * disk.
 */
const ofServer = /^(08|53|57P|58)/;

/**
 * Matches SQLSTATEs of a read-only transaction. A trigger of the app can make the transaction of the server's next
 * statement read-only, so such an error may come from the app.
 */
const leftBehind = /^25/;

/** SQLSTATE query_canceled: the statement ran for longer than the limit authStatementMilliseconds. */
const CANCELED = '57014';

/**
 * Returns the error of a trigger or constraint of the app against a change of an account. The client receives the
 * message of RAISE and the HTTP status of `PTxyz` (PostgREST, "RAISE errors with HTTP status codes"). For a violated
 * constraint, the client receives only the name of the constraint. For any other failure, it receives only the
 * SQLSTATE, because PostgreSQL's message could contain data of the app.
 */
function refusedByApp(error: unknown): NinefoldError | null {
  if (!(error instanceof DatabaseError)) return null;
  const { sqlstate, fields } = error;
  if (sqlstate === 'P0001') return new NinefoldError('database_refused', { message: fields.message, cause: error });
  const status = /^PT([45]\d\d)$/.exec(sqlstate)?.[1];
  if (status) {
    return new NinefoldError('database_refused', { message: fields.message, status: Number(status), cause: error });
  }
  if (!sqlstate.startsWith('23') && !sqlstate.startsWith('22')) return failedInApp(error);
  const rule = fields.constraint ? `: ${fields.constraint}` : '.';
  return new NinefoldError('database_refused', {
    message: `A rule of this app refused the change${rule}`,
    cause: error,
  });
}

/**
 * Returns the error if it was raised inside a function. Ninefold's own statements run no functions that fail, so this
 * function belongs to the app.
 */
function failedInApp(error: DatabaseError): NinefoldError | null {
  const { sqlstate, fields } = error;
  const where = fields.where?.split('\n')[0];
  if (where?.endsWith(' at RAISE')) {
    const status = statusOfSqlstate(sqlstate);
    return new NinefoldError('database_refused', { message: fields.message, status, cause: error });
  }
  if (sqlstate === CANCELED) {
    return new NinefoldError('database_refused', {
      status: 504,
      message: 'The app’s database took too long for this, so nothing was changed: a trigger of the app, or a lock.',
      limit: 'authStatementMilliseconds',
      cause: error,
    });
  }
  if ((where === undefined && !leftBehind.test(sqlstate)) || ofServer.test(sqlstate)) return null;
  return new NinefoldError('database_refused', {
    status: 500,
    message: `A trigger of this app failed for a reason of its own (${sqlstate}), so nothing was changed; the server’s log contains the reason under the request id.`,
    cause: error,
  });
}
