import { limits } from '../../../contract/limits.ts';
import type { ConnectionConfig } from '../../database/connection-config.ts';
import { Listener } from '../../database/listener.ts';
import { Pool } from '../../database/pool.ts';
import { rowsAsText, type Statement } from '../../database/statement.ts';
import { Batcher } from './batcher.ts';
import { BATCH_BYTES } from './bus-message.ts';
import { controlFrame, type Frame, readFrames, topicKey } from './frame.ts';
import type { NodeLink, NodeLinkHandlers } from './node-link.ts';
import { OutQueue, type QueuedFrame } from './out-queue.ts';
import { Peers } from './peers.ts';
import { HeldTopics, TopicFilter, topicHash } from './topic-filter.ts';

/** The channel of all nodes, in the database of the console. */
const CHANNEL = 'ninefold_bus';
/** Interval at which a node renews its row and reads those of other nodes. */
const HEARTBEAT_MILLISECONDS = 5000;
/** Largest payload of a notification (PostgreSQL allows less than 8000 bytes). */
const MAX_PAYLOAD_BYTES = 7900;
/** Largest batch of another node in base64. A batch contains at most one frame more than BATCH_BYTES. */
const MAX_BATCH_CHARACTERS = 8 * 1024 * 1024;
/** Notifications that wait until a batch before them was read from the table. */
const MAX_UNREAD = 1000;
const SECOND_MILLISECONDS = 1000;
/** Connections of the link: one sends, one reads. */
const CONNECTIONS = 2;
/** How long a connection may be idle, and how long a statement waits for one. */
const IDLE_MILLISECONDS = 60_000;
const WAIT_MILLISECONDS = 5000;

/** Seconds after which a batch in the table has been read by all nodes that still run. */
const BATCH_SECONDS = 30;

/**
 * A commit with a notification holds a lock of the whole server until it is on disk. Without waiting for the disk, the
 * commits of apps do not wait for it either.
 */
const WITHOUT_DISK: Statement = {
  text: `select pg_catalog.set_config('synchronous_commit', 'off', true)`,
  params: [],
  planKey: 'bus',
};

export interface PostgresLinkOptions {
  readonly nodeId: string;
  /** Connection parameters for the console's database. */
  readonly target: ConnectionConfig;
  readonly handlers: NodeLinkHandlers;
  /** Called with an error of the connection, and with null when it works. */
  readonly onState: (error: unknown) => void;
}

/**
 * The link of a node to others that use the same PostgreSQL server. A batch is the payload of a notification, or a row
 * of a table if it is too large for that. Nothing is sent while no other node runs, and only messages of topics that
 * another node holds.
 */
export class PostgresLink implements NodeLink {
  readonly #id: string;
  readonly #handlers: NodeLinkHandlers;
  readonly #onState: PostgresLinkOptions['onState'];
  readonly #pool: Pool;
  readonly #listener: Listener;
  readonly #peers: Peers;
  readonly #topics = new HeldTopics();
  readonly #queue = new OutQueue();
  readonly #batcher: Batcher;
  #reading: Promise<void> = Promise.resolve();
  #unread = 0;
  #malformed = 0;
  #isListening = false;
  #isConnected: boolean | null = null;
  #beatAt = performance.now();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor({ nodeId, target, handlers, onState }: PostgresLinkOptions) {
    this.#id = nodeId;
    this.#handlers = handlers;
    this.#onState = onState;
    this.#peers = new Peers(nodeId, handlers);
    this.#pool = new Pool(target, {
      max: CONNECTIONS,
      idleMilliseconds: IDLE_MILLISECONDS,
      waitMilliseconds: WAIT_MILLISECONDS,
    });
    this.#listener = new Listener(target, [CHANNEL], {
      onNotification: (_, payload) => this.#onNotification(payload),
      onConnected: () => {
        this.#isListening = true;
        void this.#beat();
      },
      onLost: () => {
        this.#isListening = false;
        this.#setConnected(false, new Error('the connection was lost'));
      },
    });
    this.#batcher = new Batcher({
      queue: this.#queue,
      milliseconds: SECOND_MILLISECONDS / limits.realtimeNotificationsPerSecond.default,
      maxBytes: BATCH_BYTES,
      hasMore: () => this.#topics.hasChanges,
      send: (frames, sent) => {
        const batch = Buffer.concat([...this.#topics.takeFrames(), frames]);
        void this.#send(batch).finally(sent);
      },
    });
    this.#connect();
  }

  /** Number of frames that this node dropped. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Number of malformed notifications and frames, which were ignored. */
  get malformed(): number {
    return this.#malformed;
  }

  /** Number of other nodes that run. */
  get peers(): number {
    return this.#peers.size;
  }

  hold(key: string): void {
    this.#topics.hold(key);
    this.#schedule();
  }

  release(key: string): void {
    this.#topics.release(key);
    this.#schedule();
  }

  publish(frame: QueuedFrame): void {
    if (this.#peers.size === 0) return;
    const hash = frame.ref === '' ? null : topicHash(topicKey(frame.ref, frame.topic));
    // A node that was just found gets everything until it has listed its topics.
    if (hash !== null && ![...this.#peers.values()].some(({ topics }) => topics?.has(hash) ?? true)) return;
    if (frame.kind === 'lost') this.#queue.lose(frame);
    else if (this.#isConnected) this.#queue.push(frame);
    else this.#queue.drop(frame);
    this.#schedule();
  }

  workerEnded(id: string): void {
    if (this.#peers.size === 0) return;
    this.#queue.pushControl(controlFrame('ended', { from: id }));
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#batcher.close();
    // Without this, the other nodes notice the end of this node after realtimeNodeSilenceSeconds.
    await this.#pool
      .run([
        { text: 'delete from node.bus_nodes where id = $1', params: [this.#id] },
        { text: 'select pg_catalog.pg_notify($1, $2)', params: [CHANNEL, `${this.#id} end`] },
      ])
      .catch(() => undefined);
    await Promise.all([this.#listener.end(), this.#pool.close()]);
  }

  /** Sends frames if another node runs. */
  #schedule(): void {
    if (this.#peers.size === 0) this.#topics.forgetChanges();
    else if (this.#isConnected) this.#batcher.schedule();
  }

  #connect(): void {
    this.#listener.start().catch((error: unknown) => {
      this.#setConnected(false, error);
      this.#scheduleBeat();
    });
  }

  /** Renews the row of this node, reads those of the others and deletes old ones. */
  async #beat(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const now = performance.now();
    const isLate = now - this.#beatAt > limits.realtimeNodeSilenceSeconds.default * 1000;
    this.#beatAt = now;
    try {
      const [, , , found] = await this.#pool.run(this.#heartbeat());
      if (!(await this.#listener.catchUp())) throw new Error('the listener does not receive notifications');
      if (this.#isClosed) return;
      // Frozen until now: the other nodes have voided what the workers of this node announced.
      if (isLate) this.#peers.allSeen(now);
      if (isLate && this.#isConnected) this.#handlers.onLost({ ref: '', topic: '' });
      this.#setConnected(this.#isListening, null);
      for (const { id } of found ? rowsAsText(found) : []) this.#seen(id ?? '');
      this.#peers.sweep(performance.now());
    } catch (error) {
      this.#setConnected(false, error);
    }
    this.#scheduleBeat();
  }

  #scheduleBeat(): void {
    if (this.#isClosed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isListening) void this.#beat();
      else this.#connect();
    }, HEARTBEAT_MILLISECONDS);
    this.#timer.unref();
  }

  #heartbeat(): Statement[] {
    const silence = String(limits.realtimeNodeSilenceSeconds.default);
    return [
      WITHOUT_DISK,
      {
        text: `insert into node.bus_nodes (id) values ($1)
          on conflict (id) do update set seen_at = pg_catalog.now()`,
        params: [this.#id],
        planKey: 'bus',
      },
      {
        text: `with old as (delete from node.bus_batches
            where created_at < pg_catalog.now() - pg_catalog.make_interval(secs => $1::int))
          delete from node.bus_nodes where seen_at < pg_catalog.now() - 4 * pg_catalog.make_interval(secs => $2::int)`,
        params: [String(BATCH_SECONDS), silence],
        planKey: 'bus',
      },
      {
        text: `select id from node.bus_nodes where id <> $1
          and seen_at > pg_catalog.now() - pg_catalog.make_interval(secs => $2::int)`,
        params: [this.#id, silence],
        planKey: 'bus',
      },
    ];
  }

  #setConnected(isConnected: boolean, error: unknown): void {
    if (this.#isClosed || this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    if (!isConnected) this.#queue.clear();
    if (isConnected) {
      // The other nodes did not see this node, or missed its messages.
      this.#peers.allSeen(performance.now());
      this.#topics.listAll();
      this.#queue.lose({ ref: '', topic: '' });
      this.#schedule();
    }
    this.#onState(isConnected ? null : error);
    this.#handlers.onConnected(isConnected);
  }

  #seen(node: string): void {
    if (!this.#peers.seen(node, performance.now())) return;
    this.#topics.listAll();
    this.#schedule();
  }

  async #send(batch: Buffer): Promise<void> {
    const text = batch.toString('base64');
    const isSmall = this.#id.length + 1 + text.length <= MAX_PAYLOAD_BYTES;
    const statement: Statement = isSmall
      ? { text: 'select pg_catalog.pg_notify($1, $2)', params: [CHANNEL, `${this.#id} ${text}`], planKey: 'bus' }
      : {
          text: `with b as (insert into node.bus_batches (node, batch) values ($2, $3) returning id)
            select pg_catalog.pg_notify($1, $2 || ' #' || id) from b`,
          params: [CHANNEL, this.#id, text],
          planKey: 'bus',
        };
    await this.#pool.run([WITHOUT_DISK, statement]).catch(() => {
      this.#topics.listAll();
      this.#queue.lose({ ref: '', topic: '' });
    });
  }

  #onNotification(payload: string): void {
    const [, node = '', content = ''] = /^([\w-]+) (.*)$/.exec(payload) ?? [];
    if (node === this.#id) return;
    if (content === '') {
      this.#malformed++;
      return;
    }
    const isInTable = content.startsWith('#');
    if (!isInTable && this.#unread === 0) {
      this.#receive(node, content);
      return;
    }
    if (this.#unread >= MAX_UNREAD) {
      this.#handlers.onLost({ ref: '', topic: '' });
      return;
    }
    // Batches are received in the order in which they were sent.
    this.#unread++;
    this.#reading = this.#reading.then(async () => {
      const text = isInTable ? await this.#readBatch(node, content.slice(1)) : content;
      this.#unread--;
      if (text === null) this.#handlers.onLost({ ref: '', topic: '' });
      else this.#receive(node, text);
    });
  }

  /** Reads a batch from the table. Returns null if it is missing. */
  async #readBatch(node: string, id: string): Promise<string | null> {
    if (!/^\d{1,18}$/.test(id)) return null;
    const read = this.#pool.run([
      {
        text: `select batch from node.bus_batches where id = $1::bigint and node = $2
          and pg_catalog.length(batch) <= $3::int`,
        params: [id, node, String(MAX_BATCH_CHARACTERS)],
        planKey: 'bus',
      },
    ]);
    return read.then(
      ([found]) => found?.rows[0]?.[0]?.toString('latin1') ?? null,
      () => null,
    );
  }

  #receive(node: string, content: string): void {
    if (this.#isClosed) return;
    if (content === 'end') {
      this.#peers.ended(node);
      return;
    }
    this.#seen(node);
    if (this.#peers.get(node) === undefined) {
      this.#malformed++;
      return;
    }
    const isComplete = readFrames(Buffer.from(content, 'base64'), (frame) => {
      if (!this.#onFrame(node, frame)) this.#malformed++;
    });
    if (!isComplete) this.#malformed++;
  }

  #onFrame(node: string, frame: Frame): boolean {
    if (frame.kind !== 'topics') return this.#peers.receive(node, frame);
    const peer = this.#peers.get(node);
    if (peer === undefined) return false;
    peer.topics ??= new TopicFilter();
    return peer.topics.apply(frame.body);
  }
}
