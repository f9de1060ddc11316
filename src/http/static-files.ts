import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Everything the console loads comes from this node; no other site may frame it. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; worker-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Serves the built console: its assets for a year (their names hold a hash), and its page for every address that a person may
 * open. `notFound` answers the rest.
 */
export async function serveConsole(
  server: FastifyInstance,
  folder: string,
  notFound: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): Promise<void> {
  const isBuilt = existsSync(join(folder, 'index.html'));
  if (isBuilt) {
    await server.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (response, path) => {
        const isHashed = path.includes(`${join(folder, 'assets')}`);
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
        response.header('x-content-type-options', 'nosniff');
      },
    });
  }
  server.setNotFoundHandler((request, reply) => {
    const isPage =
      isBuilt &&
      (request.method === 'GET' || request.method === 'HEAD') &&
      !/^\/(admin|apps|assets)(\/|$)/.test(request.url) &&
      (request.headers.accept ?? '').includes('text/html');
    if (!isPage) return notFound(request, reply);
    return reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-cache' }).sendFile('index.html');
  });
}
