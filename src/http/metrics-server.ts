import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { METRICS_PATH, METRICS_TYPE } from '../monitoring/exposition.ts';

/** How long a request to the metrics may take to arrive, and how long an idle connection stays open. */
const REQUEST_MILLISECONDS = 5000;

/** A server that only returns metrics, without a token. */
export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` on an own address, which only the scraper must be able to reach.
 * @param read Returns the metrics.
 * @throws Error if the address cannot be used
 */
export async function startMetricsServer(
  { host, port }: { host: string; port: number },
  read: () => Promise<string>,
): Promise<MetricsServer> {
  const options = {
    requestTimeout: REQUEST_MILLISECONDS,
    headersTimeout: REQUEST_MILLISECONDS,
    keepAliveTimeout: REQUEST_MILLISECONDS,
  };
  const server = createServer(options, async (request, response) => {
    const isKnown = request.url?.split('?')[0] === METRICS_PATH;
    if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(isKnown ? 405 : 404, { 'content-type': 'text/plain' }).end();
      return;
    }
    const text = await read().catch(() => null);
    if (text === null) response.writeHead(503, { 'content-type': 'text/plain' }).end();
    else response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(text);
  });
  server.listen({ host, port });
  await once(server, 'listening');
  const { port: used } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${used}${METRICS_PATH}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
