import { z } from 'zod';
import type { SignedInBuilder } from '../../contract/admin.ts';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { revokeSession } from '../accounts/sessions.ts';
import { findUser } from '../accounts/users.ts';
import { CONSOLE_REF } from '../apps/app-record.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { issueBuilderToken } from '../identity/builder-session.ts';
import { sessionOf } from './authorise.ts';
import { readBody } from './body.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';
import { json, noContent } from './router.ts';
import { builderCookie, noBuilderCookie, requireConsole } from './session-cookie.ts';

const schema = z.strictObject({
  email: z.string().max(limits.emailCharacters.default),
  password: z.string().max(limits.passwordMaxBytes.default),
});

const lifetimeSeconds = limits.builderSessionDays.default * 86_400;

/**
 * POST /session: signs a builder in, with the limits of every sign-in, and sets the cookie. Throws what the sign-in of an app throws, and
 * `operator_required` for an account that is no builder's.
 */
export async function openSession(context: AdminContext, exchange: Exchange): Promise<Reply> {
  requireConsole(context.origins, exchange);
  readBody(exchange, schema);
  const app = await openApp(context, CONSOLE_REF);
  const { user, session } = await context.builders.signIn(app, exchange);
  const builder = await findBuilder(context, user.id);
  if (!builder) {
    await revokeSession(app.database, session.id);
    throw new NinefoldError('operator_required');
  }
  const nowSeconds = Math.floor(Date.now() / 1000);
  const token = issueBuilderToken(app.record, { id: session.id, userId: user.id }, { nowSeconds, lifetimeSeconds });
  return { ...json(builder), cookies: [builderCookie(context.origins, token, lifetimeSeconds)] };
}

/** GET /session: the builder who is signed in; null for nobody. */
export async function showSession(context: AdminContext, exchange: Exchange): Promise<Reply> {
  try {
    const session = await sessionOf(context, exchange);
    const builder = session && (await findBuilder(context, session.userId));
    return json(builder);
  } catch (error) {
    if (!(error instanceof NinefoldError) || error.code !== 'operator_required') throw error;
    return { ...json(null), cookies: [noBuilderCookie(context.origins)] };
  }
}

/** DELETE /session: ends the session and deletes the cookie. Does nothing for nobody. */
export async function closeSession(context: AdminContext, exchange: Exchange): Promise<Reply> {
  const session = await sessionOf(context, exchange).catch(whenSignedOut);
  if (session) {
    const { database } = await openApp(context, CONSOLE_REF);
    await revokeSession(database, session.id);
    const { userId } = session;
    context.events.emit({ type: 'auth', what: 'signed-out', app: CONSOLE_REF, userId, address: exchange.address });
  }
  return { ...noContent(), cookies: [noBuilderCookie(context.origins)] };
}

/** Takes a session that has ended for none. */
function whenSignedOut(error: unknown): null {
  if (error instanceof NinefoldError && error.code === 'operator_required') return null;
  throw error;
}

async function findBuilder(context: AdminContext, userId: string): Promise<SignedInBuilder | null> {
  const name = await context.registry.builderName(userId);
  if (name === null) return null;
  const { database } = await openApp(context, CONSOLE_REF);
  return { name, email: (await findUser(database, userId))?.email ?? '' };
}
