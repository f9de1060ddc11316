import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { CONSOLE_REF } from '../apps/app-record.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { sessionOf } from './authorise.ts';
import { cookieFor } from './builder-session.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';
import { noContent } from './router.ts';

const PREFIX = '/account';

/** Paths by which a session shows a second factor; they answer a session that has not shown one. */
const RAISING = /^\/account\/(?:user|factors\/[^/]+\/(?:challenge|verify))$/;

/** Paths by which a builder adds a second factor; they answer a builder who must add one. */
const ADDING = /^\/account\/(?:user|proof(?:\/passkey)?|factors(?:\/[^/]+(?:\/(?:challenge|verify))?)?)$/;

export const addsFactor = ({ path }: CallRequest): boolean => ADDING.test(path);

export const raisesSession = ({ path }: CallRequest): boolean => RAISING.test(path);

/**
 * Answers a call below /account as `/auth/v1` of the console answers it: factors, recovery codes and passkeys of the builder whose
 * cookie came with the request. Throws what that call throws, and `operator_required` without the cookie.
 */
export async function callOwnAccount(context: AdminContext, request: CallRequest): Promise<Reply> {
  const session = await sessionOf(context, request);
  if (!session) throw new NinefoldError('operator_required');
  const app = await openApp(context, CONSOLE_REF);
  return context.builders.account(app, { ...request, path: request.path.slice(PREFIX.length) }, session);
}

/**
 * POST /account/factors/:id/verify: shows a second factor. The new cookie has its assurance; a copy of the earlier cookie stays without.
 * No token of the session reaches the page. Throws as `callOwnAccount`.
 */
export async function showOwnFactor(context: AdminContext, request: CallRequest): Promise<Reply> {
  const session = await sessionOf(context, request);
  await callOwnAccount(context, request);
  if (!session) throw new NinefoldError('operator_required');
  const app = await openApp(context, CONSOLE_REF);
  return { ...noContent(), cookies: [cookieFor(context, app, { ...session, aal: 'aal2' })] };
}
