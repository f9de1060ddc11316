import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { sessionOf } from '../authorise.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { noContent } from '../router.ts';
import { cookieFor } from './builder-session.ts';

const PREFIX = '/account';

/** Paths by which a session shows a second factor. They are open to a session that has not shown one. */
const RAISING = /^\/account\/(?:user|factors\/[^/]+\/(?:challenge|verify))$/;

/** Paths by which a builder adds a second factor. They are open to a builder who must add one. */
const ADDING = /^\/account\/(?:user|proof(?:\/passkey)?|factors(?:\/[^/]+(?:\/(?:challenge|verify))?)?)$/;

export const addsFactor = ({ path }: CallRequest): boolean => ADDING.test(path);

export const raisesSession = ({ path }: CallRequest): boolean => RAISING.test(path);

/**
 * Handles a call below /account like `/auth/v1` of the console: factors, recovery codes and passkeys of the builder
 * whose cookie is in the request.
 * @throws what that call throws, and `operator_required` without the cookie
 */
export async function callOwnAccount(context: AdminContext, request: CallRequest): Promise<Reply> {
  const session = await sessionOf(context, request);
  if (!session) throw new NinefoldError('operator_required');
  const app = await openApp(context, CONSOLE_REF);
  return context.builders.account(app, { ...request, path: request.path.slice(PREFIX.length) }, session);
}

/**
 * Handles POST /account/factors/:id/verify: shows a second factor. Only the new cookie gets the assurance of the
 * factor. A stolen copy of the earlier cookie does not. The page receives no token of the session.
 * @throws the errors of `callOwnAccount`
 */
export async function showOwnFactor(context: AdminContext, request: CallRequest): Promise<Reply> {
  const session = await sessionOf(context, request);
  await callOwnAccount(context, request);
  if (!session) throw new NinefoldError('operator_required');
  const app = await openApp(context, CONSOLE_REF);
  return { ...noContent(), cookies: [cookieFor(context, app, { ...session, aal: 'aal2' })] };
}
