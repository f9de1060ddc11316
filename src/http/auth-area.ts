import { hkdfSync } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { LeakedPasswordRange } from '../accounts/leaked-passwords.ts';
import type { App } from '../apps/app.ts';
import type { Origins } from '../apps/origins.ts';
import type { AuthContext } from '../auth/context.ts';
import { authErrorReply, handleAuth } from '../auth/handle.ts';
import type { AddressPolicy } from '../jobs/public-address.ts';
import type { Events } from '../observe/events.ts';
import type { Area } from './area.ts';

const leakedPasswords = new LeakedPasswordRange('https://api.pwnedpasswords.com/range/');

/** Returns the context of a request to `/auth/v1` of an app. */
export async function authContextOf(
  app: App,
  node: Pick<AuthContext, 'events' | 'origins' | 'addresses'>,
  identity: AuthContext['identity'],
): Promise<AuthContext> {
  const { auth: settings, rest } = await app.settings();
  const { secrets, record } = app;
  return {
    ...node,
    app: record,
    database: app.database,
    identity,
    settings,
    secrets,
    nodeKey: () => Buffer.from(hkdfSync('sha256', record.authenticatorPassword, record.ref, 'sign-in', 32)),
    appOrigin: node.origins.appOrigin(record.ref),
    leakedPasswords,
    roleClaimKey: rest.jwt_role_claim_key,
  };
}

/** Creates the handler of `/auth/v1`. */
export const authArea = (events: Events, origins: Origins, addresses: AddressPolicy): Area => ({
  name: 'auth',
  body: { bytes: limits.authBodyBytes.default, code: 'request_entity_too_large' },
  handle: async (app, exchange, identity, trace) => {
    const { rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    return handleAuth({ ...(await authContextOf(app, { events, origins, addresses }, identity)), trace }, exchange);
  },
  renderError: async (error, _app, exchange) => authErrorReply(error, exchange),
});
