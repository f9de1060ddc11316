import { statusOfSqlstate } from '../../contract/errors/sqlstate-status.ts';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireKnownKey } from '../identity/resolve.ts';
import { adminCreateUser } from './admin-create-user.ts';
import { adminDeleteUser } from './admin-delete-user.ts';
import { adminGetUser } from './admin-get-user.ts';
import { adminListUsers } from './admin-list-users.ts';
import { adminUpdateUser } from './admin-update-user.ts';
import { type AuthContext, timeOf } from './context.ts';
import { getUser } from './get-user.ts';
import { health } from './health.ts';
import { jwks } from './jwks.ts';
import { logOut } from './log-out.ts';
import { showSettings } from './settings.ts';
import { signUpCall } from './sign-up.ts';
import { token } from './token.ts';
import { updateUserCall } from './update-user.ts';

export { authErrorReply } from './error-reply.ts';

/** Answers one call; `segment` is what stands for `{user_id}` in the path. */
type Call = (context: AuthContext, exchange: Exchange, segment: string) => Reply | Promise<Reply>;

/** A call for anyone: it asks for no identity, but a key that is shown must be one of this app's. */
const open =
  (call: Call): Call =>
  (context, exchange, segment) => {
    requireKnownKey(context.app, exchange.headers, timeOf(context));
    return call(context, exchange, segment);
  };

/** The paths below /auth/v1 and what answers each of their methods. */
export const authRoutes: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  '/health': { GET: open(health) },
  '/settings': { GET: open(showSettings) },
  '/.well-known/jwks.json': { GET: open(jwks) },
  '/signup': { POST: open(signUpCall) },
  '/token': { POST: open(token) },
  '/logout': { POST: logOut },
  '/user': { GET: getUser, PUT: updateUserCall },
  '/admin/users': { GET: adminListUsers, POST: adminCreateUser },
  '/admin/users/{user_id}': { GET: adminGetUser, PUT: adminUpdateUser, DELETE: adminDeleteUser },
};

/**
 * Answers a call of `/auth/v1` as GoTrue does. Throws what `authErrorReply` renders, and what the database throws for reasons of
 * its own.
 */
export async function handleAuth(context: AuthContext, exchange: Exchange): Promise<Reply> {
  const path = exchange.path.replace(/(?<=.)\/$/, '');
  const segment = /^\/admin\/users\/([^/]+)$/.exec(path)?.[1];
  const methods = segment === undefined ? authRoutes[path] : authRoutes['/admin/users/{user_id}'];
  if (methods === undefined) throw new NinefoldError('not_found');
  const call = Object.hasOwn(methods, exchange.method) ? methods[exchange.method] : undefined;
  if (call === undefined) {
    throw new NinefoldError('method_not_allowed', { headers: { allow: Object.keys(methods).join(', ') } });
  }
  try {
    return await call(context, exchange, segment ?? '');
  } catch (error) {
    const refusal = refusedByApp(error);
    if (refusal === null) throw error;
    context.events.emit({ type: 'fault', requestId: exchange.requestId, where: 'auth', error });
    throw refusal;
  }
}

/** SQLSTATEs that tell of the server and not of the code that it ran: connections, resources, a shutdown, its disk. */
const ofServer = /^(08|53|57P|58)/;

/** SQLSTATEs of a transaction that only reads: a trigger can make it so for the server's next statement. */
const leftBehind = /^25/;

/** SQLSTATE query_canceled: the statement ran for longer than the limit authStatementMilliseconds. */
const CANCELED = '57014';

/**
 * Returns the error of the app's own triggers and constraints against a change of an account. The message of RAISE is meant for the client,
 * `PTxyz` gives the HTTP status (PostgREST, "RAISE errors with HTTP status codes"); of a constraint only the name is told. Where a
 * trigger fails for a reason of its own, PostgreSQL's words would name what the app keeps to itself: only the SQLSTATE is told.
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

/** Ninefold's own statements run no functions that fail: an error that came up within one comes from the app's. */
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
    message: `A trigger of this app failed for a reason of its own (${sqlstate}), so nothing was changed; the server’s log tells the reason under the request id.`,
    cause: error,
  });
}
