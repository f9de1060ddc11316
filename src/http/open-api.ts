import type { App } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { ApiHandler } from './api-handler.ts';
import { renderRestError } from './rest-api.ts';

/**
 * Creates the handler of `/apps/<ref>/openapi.json`: the calls that the caller may make, as OpenAPI 3.1. With the
 * setting openapi_mode, the document contains all calls, or there is no document. Callers without a key or token are
 * rejected.
 * @param documentFor Returns the document for a role; null if the app publishes none.
 */
export const openApi = (documentFor: (app: App, role: string) => Promise<string | null>): ApiHandler => ({
  name: 'rest',
  handle: async (app, _request, identify) => {
    const { role, source } = await identify();
    const body = await documentFor(app, role);
    if (body === null) throw new NinefoldError('not_found');
    if (source === 'none') throw new NinefoldError('key_missing');
    const headers = { 'content-type': 'application/vnd.oai.openapi+json;version=3.1', 'cache-control': 'no-store' };
    return { status: 200, headers, body };
  },
  renderError: renderRestError,
});
