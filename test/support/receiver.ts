import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  port: number;
  url: string;
  /** All requests that were received so far, in the order of their arrival. */
  requests: ReceivedRequest[];
  /** Returns the number of requests without a response so far. */
  open(): number;
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on the loopback address. `respond` writes the response to each request; by default this is 200
 * with a JSON body.
 */
export async function startReceiver(
  respond: (request: ReceivedRequest, response: ServerResponse) => void = (_, response) =>
    response.setHeader('content-type', 'application/json').end('{"ok":true}'),
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let open = 0;
  const server = createServer((incoming, response) => {
    open++;
    response.on('close', () => open--);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(request);
      respond(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    open: () => open,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
