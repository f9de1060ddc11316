import type { Origins } from '../apps/registry/origins.ts';
import type { Events } from '../observe/events.ts';
import type { StorageNode } from '../storage/context.ts';
import { storageErrorReply } from '../storage/error-reply.ts';
import { handleStorage } from '../storage/handle.ts';
import { handleS3, isS3Request } from '../storage/s3/s3-api.ts';
import { s3ErrorReply } from '../storage/s3/s3-error.ts';
import type { ApiHandler } from './api-handler.ts';

/** Creates the handler of an app's `/storage/v1`. */
export const storageApi = (node: StorageNode & { readonly events: Events; readonly origins: Origins }): ApiHandler => ({
  name: 'storage',
  takesStream: true,
  handle: async (app, request, identity, trace) => {
    const { storage: settings, rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    const statementMilliseconds = rest.db_statement_timeout;
    const context = { ...node, app, settings, statementMilliseconds, identity, trace };
    return isS3Request(request) ? handleS3(context, request) : handleStorage(context, request);
  },
  renderError: async (error, _app, request) =>
    isS3Request(request) ? s3ErrorReply(error, request) : storageErrorReply(error, request),
});
