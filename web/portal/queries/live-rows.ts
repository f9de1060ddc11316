import type { Query } from '@tanstack/react-query';
import { liveTopic, rowsAfter } from '../../rows/live-changes.ts';
import { type LiveChannel, LiveSocket, socketAddress } from '../../rows/live-socket.ts';
import { markChanged } from './changed-rows.ts';
import type { Portal } from './client.ts';
import { parseExactly, type Row, type Rows } from './rest.ts';
import { figuresKey } from './rows.ts';
import { orThrow, queryClient } from './session.ts';

/** Most reads that a page follows at the same time. The server accepts 30 for each socket. */
const MAX_FOLLOWED = 20;
/** Pause before the queries that a change makes old are read again, so that several changes take one request. */
const REREAD_MILLISECONDS = 1000;
/** Pause before the next look at whether held rows may be shown. */
const HELD_MILLISECONDS = 200;

/** A read that is followed, and its rows as far as they have arrived. */
interface Followed {
  readonly channel: LiveChannel;
  rows: readonly Row[] | null;
}

/** The socket of these pages, and the followed reads. */
export class LiveRows {
  readonly socket: LiveSocket;
  readonly #isHeld: () => boolean;
  readonly #followed = new Map<string, Followed>();
  readonly #held = new Set<string>();
  readonly #old = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reread: ReturnType<typeof setTimeout> | undefined;
  readonly #stops: (() => void)[];

  /** @param isHeld Returns true while the shown rows must stay as they are. */
  constructor({ app, auth }: Portal, isHeld: () => boolean) {
    this.#isHeld = isHeld;
    this.socket = new LiveSocket({
      url: socketAddress(''),
      apikey: app.publishable_key,
      token: async () => orThrow(await auth.getSession()).session?.access_token ?? null,
      parse: parseExactly,
    });
    const { data } = auth.onAuthStateChange((event, session) => {
      if (event === 'TOKEN_REFRESHED' && session) this.socket.renew(session.access_token);
      else if (event !== 'INITIAL_SESSION') this.socket.restart();
    });
    this.#stops = [
      () => data.subscription.unsubscribe(),
      queryClient.getQueryCache().subscribe(() => this.#schedule(0)),
    ];
    this.#schedule(0);
  }

  /** Returns true if the rows of a query arrive by themselves. */
  covers(query: Query): boolean {
    const reads = readsOf(query);
    return reads.length > 0 && reads.every(({ live }) => live != null && this.#followed.get(live)?.rows != null);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#timer);
    clearTimeout(this.#reread);
    this.#followed.clear();
    this.socket.close();
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sync(), milliseconds);
  }

  /** Joins the reads of the shown queries, leaves the others, and shows held rows. */
  #sync(): void {
    const topics = new Set(activeQueries().flatMap((query) => readsOf(query).flatMap(({ live }) => live ?? [])));
    const wanted = new Set([...topics].slice(0, MAX_FOLLOWED));
    for (const [topic, { channel }] of this.#followed) {
      if (wanted.has(topic)) continue;
      channel.leave();
      this.#followed.delete(topic);
    }
    for (const topic of wanted) if (!this.#followed.has(topic)) this.#follow(topic);
    if (this.#held.size === 0) return;
    if (this.#isHeld()) {
      this.#schedule(HELD_MILLISECONDS);
      return;
    }
    const held = [...this.#held];
    this.#held.clear();
    for (const topic of held) this.#show(topic);
  }

  /** @param read Schema and address, `Rows.live`. */
  #follow(read: string): void {
    const end = read.indexOf(' ');
    const topic = liveTopic(read.slice(end + 1), read.slice(0, end) || null);
    // A read that is too long for a topic is read at intervals.
    if (topic === null) return;
    const channel = this.socket.join(topic, {
      onJoined: (isJoined) => {
        const known = this.#followed.get(read);
        if (!isJoined && known) known.rows = null;
      },
      onMessage: (event, payload) => this.#receive(read, event, payload),
    });
    this.#followed.set(read, { channel, rows: null });
  }

  #receive(topic: string, event: string, payload: unknown): void {
    const known = this.#followed.get(topic);
    if (!known) return;
    known.rows = rowsAfter(known.rows, event, payload);
    if (this.#isHeld()) {
      this.#held.add(topic);
      this.#schedule(HELD_MILLISECONDS);
    } else {
      this.#show(topic);
    }
  }

  /** Puts the rows of a read into the queries that show it. */
  #show(topic: string): void {
    const rows = this.#followed.get(topic)?.rows;
    if (!rows) return;
    for (const query of activeQueries()) {
      const read = readsOf(query).find(({ live }) => live === topic);
      if (!read) continue;
      const isMoved = markChanged(read.rows, rows);
      const total = read.total === null ? null : Math.max(rows.length, read.total + rows.length - read.rows.length);
      queryClient.setQueryData(query.queryKey, withRead(query.state.data, topic, { rows, total, live: topic }));
      if (isMoved) this.#rereadRest(query);
    }
  }

  /**
   * Reads again what rows that were added or removed make old: the counts of the entity, the figures of a page, and the
   * further pages of a list, which begin after a row of the page before.
   */
  #rereadRest({ queryKey, state }: Query): void {
    const [, entity, kind] = queryKey;
    this.#old.add(JSON.stringify(['rows', entity, 'count']));
    this.#old.add(JSON.stringify(figuresKey));
    const hasPages = kind === 'page' || (kind === 'list' && readsIn(state.data).length > 1);
    if (hasPages) this.#old.add(JSON.stringify(queryKey.slice(0, 5)));
    clearTimeout(this.#reread);
    this.#reread = setTimeout(() => {
      const keys = [...this.#old];
      this.#old.clear();
      for (const key of keys) void queryClient.invalidateQueries({ queryKey: JSON.parse(key) });
    }, REREAD_MILLISECONDS);
  }
}

const activeQueries = (): Query[] =>
  queryClient.getQueryCache().findAll({ type: 'active', predicate: ({ meta }) => meta?.isFollowed !== undefined });

const readsOf = (query: Query): Rows[] => readsIn(query.state.data);

/** Returns the reads in the data of a query: one, or one for each page. */
function readsIn(data: unknown): Rows[] {
  if (typeof data !== 'object' || data === null) return [];
  if ('pages' in data && Array.isArray(data.pages)) return data.pages.flatMap(readsIn);
  return 'rows' in data && 'live' in data ? [data as Rows] : [];
}

function withRead(data: unknown, topic: string, read: Rows): unknown {
  if (typeof data !== 'object' || data === null) return data;
  if ('pages' in data && Array.isArray(data.pages)) {
    return { ...data, pages: data.pages.map((page) => withRead(page, topic, read)) };
  }
  return 'live' in data && data.live === topic ? read : data;
}
