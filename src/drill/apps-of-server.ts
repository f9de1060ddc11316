import { App } from '../apps/app.ts';
import { type AppRecord, CONSOLE_REF, databaseName } from '../apps/registry/app-record.ts';
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

  /** Returns the refs of the apps that live on this server, without the console, the oldest first. */
  async refs(): Promise<string[]> {
    const here = (await this.#registry.list()).filter(({ serverRef }) => serverRef === undefined);
    return here.map(({ ref }) => ref).filter((ref) => ref !== CONSOLE_REF);
  }

  /** @throws Error if the server has no such app, or the app lives on a further server */
  async record(ref: string): Promise<AppRecord> {
    const record = await this.#registry.find(ref);
    if (record === null) throw new Error(`There was no app ${ref} at this time.`);
    if (record.serverRef !== undefined) {
      throw new Error(
        `The app ${ref} lived on the server ${record.serverRef} at this time, which these backups do not contain.`,
      );
    }
    return record;
  }

  /** Runs work with an app, which is closed afterwards. @throws Error if the server has no such app */
  async with<Result>(ref: string, work: (app: App) => Promise<Result>): Promise<Result> {
    const record = await this.record(ref);
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
