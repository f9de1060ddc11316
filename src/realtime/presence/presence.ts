import { AnnouncedEntries } from './announced-entries.ts';
import { Peers } from './peers.ts';
import { decodePresence, encodePresence, type PresenceEntry } from './presence-message.ts';

/** Changes of this time are sent together: to clients as one diff, to workers as one message. */
const COLLECT_MILLISECONDS = 100;
/** Several requests for all entries within this time get one answer. */
const ANSWER_MILLISECONDS = 10;
/** Interval of the signs of life of a worker that has entries. They also show others that they missed a message. */
const ALIVE_MILLISECONDS = 30_000;
/** Signs of life after the last entry, as the message that removed it may be lost. */
const ALIVE_WITHOUT_ENTRIES = 3;

/** Time and timers of presence. */
export interface Clock {
  /** Milliseconds, with fractions, that never go back. */
  now(): number;
  /** Runs `work` once after a time. Returns a function that cancels it. */
  after(milliseconds: number, work: () => void): () => void;
}

/** The clock of the process. Its timers do not keep the process alive. */
const processClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** The surroundings of the presence of one topic. */
export interface PresenceOptions {
  /** Id of this worker, as on the bus. */
  readonly peer: string;
  /** Sends a message of kind `presence` to the other workers that hold the topic. */
  publish(body: Uint8Array): void;
  /** Sends a `presence_diff` with this payload (JSON) to the channels of the topic in this worker. */
  announce(payload: string): void;
  readonly clock?: Clock;
}

/**
 * The presence of one topic in one worker: an add-wins set of the entries of all workers. It does no I/O. The caller
 * hands over the messages of the bus.
 */
export class Presence {
  readonly #peer: string;
  readonly #publish: (body: Uint8Array) => void;
  readonly #announce: (payload: string) => void;
  readonly #clock: Clock;
  readonly #announced = new AnnouncedEntries();
  readonly #peers: Peers;
  readonly #own = new Map<number, PresenceEntry>();
  /** Changes of own entries that other workers do not know. */
  readonly #added = new Set<number>();
  readonly #removed = new Set<number>();
  /** Waits for the first state, until other workers had time to send their entries. */
  #waiting: ((state: string) => void)[] | null = [];
  #size = 0;
  #bytes = 0;
  /** Number of the last version or entry. Begins at a time, so that a later object of the same worker has higher ones. */
  #last: number;
  #version: number;
  /** True if other workers may have entries of this worker. */
  #hasPublished = false;
  #silentAlive = 0;
  #cancelCollect: (() => void) | null = null;
  #cancelAnswer: (() => void) | null = null;
  #cancelAlive: () => void;

  constructor({ peer, publish, announce, clock = processClock }: PresenceOptions) {
    this.#peer = peer;
    this.#publish = publish;
    this.#announce = announce;
    this.#clock = clock;
    this.#last = Math.floor(clock.now() * 1000);
    this.#version = this.#next();
    this.#peers = new Peers({
      added: (from, entry) => this.#add(from, entry),
      removed: (from, entry) => this.#remove(from, entry),
    });
    this.#askAll();
    this.#collect();
    this.#cancelAlive = clock.after(ALIVE_MILLISECONDS, () => this.#showAlive());
  }

  /** Number of entries of all workers. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of the keys and objects of all entries, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Calls `use` with the payload of `presence_state` (JSON): at once, or when the other workers had time to answer. */
  whenReady(use: (state: string) => void): void {
    if (this.#waiting) this.#waiting.push(use);
    else use(this.#announced.state());
  }

  /**
   * Adds an entry of this worker.
   * @param meta The tracked object as JSON, without `phx_ref` and `phx_ref_prev`.
   * @param replaced Id of the entry that the new entry replaces.
   * @returns the id of the entry.
   */
  add(key: string, meta: string, replaced: number | null = null): number {
    const old = replaced === null ? undefined : this.#own.get(replaced);
    // Clients do not know an entry that is replaced before its diff. So its predecessor counts.
    const previous = old && this.#announced.isPending(this.#ref(this.#peer, old.id)) ? old.previous : (old?.id ?? 0);
    if (old) this.remove(old.id);
    const entry = { id: this.#next(), key, meta, previous };
    this.#own.set(entry.id, entry);
    this.#added.add(entry.id);
    this.#add(this.#peer, entry);
    return entry.id;
  }

  /** Removes an entry of this worker. */
  remove(id: number): void {
    const entry = this.#own.get(id);
    if (!entry) return;
    this.#own.delete(id);
    if (!this.#added.delete(id)) this.#removed.add(id);
    this.#remove(this.#peer, entry);
  }

  /**
   * Applies a message of another worker.
   * @throws RangeError for bytes that are no message.
   */
  receive(body: Uint8Array, from: string): void {
    if (from === this.#peer) return;
    const message = decodePresence(body);
    if (message.kind === 'request') {
      const isAsked = message.peer === this.#peer || (message.peer === '' && this.#hasPublished);
      if (isAsked) this.#answerSoon();
    } else if (!this.#peers.apply(from, message, this.#clock.now())) {
      this.#publish(encodePresence({ kind: 'request', peer: from }));
    }
  }

  /** Removes the entries of a worker that has ended. */
  onPeerLost(from: string): void {
    this.#peers.lose(from);
  }

  /** Exchanges all entries with the other workers after messages may have been lost. */
  onConnected(isConnected: boolean): void {
    if (!isConnected) return;
    this.#askAll();
    if (this.#hasPublished) this.#answerSoon();
  }

  /** Removes all own entries and stops. */
  close(): void {
    this.#cancelCollect?.();
    this.#cancelAnswer?.();
    this.#cancelAlive();
    this.#own.clear();
    if (this.#hasPublished) this.#publishAll(this.#next());
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #ref(peer: string, id: number): string {
    return `${peer}.${id.toString(36)}`;
  }

  #add(peer: string, entry: PresenceEntry): void {
    this.#size += 1;
    this.#bytes += entry.key.length + entry.meta.length;
    this.#announced.add(this.#announcedEntry(peer, entry));
    this.#collect();
  }

  #remove(peer: string, entry: PresenceEntry): void {
    this.#size -= 1;
    this.#bytes -= entry.key.length + entry.meta.length;
    this.#announced.remove(this.#announcedEntry(peer, entry));
    this.#collect();
  }

  #announcedEntry(peer: string, { id, key, meta, previous }: PresenceEntry) {
    const ref = this.#ref(peer, id);
    const refs = { phx_ref: ref, ...(previous !== 0 && { phx_ref_prev: this.#ref(peer, previous) }) };
    // The references stand first, and the tracked object has none, so clients read these.
    const json = `${JSON.stringify(refs).slice(0, -1)}${meta === '{}' ? '}' : `,${meta.slice(1)}`}`;
    return { ref, key, json };
  }

  #collect(): void {
    this.#cancelCollect ??= this.#clock.after(COLLECT_MILLISECONDS, () => {
      this.#cancelCollect = null;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#added.size + this.#removed.size > 0) this.#publishChanges();
    const diff = this.#announced.takeDiff();
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = null;
      const state = this.#announced.state();
      for (const use of waiting) use(state);
    } else if (diff !== null) {
      this.#announce(diff);
    }
  }

  #publishChanges(): void {
    // No worker knows the version before the first changes.
    if (!this.#hasPublished) {
      this.#publishAll(this.#next());
      return;
    }
    const base = this.#version;
    this.#version = this.#next();
    const added = [...this.#added].flatMap((id) => this.#own.get(id) ?? []);
    const removed = [...this.#removed];
    this.#publish(encodePresence({ kind: 'delta', base, version: this.#version, added, removed }));
    this.#forgetChanges();
  }

  #publishAll(version: number): void {
    this.#version = version;
    this.#hasPublished = true;
    this.#publish(encodePresence({ kind: 'full', version, entries: [...this.#own.values()] }));
    this.#forgetChanges();
  }

  #forgetChanges(): void {
    this.#added.clear();
    this.#removed.clear();
    this.#silentAlive = 0;
  }

  #askAll(): void {
    this.#publish(encodePresence({ kind: 'request', peer: '' }));
  }

  #answerSoon(): void {
    this.#cancelAnswer ??= this.#clock.after(ANSWER_MILLISECONDS, () => {
      this.#cancelAnswer = null;
      const isChanged = this.#added.size + this.#removed.size > 0;
      this.#publishAll(isChanged ? this.#next() : this.#version);
    });
  }

  #showAlive(): void {
    this.#cancelAlive = this.#clock.after(ALIVE_MILLISECONDS, () => this.#showAlive());
    this.#peers.loseSilent(this.#clock.now());
    if (!this.#hasPublished) return;
    if (this.#own.size > 0) this.#silentAlive = 0;
    else if (++this.#silentAlive > ALIVE_WITHOUT_ENTRIES) return;
    const version = this.#version;
    this.#publish(encodePresence({ kind: 'delta', base: version, version, added: [], removed: [] }));
  }
}
