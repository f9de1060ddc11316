import { hkdfSync } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { PasswordHasher } from '../accounts/passwords/passwords.ts';
import type { App } from '../apps/app.ts';
import type { AuthContext } from '../auth/context.ts';
import { authErrorReply, handleAuth } from '../auth/handle.ts';
import type { ApiHandler } from './api-handler.ts';

/** The parts that the apps of a node share. */
type Node = Required<
  Pick<AuthContext, 'events' | 'origins' | 'addresses' | 'keyUses' | 'providerClients' | 'leakedPasswords'>
> & { readonly passwords: PasswordHasher };

/** Returns the dependencies of the calls of an app's `/auth/v1`. */
export async function authContextOf(app: App, node: Node, identity: AuthContext['identity']): Promise<AuthContext> {
  const { auth: settings, rest } = await app.settings();
  const { secrets, record } = app;
  return {
    ...node,
    app: record,
    database: app.database,
    passwords: node.passwords.of(app.ref),
    identity,
    settings,
    rateCounts: app.rateCounts,
    commonHashes: app.commonHashes,
    hookDurations: app.hookDurations,
    secrets,
    nodeKey: () => Buffer.from(hkdfSync('sha256', record.authenticatorPassword, record.ref, 'sign-in', 32)),
    appOrigin: node.origins.appOrigin(record.ref),
    roleClaimKey: rest.jwt_role_claim_key,
  };
}

/** Creates the handler of an app's `/auth/v1`. */
export const authApi = (node: Node): ApiHandler => ({
  name: 'auth',
  body: { bytes: limits.authBodyBytes.default, code: 'request_entity_too_large' },
  handle: async (app, request, identity, trace) => {
    const { rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    return handleAuth({ ...(await authContextOf(app, node, identity)), trace }, request);
  },
  renderError: async (error, _app, request) => authErrorReply(error, request),
});
