import { hkdfSync } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { LeakedPasswordRange } from '../accounts/leaked-passwords.ts';
import type { Origins } from '../apps/origins.ts';
import { authErrorReply, handleAuth } from '../auth/handle.ts';
import type { AddressPolicy } from '../jobs/public-address.ts';
import type { Events } from '../observe/events.ts';
import type { Area } from './area.ts';

const leakedPasswords = new LeakedPasswordRange('https://api.pwnedpasswords.com/range/');

/** `/auth/v1` of an app. */
export const authArea = (events: Events, origins: Origins, addresses: AddressPolicy): Area => ({
  name: 'auth',
  body: { bytes: limits.authBodyBytes.default, code: 'request_entity_too_large' },
  handle: async (app, exchange, identity, trace) => {
    const { auth: settings, rest } = await app.settings();
    const { secrets, record } = app;
    const nodeKey = () => Buffer.from(hkdfSync('sha256', record.authenticatorPassword, record.ref, 'sign-in', 32));
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    return handleAuth(
      {
        app: record,
        database: app.database,
        identity,
        settings,
        secrets,
        nodeKey,
        origins,
        addresses,
        events,
        trace,
        appOrigin: origins.appOrigin(record.ref),
        leakedPasswords,
        roleClaimKey: rest.jwt_role_claim_key,
      },
      exchange,
    );
  },
  renderError: async (error, _app, exchange) => authErrorReply(error, exchange),
});
