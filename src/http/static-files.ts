import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Origins } from '../apps/origins.ts';
import { consolePolicy } from './node-headers.ts';
import { FOREVER } from './stored-files.ts';

/**
 * Serves the built console. Assets are cacheable for a year, because their names contain a hash. Every path that a
 * person may open gets the console's page.
 * @param notFound Handles all other requests.
 */
export async function serveConsole(
  server: FastifyInstance,
  folder: string,
  origins: Origins,
  notFound: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): Promise<void> {
  const assets = join(folder, 'assets');
  const isBuilt = existsSync(join(folder, 'index.html'));
  if (isBuilt) {
    await server.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (response, path) => {
        const isHashed = path.startsWith(assets) && HASHED.test(path);
        response.header('cache-control', isHashed ? FOREVER : 'no-cache');
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
    const headers = {
      'content-security-policy': consolePolicy(origins, request.headers.host),
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    };
    return reply.headers(headers).sendFile('index.html');
  });
}

/** File names that Vite generates, with a hash of the content before the first dot. */
export const HASHED = /-[\w-]{8}\.[^/\\]+$/;
