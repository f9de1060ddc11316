/** Where the sockets of a generator connect. */
export type Target =
  | {
      readonly kind: 'realtime';
      readonly port: number;
      /** Path of the socket with its query, which names the version. */
      readonly path: string;
      readonly version: '1.0.0' | '2.0.0';
      /** Topic without `realtime:`. An asterisk is replaced by the number of the socket. */
      readonly topic: string;
      /** Field `config` of the join; null for sockets that do not join. */
      readonly config: object | null;
      /** Signs an access token for each socket; null for joins with the key alone. */
      readonly secret: string | null;
    }
  /** Servers that send each message of a connection to `/sender` to all other connections. */
  | { readonly kind: 'bare'; readonly ports: readonly number[] }
  /** PocketBase. */
  | { readonly kind: 'events'; readonly port: number; readonly subscription: string };

/** An order for a process of the load generator. */
export type Order =
  /** Opens sockets and joins them. @param first The number of the first of them. */
  | { readonly kind: 'open'; readonly target: Target; readonly first: number; readonly count: number }
  /** Sends broadcasts: as many at a time as the window has, or at a rate. */
  | { readonly kind: 'send'; readonly target: Target; readonly window: number }
  | { readonly kind: 'send'; readonly target: Target; readonly perSecond: number }
  /** Stops to send. */
  | { readonly kind: 'stop' }
  /** Counts the messages that arrive. */
  | { readonly kind: 'measure'; readonly milliseconds: number }
  /** Reports what has arrived since the last `reset`. */
  | { readonly kind: 'count' }
  /** Reports the same, and counts from zero. */
  | { readonly kind: 'reset' }
  /** Joins all open sockets to one presence channel and tracks them, within some milliseconds. */
  | { readonly kind: 'presence'; readonly joinMilliseconds: number; readonly members: number }
  | { readonly kind: 'close' };

/** The result of an order. Fields that an order does not measure are zero or empty. */
export interface Report {
  /** Broadcasts that were sent since the order `send`. */
  readonly sent: number;
  /** Messages that arrived. */
  readonly received: number;
  /** Ages of some of them in milliseconds. */
  readonly ages: readonly number[];
  /** Sockets that the server has closed. */
  readonly closed: number;
  /** Time of the last message, by the shared clock. */
  readonly lastAt: number;
}
