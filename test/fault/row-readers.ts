import { setTimeout as delay } from 'node:timers/promises';
import type { AppConnection } from '../../contract/admin.ts';
import { RawSocket } from '../support/realtime.ts';

/** Time after which a request or a join counts as failed. */
const REPLY_MILLISECONDS = 5000;
const PAUSE_MILLISECONDS = 50;

/** A row of the table that writers update. Each update adds 1 to the version. */
export interface RowVersion {
  readonly id: string;
  readonly version: number;
  readonly hidden: boolean;
}

const headersOf = (app: AppConnection, token?: string) => ({
  ...{ apikey: app.publishable_key, 'content-type': 'application/json' },
  ...(token && { authorization: `Bearer ${token}` }),
});

/** Updates rows that no other writer updates, one after the other. */
export class RowWriter {
  readonly #app: AppConnection;
  readonly #number: number;
  readonly #acknowledged = new Map<string, number>();
  #next = 0;

  constructor(app: AppConnection, number: number) {
    this.#app = app;
    this.#number = number;
  }

  /** Updates rows until as many updates were acknowledged. Every fifth row is hidden. */
  async write(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const id = `${this.#number}-${this.#next++ % 5}`;
      if (await this.#update(id)) left--;
      else await delay(PAUSE_MILLISECONDS);
    }
  }

  /** Returns the rows whose acknowledged update is not stored. */
  lostIn(stored: readonly RowVersion[]): string[] {
    const versions = new Map(stored.map(({ id, version }) => [id, version]));
    return [...this.#acknowledged].filter(([id, version]) => (versions.get(id) ?? -1) < version).map(([id]) => id);
  }

  async #update(id: string): Promise<boolean> {
    try {
      const response = await fetch(`${this.#app.url}/rest/v1/rpc/next_version`, {
        method: 'POST',
        headers: headersOf(this.#app),
        body: JSON.stringify({ row_id: id }),
        signal: AbortSignal.timeout(REPLY_MILLISECONDS),
      });
      if (!response.ok) return false;
      this.#acknowledged.set(id, Number(await response.text()));
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Follows the table on a socket. When the channel or the socket ends, joins again and then reads the table, as the client
 * of an app does. Collects every fault: a change that is missing, doubled, in the wrong order or of a hidden row.
 */
export class RowReader {
  readonly faults: string[] = [];
  readonly #app: AppConnection;
  readonly #token: string | undefined;
  /** The latest versions that the reader knows. */
  readonly #versions = new Map<string, number>();
  /** The versions of the last changes since the join, and those of the table after it. */
  #changed = new Map<string, number>();
  #table = new Map<string, number>();
  #socket: RawSocket | null = null;
  #isReady = false;
  #isClosed = false;

  constructor(app: AppConnection, token: string | undefined) {
    this.#app = app;
    this.#token = token;
  }

  /** Joins, and joins again whenever the channel ends. Resolves when the first join is complete. */
  async start(): Promise<void> {
    void this.#run();
    await this.settled();
  }

  /** Resolves when the channel has joined and the table is read. */
  async settled(): Promise<void> {
    while (!this.#isReady) await delay(PAUSE_MILLISECONDS);
  }

  /** Resolves when the reader has the visible rows; reports those that it lacks after a while. */
  async reached(rows: readonly RowVersion[]): Promise<void> {
    const missing = () => rows.filter(({ id, version, hidden }) => !hidden && this.#versions.get(id) !== version);
    const until = performance.now() + REPLY_MILLISECONDS;
    while (missing().length > 0 && performance.now() < until) await delay(PAUSE_MILLISECONDS);
    for (const { id, version } of missing()) this.faults.push(`lost: ${id} ${version}, has ${this.#versions.get(id)}`);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#follow().catch(() => undefined);
      this.#isReady = false;
      this.#socket?.close();
      await delay(PAUSE_MILLISECONDS);
    }
  }

  /** Follows until the channel ends. */
  async #follow(): Promise<void> {
    const socket = new RawSocket(this.#app);
    this.#socket = socket;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    void socket.closed.then(end);
    await Promise.race([socket.opened(), delay(REPLY_MILLISECONDS).then(() => Promise.reject(new Error('late')))]);
    this.#changed = new Map();
    this.#table = new Map();
    socket.ws.on('message', (data) => this.#onMessage(JSON.parse(String(data)), end));
    const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'rows' }] };
    const { status } = await Promise.race([
      socket.join('rows', config, this.#token),
      delay(REPLY_MILLISECONDS, { status: 'late' }),
      ended.then(() => ({ status: 'ended' })),
    ]);
    if (status !== 'ok') throw new Error('refused');
    await Promise.race([
      ended,
      socket.next(({ event, payload }) => event === 'system' && payload.status === 'ok', 2 * REPLY_MILLISECONDS),
    ]);
    for (const { id, version } of await this.#readTable()) {
      this.#table.set(id, version);
      this.#note(id, version);
    }
    this.#isReady = true;
    await ended;
  }

  #onMessage({ event, payload }: { event: string; payload: Record<string, unknown> }, end: () => void): void {
    if (event === 'phx_error' || event === 'phx_close' || (event === 'system' && payload.status === 'error')) end();
    if (event !== 'postgres_changes') return;
    const { id, version, hidden } = (payload.data as { record: RowVersion }).record;
    if (hidden || hidden === undefined) this.faults.push(`leaked: ${id}`);
    const before = this.#changed.get(id);
    const read = this.#table.get(id);
    if (before !== undefined && version <= before) this.faults.push(`doubled: ${id} ${version} after ${before}`);
    // The table may have been read after a change whose message arrives later, but not before one that was missed.
    const isLost = before === undefined ? read !== undefined && version > read + 1 : version > before + 1;
    if (isLost) this.faults.push(`lost: ${id} ${version} after ${before ?? read}`);
    this.#changed.set(id, version);
    this.#note(id, version);
  }

  #note(id: string, version: number): void {
    this.#versions.set(id, Math.max(version, this.#versions.get(id) ?? -1));
  }

  async #readTable(): Promise<RowVersion[]> {
    const response = await fetch(`${this.#app.url}/rest/v1/rows`, {
      headers: headersOf(this.#app, this.#token),
      signal: AbortSignal.timeout(REPLY_MILLISECONDS),
    });
    if (!response.ok) throw new Error(String(response.status));
    return (await response.json()) as RowVersion[];
  }
}
