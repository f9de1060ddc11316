import type { RightName } from './server-rights.ts';

/** A PostgreSQL server of the node. */
export interface ServerSummary {
  /** `own` for the server of the console. */
  readonly ref: string;
  /** A draining server gets no new apps. */
  readonly state: 'active' | 'draining';
  /** Number of its apps, without the console. */
  readonly apps: number;
  /** False if the server does not answer now. The figures are null then. */
  readonly is_up: boolean;
  readonly version: string | null;
  readonly connections: number | null;
  readonly max_connections: number | null;
  /** Bytes of all databases. */
  readonly size_bytes: number | null;
  readonly missing_rights: readonly RightName[];
}

/** A server to add. */
export interface AddServerRequest {
  readonly ref: string;
  /** postgres://user:password@host:port/database, as NINEFOLD_DATABASE_URL. It is stored encrypted and never shown. */
  readonly url: string;
}

/** The result of a move. */
export interface AppMove {
  /** False if the app was on this server already. */
  readonly moved: boolean;
  readonly tables: number;
  readonly rows: number;
  /** Time during which no call of the app was served. */
  readonly closed_ms: number;
}
