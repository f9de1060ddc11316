import { limits } from '../../contract/limits.ts';
import { LeakedPasswordRange } from '../accounts/leaked-passwords.ts';
import type { Origins } from '../apps/origins.ts';
import { authErrorReply, handleAuth } from '../auth/handle.ts';
import type { Events } from '../observe/events.ts';
import type { Area } from './area.ts';

const leakedPasswords = new LeakedPasswordRange('https://api.pwnedpasswords.com/range/');

/** `/auth/v1` of an app. */
export const authArea = (events: Events, origins: Origins): Area => ({
  name: 'auth',
  body: { bytes: limits.authBodyBytes.default, code: 'request_entity_too_large' },
  handle: async (app, exchange, identity, trace) => {
    const { auth: settings, rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    const { record, database } = app;
    const appOrigin = origins.appOrigin(record.ref);
    return handleAuth(
      { app: record, database, identity, settings, events, trace, appOrigin, leakedPasswords },
      exchange,
    );
  },
  renderError: async (error, _app, exchange) => authErrorReply(error, exchange),
});
