import { Listener } from '../database/listener.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Events } from '../observe/events.ts';
import { App, type PoolLimits } from './app.ts';
import { CONSOLE_REF, databaseName, REF } from './app-record.ts';
import type { Registry } from './registry.ts';
import { type Server, superuserIn } from './server.ts';

/** For how long a ref without an app is remembered, so that guessing refs costs the database little. */
const UNKNOWN_MILLISECONDS = 1000;
const UNKNOWN_KEPT = 1000;

/** The apps that this worker has served, by ref. Another node's changes arrive through the console's database. */
export class Apps {
  readonly #server: Server;
  readonly #registry: Registry;
  readonly #limits: PoolLimits;
  readonly #events: Events;
  readonly #apps = new Map<string, Promise<App | null>>();
  readonly #unknown = new Map<string, number>();
  readonly #onOpen: (app: App) => void;
  #ear: Listener | null = null;

  /** `onOpen` sees each app once, before its first call. */
  constructor(
    server: Server,
    registry: Registry,
    limits: PoolLimits,
    events: Events,
    onOpen: (app: App) => void = () => undefined,
  ) {
    this.#server = server;
    this.#registry = registry;
    this.#limits = limits;
    this.#events = events;
    this.#onOpen = onOpen;
  }

  /** Begins to hear of apps that were changed or deleted elsewhere. */
  async start(): Promise<void> {
    this.#ear = new Listener(superuserIn(this.#server, databaseName(CONSOLE_REF)), ['ninefold'], {
      onNotification: (_, payload) => {
        const ref = changedRef(payload);
        if (ref) void this.forget(ref);
      },
      onConnected: () => void this.#checkAll(),
      onLost: () => undefined,
    });
    await this.#ear.start();
  }

  /** The app with this ref. Throws `app_unknown`. */
  async get(ref: string): Promise<App> {
    const app = await (this.#apps.get(ref) ?? this.#load(ref));
    if (!app) throw new NinefoldError('app_unknown');
    return app;
  }

  /** Drops what is remembered of an app and closes its connections. */
  async forget(ref: string): Promise<void> {
    this.#unknown.delete(ref);
    const app = this.#apps.get(ref);
    this.#apps.delete(ref);
    await (await app)?.close();
  }

  async close(): Promise<void> {
    this.#ear?.close();
    await Promise.all([...this.#apps.keys()].map((ref) => this.forget(ref)));
  }

  async #load(ref: string): Promise<App | null> {
    if (!REF.test(ref)) return null;
    const unknownUntil = this.#unknown.get(ref);
    if (unknownUntil !== undefined && unknownUntil > performance.now()) return null;
    const loading = this.#registry.find(ref).then((record) => {
      if (!record) return null;
      const app = new App(record, this.#server.target, this.#limits, this.#events);
      this.#onOpen(app);
      return app;
    });
    this.#apps.set(ref, loading);
    const app = await loading.catch((error: unknown) => {
      this.#apps.delete(ref);
      throw error;
    });
    if (!app) {
      this.#apps.delete(ref);
      if (this.#unknown.size >= UNKNOWN_KEPT) this.#unknown.clear();
      this.#unknown.set(ref, performance.now() + UNKNOWN_MILLISECONDS);
    }
    return app;
  }

  /** After a lost connection: apps may have been deleted unheard. */
  async #checkAll(): Promise<void> {
    for (const ref of [...this.#apps.keys()]) {
      const record = await this.#registry.find(ref).catch(() => undefined);
      if (record === null) await this.forget(ref);
    }
    this.#unknown.clear();
  }
}

function changedRef(payload: string): string | null {
  try {
    const value: unknown = JSON.parse(payload);
    const isApp =
      typeof value === 'object' && value !== null && 'type' in value && value.type === 'app' && 'ref' in value;
    return isApp && typeof value.ref === 'string' ? value.ref : null;
  } catch {
    return null;
  }
}
