import { setTimeout as delay } from 'node:timers/promises';
import type { CreatedSpecificationLink } from '../../contract/specification-links.ts';
import { admin } from './apps.ts';
import { type HttpRequest, type HttpResponse, send } from './http.ts';
import type { NodeAddress } from './node.ts';

/** Makes a link to the specification of an app, as the operator. */
export const shareSpecification = (
  node: NodeAddress,
  ref: string,
  { version = null, days = null }: { version?: number | null; days?: number | null } = {},
): Promise<CreatedSpecificationLink> => admin(node, 'POST', `/apps/${ref}/specification/links`, { version, days });

/** Reads a shared specification. Waits if other tests use up the readings of this machine. */
export async function readShared(node: NodeAddress, path: string, options: HttpRequest = {}): Promise<HttpResponse> {
  for (;;) {
    const response = await send(node.url, path, { ownConnection: true, ...options });
    if (response.status !== 429) return response;
    await delay(Number(response.headers['retry-after']) * 1000);
  }
}
