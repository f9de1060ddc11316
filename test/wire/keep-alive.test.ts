import http, { type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { startNode } from '../support/node.ts';

const shared = inject('node');

/** Sends one request. Resolves with the response once its body has arrived. */
function get(url: string, agent: http.Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      response.on('error', reject).on('end', () => resolve(response));
      response.resume();
    });
    request.on('error', reject);
  });
}

/** The idle times in seconds after which usual proxies close connections: nginx, AWS, Traefik, Caddy. */
const proxies = [60, 60, 90, 120];

describe('an idle client connection', () => {
  it('stays open for longer than a proxy keeps it, and the response says how long', async () => {
    const agent = new http.Agent({ keepAlive: true });
    const { headers } = await get(`${shared.url}/health`, agent);
    expect(headers.connection).toBe('keep-alive');
    const seconds = Number(/^timeout=(\d+)$/.exec(String(headers['keep-alive']))?.[1]);
    expect(seconds).toBe(limits.keepAliveSeconds.default);
    for (const proxy of proxies) expect(seconds).toBeGreaterThan(proxy);
    agent.destroy();
  });

  it('serves another request after an idle time around the default of Node.js, without a reset', async () => {
    const errors: string[] = [];
    const reused: boolean[] = [];
    // An agent that ignores the header Keep-Alive, as many proxies do, reuses each connection once.
    const use = async (idle: number) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set<Socket>();
      try {
        for (const pause of [0, idle]) {
          await delay(pause);
          sockets.add((await get(`${shared.url}/health`, agent)).socket);
        }
        reused.push(sockets.size === 1);
      } catch (error) {
        errors.push(String(error));
      } finally {
        agent.destroy();
      }
    };
    await Promise.all(Array.from({ length: 150 }, (_, i) => use(5900 + i * 2)));
    expect(errors).toEqual([]);
    expect(reused.filter((one) => !one)).toEqual([]);
  });
});

describe('a node that stops', () => {
  it('announces the close of each connection in use, and resets none', async () => {
    const node = await startNode();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
    const seen = { kept: 0, closed: 0, errors: new Set<string>() };
    let isStopped = false;
    const use = async () => {
      while (!isStopped) {
        try {
          const { headers } = await get(`${node.url}/live-or-not`, agent);
          if (headers.connection === 'close') seen.closed++;
          else seen.kept++;
          await delay(5);
        } catch (error) {
          // A new connection to a stopped node is refused. No request may have been sent on it.
          seen.errors.add((error as { code?: string }).code ?? String(error));
          return;
        }
      }
    };
    const clients = Array.from({ length: 8 }, use);
    await expect.poll(() => seen.kept).toBeGreaterThan(50);
    await node.stop();
    isStopped = true;
    await Promise.all(clients);
    agent.destroy();
    expect(seen.closed).toBeGreaterThan(0);
    expect([...seen.errors].filter((code) => code !== 'ECONNREFUSED')).toEqual([]);
  });
});
