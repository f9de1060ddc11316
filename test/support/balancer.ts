import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Interval of the health checks. */
const CHECK_MILLISECONDS = 100;

/** A small HTTP balancer with health checks, as operators run one in front of several nodes. It repeats no request. */
export class Balancer {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #timer: NodeJS.Timeout;
  #healthy: string[] = [];
  #next = 0;

  private constructor(urls: () => readonly string[]) {
    this.#server = createServer((incoming, outgoing) => {
      const url = this.#healthy[this.#next++ % this.#healthy.length];
      if (url === undefined) {
        outgoing.writeHead(502).end();
        return;
      }
      const { method, headers } = incoming;
      const onward = request(new URL(incoming.url ?? '/', url), { method, headers, agent: this.#agent }, (answer) => {
        const { connection: _, ...rest } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, rest);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    const check = async () => {
      const states = await Promise.all(
        urls().map(async (url) => ({ url, isHealthy: (await fetch(`${url}/health`).catch(() => null))?.ok === true })),
      );
      this.#healthy = states.filter(({ isHealthy }) => isHealthy).map(({ url }) => url);
    };
    this.#timer = setInterval(() => void check(), CHECK_MILLISECONDS);
  }

  /** Starts a balancer. `urls` returns the nodes. */
  static async start(urls: () => readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(urls);
    await new Promise<void>((resolve) => balancer.#server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get healthy(): readonly string[] {
    return this.#healthy;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#server.close();
    this.#agent.destroy();
  }
}
