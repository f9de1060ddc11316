import { limits } from '../../contract/limits.ts';
import { authErrorReply, handleAuth } from '../auth/handle.ts';
import type { Events } from '../observe/events.ts';
import type { Area } from './area.ts';

/** `/auth/v1` of an app. */
export const authArea = (events: Events): Area => ({
  name: 'auth',
  body: { bytes: limits.authBodyBytes.default, code: 'request_entity_too_large' },
  handle: async (app, exchange, identity, trace) => {
    const { auth: settings, rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    return handleAuth({ app: app.record, database: app.database, identity, settings, events, trace }, exchange);
  },
  renderError: async (error, _app, exchange) => authErrorReply(error, exchange),
});
