import { z } from 'zod';
import type { SignedInBuilder } from '../../../contract/admin.ts';
import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type Grant, revokeSession } from '../../accounts/sessions/sessions.ts';
import { findUser } from '../../accounts/users/users.ts';
import type { App } from '../../apps/app.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type BuilderSession, issueBuilderToken } from '../../identity/builder-session.ts';
import { lacksFactor, mustAddFactor, sessionOf } from '../authorise.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { builderCookie, fromConsole, noBuilderCookie } from './session-cookie.ts';

const lifetimeSeconds = limits.builderSessionDays.default * 86_400;

const openSession = adminCall({
  route: 'POST /session',
  least: 'open',
  requires: fromConsole,
  summary: 'Signs a builder in, with the limits of every sign-in, and sets the cookie.',
  returns: 'SignedInBuilder',
  errors: ['operator_required', 'invalid_credentials'],
  body: z.strictObject({
    email: z.string().max(limits.emailCharacters.default),
    password: z.string().max(limits.passwordMaxBytes.default),
  }),
  handle: async ({ context, request }) => {
    const app = await openApp(context, CONSOLE_REF);
    return signedIn(context, app, await context.builders.signIn(app, request));
  },
});

const passkeyOptions = adminCall({
  route: 'POST /session/passkey/options',
  least: 'open',
  requires: fromConsole,
  summary: 'Creates a challenge for a sign-in by passkey.',
  returns: 'as POST /auth/v1/passkeys/authentication/options',
  errors: ['passkey_disabled'],
  handle: async ({ context, request }) => {
    const app = await openApp(context, CONSOLE_REF);
    return context.builders.account(app, { ...request, path: '/passkeys/authentication/options' }, null);
  },
});

const openSessionWithPasskey = adminCall({
  route: 'POST /session/passkey',
  least: 'open',
  requires: fromConsole,
  summary: 'Signs in the builder of a passkey and sets the cookie.',
  returns: 'SignedInBuilder',
  errors: ['operator_required'],
  handle: async ({ context, request }) => {
    const app = await openApp(context, CONSOLE_REF);
    return signedIn(context, app, await context.builders.signInWithPasskey(app, request));
  },
});

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

const showSession = adminCall({
  route: 'GET /session',
  least: 'open',
  summary: 'Returns the builder who is signed in; null if no builder is.',
  returns: 'SignedInBuilder, or null',
  handle: async ({ context, request }) => {
    try {
      const session = await sessionOf(context, request);
      const builder = session && (await findBuilder(context, session));
      return json(builder);
    } catch (error) {
      if (!(error instanceof NinefoldError) || error.code !== 'operator_required') throw error;
      return { ...json(null), cookies: [noBuilderCookie(context.origins)] };
    }
  },
});

const closeSession = adminCall({
  route: 'DELETE /session',
  least: 'open',
  summary: 'Ends the session and deletes the cookie. Does nothing without a session.',
  handle: async ({ context, request }) => {
    const session = await sessionOf(context, request).catch(whenSignedOut);
    if (session) {
      const { database } = await openApp(context, CONSOLE_REF);
      await revokeSession(database, session.id);
      const { userId } = session;
      context.events.emit({ type: 'auth', what: 'signed-out', app: CONSOLE_REF, userId, address: request.address });
    }
    return { ...noContent(), cookies: [noBuilderCookie(context.origins)] };
  },
});

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

export const builderSessionCalls: readonly AdminCall[] = [
  showSession,
  openSession,
  closeSession,
  passkeyOptions,
  openSessionWithPasskey,
];
