import { z } from 'zod';
import type { SignedInBuilder } from '../../../contract/admin.ts';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type Grant, revokeSession } from '../../accounts/sessions/sessions.ts';
import { findUser } from '../../accounts/users/users.ts';
import type { App } from '../../apps/app.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type BuilderSession, issueBuilderToken } from '../../identity/builder-session.ts';
import { lacksFactor, mustAddFactor, sessionOf } from '../authorise.ts';
import { readBody } from '../body.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';
import { builderCookie, noBuilderCookie, requireConsole } from './session-cookie.ts';

const schema = z.strictObject({
  email: z.string().max(limits.emailCharacters.default),
  password: z.string().max(limits.passwordMaxBytes.default),
});

const lifetimeSeconds = limits.builderSessionDays.default * 86_400;

/**
 * Handles POST /session: signs a builder in, with the limits of every sign-in, and sets the cookie.
 * @throws what the sign-in of an app throws, and `operator_required` for an account without a builder
 */
export async function openSession(context: AdminContext, request: CallRequest): Promise<Reply> {
  requireConsole(context.origins, request);
  readBody(request, schema);
  const app = await openApp(context, CONSOLE_REF);
  return signedIn(context, app, await context.builders.signIn(app, request));
}

/**
 * Handles POST /session/passkey/options: creates a challenge for a sign-in by passkey.
 * @throws `passkey_disabled`
 */
export async function passkeyOptions(context: AdminContext, request: CallRequest): Promise<Reply> {
  requireConsole(context.origins, request);
  const app = await openApp(context, CONSOLE_REF);
  return context.builders.account(app, { ...request, path: '/passkeys/authentication/options' }, null);
}

/**
 * Handles POST /session/passkey: signs in the builder of a passkey and sets the cookie.
 * @throws the errors of `openSession`
 */
export async function openSessionWithPasskey(context: AdminContext, request: CallRequest): Promise<Reply> {
  requireConsole(context.origins, request);
  const app = await openApp(context, CONSOLE_REF);
  return signedIn(context, app, await context.builders.signInWithPasskey(app, request));
}

/** Sets the cookie of an opened session. Ends the session of an account without a builder. */
async function signedIn(context: AdminContext, app: App, { user, session: { id, aal } }: Grant): Promise<Reply> {
  const session = { id, userId: user.id, aal };
  const builder = await findBuilder(context, session);
  if (!builder) {
    await revokeSession(app.database, id);
    throw new NinefoldError('operator_required');
  }
  return { ...json(builder), cookies: [cookieFor(context, app, session)] };
}

/** Returns the cookie of a session. It never has a higher assurance level than the session itself. */
export function cookieFor({ origins }: AdminContext, app: App, session: BuilderSession): string {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return builderCookie(
    origins,
    issueBuilderToken(app.record, session, { nowSeconds, lifetimeSeconds }),
    lifetimeSeconds,
  );
}

/** Handles GET /session: returns the builder who is signed in; null if no builder is. */
export async function showSession(context: AdminContext, request: CallRequest): Promise<Reply> {
  try {
    const session = await sessionOf(context, request);
    const builder = session && (await findBuilder(context, session));
    return json(builder);
  } catch (error) {
    if (!(error instanceof NinefoldError) || error.code !== 'operator_required') throw error;
    return { ...json(null), cookies: [noBuilderCookie(context.origins)] };
  }
}

/** Handles DELETE /session: ends the session and deletes the cookie. Does nothing without a session. */
export async function closeSession(context: AdminContext, request: CallRequest): Promise<Reply> {
  const session = await sessionOf(context, request).catch(whenSignedOut);
  if (session) {
    const { database } = await openApp(context, CONSOLE_REF);
    await revokeSession(database, session.id);
    const { userId } = session;
    context.events.emit({ type: 'auth', what: 'signed-out', app: CONSOLE_REF, userId, address: request.address });
  }
  return { ...noContent(), cookies: [noBuilderCookie(context.origins)] };
}

/** Returns null for the error of a session that has ended, as if there were no session; rethrows every other error. */
function whenSignedOut(error: unknown): null {
  if (error instanceof NinefoldError && error.code === 'operator_required') return null;
  throw error;
}

async function findBuilder(context: AdminContext, session: BuilderSession): Promise<SignedInBuilder | null> {
  const { userId } = session;
  const [name, rights] = await Promise.all([
    context.registry.builderName(userId),
    context.registry.team.rightsOf(userId),
  ]);
  if (name === null || rights === null) return null;
  const { database } = await openApp(context, CONSOLE_REF);
  const email = (await findUser(database, userId))?.email ?? '';
  return {
    name,
    email,
    needs_second_factor: lacksFactor(session, rights),
    must_add_second_factor: mustAddFactor(rights),
    second_factor_due: rights.hasSecondFactor ? null : rights.secondFactorFrom,
    owns_node: rights.ownsNode,
  };
}
