import { createHash, timingSafeEqual } from 'node:crypto';
import type { Exchange } from '../../contract/exchange.ts';
import { type AppRole, appRoles } from '../../contract/team.ts';
import { CONSOLE_REF } from '../apps/app-record.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { BuilderSession } from '../identity/builder-session.ts';
import type { Identity } from '../identity/identity.ts';
import { identityOfNamed, namedCaller } from '../identity/named-caller.ts';
import { roleRules } from '../identity/resolve.ts';
import type { AdminContext, Caller } from './context.ts';
import { openApp } from './open-app.ts';
import { readBuilderToken } from './session-cookie.ts';

/** Compares secrets in a time that tells nothing of where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * Returns who is calling: by the token in the header Authorization, or by the cookie of the console. Throws `operator_required` for
 * anybody else, `console_required` for a cookie that another site's page sent along, `session_ambiguous`.
 */
export async function callerOf(context: AdminContext, exchange: Exchange): Promise<Caller> {
  const token = /^Bearer\s+(\S+)$/i.exec(exchange.headers.authorization ?? '')?.[1];
  if (token && equalSecrets(token, context.operatorToken)) return { kind: 'operator' };
  const userId = token ? await memberOfConsole(context, exchange) : (await sessionOf(context, exchange))?.userId;
  const rights = userId ? await context.registry.team.rightsOf(userId) : null;
  if (!userId || !rights) throw new NinefoldError('operator_required');
  return { kind: 'builder', userId, ...rights };
}

async function memberOfConsole(context: AdminContext, exchange: Exchange): Promise<string | null> {
  const app = await openApp(context, CONSOLE_REF);
  const identity = await context.identify(app, exchange).catch(asSignedOut);
  return identity.role === 'authenticated' ? identity.userId : null;
}

/** Returns the session of the builder whose cookie came with the request; null without a cookie. Throws as `callerOf`. */
export async function sessionOf(context: AdminContext, exchange: Exchange): Promise<BuilderSession | null> {
  const token = readBuilderToken(context.origins, exchange);
  if (token === null) return null;
  const app = await openApp(context, CONSOLE_REF);
  return context.builders.resolve(app, token).catch(asSignedOut);
}

/** Rethrows the refusal of a token as `operator_required`. */
function asSignedOut(error: unknown): never {
  if (error instanceof NinefoldError && error.status < 500) {
    throw new NinefoldError('operator_required', { details: { reason: error.code }, cause: error });
  }
  throw error;
}

/**
 * Throws `app_unknown` for the console itself, `builder_forbidden` where the builder has no role on the app, `role_insufficient` where it
 * is lower than `least`.
 */
export function requireApp(caller: Caller, ref: string, least: AppRole): void {
  if (ref === CONSOLE_REF) throw new NinefoldError('app_unknown');
  if (caller.kind === 'operator') return;
  const role = caller.apps.get(ref);
  if (role === undefined) throw new NinefoldError('builder_forbidden');
  if (appRoles.indexOf(role) > appRoles.indexOf(least)) {
    throw new NinefoldError('role_insufficient', { details: { role, needed: least } });
  }
}

/**
 * As whom a call through the builder's door is made: with the rights of the service role, or as `x-ninefold-as` says: `anon` or
 * the id of a member.
 */
export async function authoriseDoor(context: AdminContext, exchange: Exchange, ref: string): Promise<Identity> {
  const caller = await callerOf(context, exchange);
  // With the rights of the service role every row can be read, and every member changed.
  requireApp(caller, ref, 'developer');
  const as = namedCaller(exchange.headers['x-ninefold-as']);
  if (as === null) return serviceRole;
  const app = await openApp(context, ref);
  const { rest } = await app.settings();
  return { ...(await identityOfNamed(app.database, roleRules(app.record, rest), as)), source: 'builder' };
}

const serviceRole: Identity = {
  role: 'service_role',
  claims: { role: 'service_role' },
  claimsJson: '{"role":"service_role"}',
  userId: null,
  sessionId: null,
  source: 'builder',
};
