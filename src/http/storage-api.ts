import type { Origins } from '../apps/registry/origins.ts';
import type { Events } from '../observe/events.ts';
import type { StorageNode } from '../storage/context.ts';
import { storageErrorReply } from '../storage/error-reply.ts';
import { handleStorage } from '../storage/handle.ts';
import type { ApiHandler } from './api-handler.ts';

/** Creates the handler of an app's `/storage/v1`. */
export const storageApi = (node: StorageNode & { readonly events: Events; readonly origins: Origins }): ApiHandler => ({
  name: 'storage',
  takesStream: true,
  handle: async (app, request, identity, trace) => {
    const { storage: settings, rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    const statementMilliseconds = rest.db_statement_timeout;
    return handleStorage({ ...node, app, settings, statementMilliseconds, identity, trace }, request);
  },
  renderError: async (error, _app, request) => storageErrorReply(error, request),
});
