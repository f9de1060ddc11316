import type { RightName } from '../../../contract/server-rights.ts';
import { type ConnectionConfig, parseConnectionUrl } from '../../database/connection-config.ts';
import type { Database } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import { type AppHost, MAINTENANCE_DATABASE } from './app-record.ts';
import { seal, unseal } from './seal.ts';

/** A further PostgreSQL server of the node, with the number of its apps. */
export interface StoredServer {
  readonly ref: string;
  readonly state: 'active' | 'draining';
  readonly created_at: string;
  readonly apps: number;
  readonly host: AppHost;
}

interface Row extends Omit<StoredServer, 'host'> {
  readonly sealed: string;
  readonly missing_rights: RightName[];
}

const LIST = `select json_agg(json_build_object('ref', h.ref, 'state', h.state, 'created_at', h.created_at, 'sealed', h.sealed,
    'missing_rights', h.missing_rights, 'apps', (select count(*) from public.apps a where a.server = h.ref)) order by h.created_at, h.ref)
  from node.servers h`;

/** Binds a sealed URL to its server. No app has a ref with a space. */
const contextOf = (ref: string): string => `server ${ref}`;

/** The further PostgreSQL servers, in the console's database. Their URLs are encrypted with the node's master key. */
export class ServerStore {
  readonly #database: Database;
  readonly #masterKey: Buffer;
  /** Connection parameters by the sealed URL. Connections of a server share the state in them. */
  readonly #targets = new Map<string, ConnectionConfig>();

  constructor(database: Database, masterKey: Buffer) {
    this.#database = database;
    this.#masterKey = masterKey;
  }

  /** Returns how to reach a server; null if there is no such server. */
  async hostOf(ref: string): Promise<AppHost | null> {
    return (await this.list()).find((server) => server.ref === ref)?.host ?? null;
  }

  /** Returns all further servers, the oldest first. */
  async list(): Promise<StoredServer[]> {
    const [result] = await this.#database.run([{ text: LIST, params: [], planKey: 'superuser' }]);
    const rows = (result && firstJson<Row[]>(result)) ?? [];
    return rows.map(({ sealed, missing_rights, ...row }) => ({
      ...row,
      host: this.#open(row.ref, { sealed, missing_rights }),
    }));
  }

  /** Decrypts how to reach a server. */
  #open(ref: string, { sealed, missing_rights }: Pick<Row, 'sealed' | 'missing_rights'>): AppHost {
    const known = this.#targets.get(sealed);
    const target = known ?? serverTarget(unseal<string>(sealed, this.#masterKey, contextOf(ref)));
    this.#targets.set(sealed, target);
    return { target, missingRights: missing_rights };
  }

  /** Stores a server. Returns false if the ref is in use. */
  async add(ref: string, url: string, missingRights: readonly RightName[]): Promise<boolean> {
    const [result] = await this.#database.run([
      {
        text: 'insert into node.servers (ref, sealed, missing_rights) values ($1, $2, $3::text[]) on conflict do nothing returning ref',
        params: [ref, seal(url, this.#masterKey, contextOf(ref)), `{${missingRights.join(',')}}`],
      },
    ]);
    return (result?.rows.length ?? 0) > 0;
  }

  /** Returns false if there is no such server. */
  async setState(ref: string, state: StoredServer['state']): Promise<boolean> {
    const [result] = await this.#database.run([
      { text: 'update node.servers set state = $2 where ref = $1 returning ref', params: [ref, state] },
    ]);
    return (result?.rows.length ?? 0) > 0;
  }

  /** @throws DatabaseError 23503 if apps live on the server */
  async remove(ref: string): Promise<void> {
    await this.#database.run([
      { text: 'delete from node.servers where ref = $1', params: [ref] },
      { text: 'delete from node.left_databases where server = $1', params: [ref] },
    ]);
  }

  /** Begins or ends the move of an app. @param to The target's ref, empty for the server of the console; null ends the move. */
  async setMoving(app: string, to: string | null): Promise<void> {
    await this.#database.run([{ text: 'update public.apps set moving_to = $2 where ref = $1', params: [app, to] }]);
  }

  /** Returns the apps whose move has not ended, with their targets. */
  async moving(): Promise<{ app: string; to: string }[]> {
    const [result] = await this.#database.run([
      {
        text: `select json_agg(json_build_object('app', ref, 'to', moving_to)) from public.apps where moving_to is not null`,
        params: [],
        planKey: 'superuser',
      },
    ]);
    return (result && firstJson<{ app: string; to: string }[]>(result)) ?? [];
  }

  /** Ends a move: the app lives at the target from now on, and the database that it left is remembered. */
  async switchApp(app: string, from: string | null, to: string | null): Promise<void> {
    await this.#database.run([
      { text: 'update public.apps set server = $2, moving_to = null where ref = $1', params: [app, to] },
      {
        text: 'insert into node.left_databases (server, app) values ($1, $2) on conflict (server, app) do update set left_at = now()',
        params: [from ?? '', app],
      },
      { text: 'delete from node.left_databases where server = $1 and app = $2', params: [to ?? '', app] },
    ]);
  }

  /** Returns the databases that apps left at least `seconds` ago. */
  async leftDatabases(seconds: number): Promise<{ server: string; app: string }[]> {
    const [result] = await this.#database.run([
      {
        text: `select json_agg(json_build_object('server', server, 'app', app)) from node.left_databases
               where left_at <= now() - make_interval(secs => $1::float8)`,
        params: [String(seconds)],
        planKey: 'superuser',
      },
    ]);
    return (result && firstJson<{ server: string; app: string }[]>(result)) ?? [];
  }

  async forgetLeft(server: string, app: string): Promise<void> {
    await this.#database.run([
      { text: 'delete from node.left_databases where server = $1 and app = $2', params: [server, app] },
    ]);
  }
}

/** Returns the connection parameters of a server's login for its maintenance database. */
const serverTarget = (url: string): ConnectionConfig => ({
  ...parseConnectionUrl(url, 'ninefold'),
  ...{ database: MAINTENANCE_DATABASE, searchPath: '', ignoresLockTimeout: true },
});
