import type { Reply } from '../../contract/call-request.ts';
import { type ServiceName, services } from '../../contract/services.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { ERROR_PAGES } from './help-link.ts';

/** Paths below an app's URL of services that it may lack, by their first segment. */
const byArea: ReadonlyMap<string, ServiceName> = new Map([
  ['graphql', 'graphql'],
  ['pg', 'meta'],
  ['analytics', 'analytics'],
]);

/** The body of an error in the format of each service, as its clients read it. */
const bodies: Partial<Record<ServiceName, (code: string, message: string, help: string) => unknown>> = {
  // GraphQL specification, section 7.1: a response with `errors` and without an executed operation.
  graphql: (code, message, help) => ({ data: null, errors: [{ message, extensions: { code, help } }] }),
  meta: (code, message, help) => ({ error: message, code, help }),
  analytics: (code, message, help) => ({ error: { code, message, help } }),
};

/**
 * Returns the response to a request for a service that the app does not have, in the format of this service; null if
 * the area is of no such service.
 * @param area First segment of the path below the app's URL.
 * @param nodeUrl The node's URL, which has the page about the error.
 */
export function missingServiceReply(area: string | null, nodeUrl: string): Reply | null {
  const name = byArea.get(area ?? '');
  const body = name && bodies[name];
  if (!body) return null;
  const { title, note } = services[name];
  const { code, status } = new NinefoldError('service_missing');
  const message = `This app does not have the service “${title}”. ${note}`;
  return {
    status,
    code,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(body(code, message, `${nodeUrl}${ERROR_PAGES}/${code}`)),
  };
}
