import { App } from '../apps/app.ts';
import { CONSOLE_REF, databaseName } from '../apps/registry/app-record.ts';
import { Registry } from '../apps/registry/registry.ts';
import { type Server, smallPool, superuserIn } from '../apps/registry/server.ts';
import type { Pool } from '../database/pool.ts';
import { Events } from '../observe/events.ts';

/** Connections of an app, whose work is a few statements. */
const CONNECTIONS = 3;
const IDLE_MILLISECONDS = 5000;
const WAIT_MILLISECONDS = 15_000;

/** Opens apps of a server that this process does not serve, one after the other. */
export class AppsOfServer {
  readonly server: Server;
  readonly console: Pool;
  readonly #registry: Registry;
  readonly #isLoopback: boolean;

  constructor(server: Server, isLoopback: boolean) {
    this.server = server;
    this.console = smallPool(superuserIn(server, databaseName(CONSOLE_REF)));
    this.#registry = new Registry(this.console, server.masterKey);
    this.#isLoopback = isLoopback;
  }

  /** Returns the refs of all apps but the console, the oldest first. */
  async refs(): Promise<string[]> {
    return (await this.#registry.list()).map(({ ref }) => ref).filter((ref) => ref !== CONSOLE_REF);
  }

  /** Runs work with an app, which is closed afterwards. @throws Error if the server has no such app */
  async with<Result>(ref: string, work: (app: App) => Promise<Result>): Promise<Result> {
    const record = await this.#registry.find(ref);
    if (record === null) throw new Error(`The server has no app ${ref}.`);
    const secrets = await this.#registry.secrets.read(ref);
    const limits = {
      ...{ connections: CONNECTIONS, idleMilliseconds: IDLE_MILLISECONDS, waitMilliseconds: WAIT_MILLISECONDS },
      isLoopback: this.#isLoopback,
    };
    const app = new App(record, secrets, this.server.target, limits, new Events());
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  }

  close(): Promise<void> {
    return this.console.close();
  }
}
