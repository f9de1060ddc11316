import { prepareFurtherServer } from '../apps/provisioning/bootstrap.ts';
import { deleteLeftDatabases, mendMoves } from '../apps/provisioning/move-app.ts';
import { ServerPools } from '../apps/provisioning/server-pools.ts';
import { CONSOLE_REF, databaseName } from '../apps/registry/app-record.ts';
import { Registry } from '../apps/registry/registry.ts';
import { type Server, serverOf, smallPool, superuserIn } from '../apps/registry/server.ts';
import type { Events } from '../observe/events.ts';
import { Watchdog, type WatchdogParts } from '../watchdog/watchdog.ts';

/** Pause between two looks for servers that were added or removed. */
const LOOK_MILLISECONDS = 10_000;
/** Pause between two deletions of databases that apps have left. */
const CLEAN_MILLISECONDS = 3_600_000;

/** The further PostgreSQL servers of the node in the primary process: prepares them, and watches each with a watchdog. */
export class FurtherServers {
  readonly #own: Server;
  readonly #events: Events;
  readonly #watchdogParts: Pick<WatchdogParts, 'bounds' | 'send'>;
  readonly #console;
  readonly #maintenance;
  readonly #registry: Registry;
  readonly #servers: ServerPools;
  readonly #watchdogs = new Map<string, Watchdog>();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #cleanedAt = 0;

  constructor(own: Server, events: Events, watchdogParts: Pick<WatchdogParts, 'bounds' | 'send'>) {
    this.#own = own;
    this.#events = events;
    this.#watchdogParts = watchdogParts;
    this.#console = smallPool(superuserIn(own, databaseName(CONSOLE_REF)));
    this.#maintenance = smallPool(own.target);
    this.#registry = new Registry(this.#console, own.masterKey);
    this.#servers = new ServerPools({ server: own, maintenance: this.#maintenance }, this.#registry);
  }

  /** Updates the roles and templates of all servers, and ends moves that were interrupted. A server that is down is reported. */
  async start(): Promise<void> {
    for (const { ref, host } of await this.#registry.servers.list()) {
      const server = serverOf(this.#own, { host });
      await prepareFurtherServer(server, server.target).catch((error: unknown) => this.#report(ref, error));
    }
    const everyWorker = () => Promise.resolve();
    const parts = { servers: this.#servers, registry: this.#registry, everyWorker };
    await mendMoves(parts).catch((error: unknown) => this.#report('the moves of apps', error));
    await this.#look();
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, LOOK_MILLISECONDS).unref();
  }

  /** Returns the suspensions of apps on these servers, for a new worker. */
  currentBounds(): ReturnType<Watchdog['currentBounds']> {
    return [...this.#watchdogs.values()].flatMap((watchdog) => watchdog.currentBounds());
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#looking;
    await Promise.all([...this.#watchdogs.values()].map((watchdog) => watchdog.stop()));
    await Promise.all([this.#servers, this.#maintenance, this.#console].map((each) => each.close()));
  }

  async #look(): Promise<void> {
    try {
      const list = await this.#registry.servers.list();
      for (const { ref, host } of list)
        if (!this.#watchdogs.has(ref)) await this.#watch(ref, serverOf(this.#own, { host }));
      for (const [ref, watchdog] of this.#watchdogs) {
        if (list.some((server) => server.ref === ref)) continue;
        this.#watchdogs.delete(ref);
        await watchdog.stop();
      }
      if (performance.now() - this.#cleanedAt < CLEAN_MILLISECONDS && this.#cleanedAt > 0) return;
      this.#cleanedAt = performance.now();
      await deleteLeftDatabases({ servers: this.#servers, registry: this.#registry });
    } catch (error) {
      this.#report('further servers', error);
    }
  }

  async #watch(ref: string, { target, missingRights }: Server): Promise<void> {
    const watchdog = new Watchdog({
      ...{ target, missingRights, processes: null, events: this.#events, isShared: true },
      ...this.#watchdogParts,
    });
    await watchdog.start();
    this.#watchdogs.set(ref, watchdog);
  }

  #report(where: string, error: unknown): void {
    this.#events.emit({ type: 'fault', requestId: null, where: `the PostgreSQL server ${where}`, error });
  }
}
