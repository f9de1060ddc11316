import { limits } from '../../../contract/limits.ts';
import type { Pool } from '../../database/pool.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AppHost, AppRecord } from '../registry/app-record.ts';
import type { Registry } from '../registry/registry.ts';
import { type Server, serverOf, smallPool } from '../registry/server.ts';

/** Connections of one worker to the maintenance database of a further server. */
const CONNECTIONS = 2;

/** A server, and connections to its maintenance database. */
export interface OpenServer {
  readonly server: Server;
  readonly maintenance: Pool;
}

/** A server with its ref; null for the server of the console. */
export type ServerPlace = Pick<AppRecord, 'serverRef' | 'host'>;

/** The PostgreSQL servers of the node, with one pool for each. */
export class ServerPools {
  readonly own: OpenServer;
  readonly #registry: Registry;
  readonly #pools = new Map<AppHost['target'], Pool>();

  constructor(own: OpenServer, registry: Registry) {
    this.own = own;
    this.#registry = registry;
  }

  /** Returns the server of an app. */
  of(place: Pick<AppRecord, 'host'>): OpenServer {
    if (!place.host) return this.own;
    const server = serverOf(this.own.server, place);
    const maintenance = this.#pools.get(server.target) ?? smallPool(server.target, CONNECTIONS);
    this.#pools.set(server.target, maintenance);
    return { server, maintenance };
  }

  /**
   * Returns a server by its ref. @param ref `own` for the server of the console.
   * @throws NinefoldError server_unknown
   */
  async find(ref: string): Promise<ServerPlace> {
    if (ref === OWN) return {};
    const host = await this.#registry.servers.hostOf(ref);
    if (!host)
      throw new NinefoldError('server_unknown', { details: { server: ref.slice(0, limits.nameBytes.default) } });
    return { serverRef: ref, host };
  }

  /** Returns the server with the fewest apps that takes new apps. Equal ones are taken in the order of their age. */
  async emptiest(): Promise<ServerPlace> {
    const further = await this.#registry.servers.list();
    const active = further.filter(({ state }) => state === 'active');
    if (active.length === 0) return {};
    const total = (await this.#registry.list()).length;
    const own = total - further.reduce((sum, { apps }) => sum + apps, 0);
    const [least] = active.toSorted((a, b) => a.apps - b.apps);
    return least && least.apps < own ? { serverRef: least.ref, host: least.host } : {};
  }

  /** Returns the pools of all servers, that of the console first. */
  async pools(): Promise<Pool[]> {
    const further = await this.#registry.servers.list();
    return [this.own, ...further.map((place) => this.of(place))].map(({ maintenance }) => maintenance);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }
}

/** The ref of the server of the console. */
export const OWN = 'own';
