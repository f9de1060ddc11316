/** Pauses before the socket is opened again, in milliseconds. The last one repeats. */
const REOPEN = [1000, 2000, 5000, 10_000, 30_000];
/** Pauses before a channel that has ended is joined again, in milliseconds. The last one repeats. */
const REJOIN = [500, 2000, 10_000, 60_000];
/** Time between two heartbeats. Without a reply to one before the next one, the socket is opened again. */
const HEARTBEAT_MILLISECONDS = 25_000;
/** Time without a channel, or in a hidden tab, after which the socket is closed. */
const UNUSED_MILLISECONDS = 10_000;
const HIDDEN_MILLISECONDS = 300_000;

/**
 * Returns the address of a realtime socket on the origin of this page, without parameters.
 * @param base Path before /realtime/v1; empty for the app of the origin.
 */
export const socketAddress = (base: string): string =>
  `${location.origin.replace(/^http/, 'ws')}${base}/realtime/v1/websocket`;

/** The entries of a presence by their keys. */
export type PresenceState = Readonly<
  Record<string, { readonly metas: readonly (Readonly<Record<string, unknown>> & { readonly phx_ref: string })[] }>
>;

/** Receives what happens on a channel. */
export interface ChannelEvents {
  /** An event of the service: `page` or `changes`. */
  onMessage?(event: string, payload: unknown): void;
  /** True while the channel is joined. */
  onJoined?(isJoined: boolean): void;
  onPresence?(state: PresenceState): void;
}

/** A joined topic. */
export interface LiveChannel {
  /** Shows this client to the others of the channel. Call it seldom: the server accepts five calls in 30 seconds. */
  track(meta: Readonly<Record<string, unknown>>): void;
  leave(): void;
}

/** The surroundings of a socket. */
export interface LiveSocketParts {
  /** Result of `socketAddress`. */
  readonly url: string;
  /** The key of the app; null for a builder, whom the cookie identifies. */
  readonly apikey: string | null;
  /** Returns the access token; null for a caller without one. */
  readonly token: () => Promise<string | null>;
  /** Parses a message. */
  readonly parse: (text: string) => unknown;
}

interface Topic {
  readonly topic: string;
  readonly events: ChannelEvents;
  readonly presenceKey: string | null;
  joinRef: string | null;
  isJoined: boolean;
  failures: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  presence: PresenceState;
  meta: Readonly<Record<string, unknown>> | null;
}

interface Message {
  readonly topic: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly ref: string | null;
  readonly join_ref?: string | null;
}

/** A socket of /realtime/v1 that joins live lists. It opens with the first channel and opens again after it was lost. */
export class LiveSocket {
  readonly #parts: LiveSocketParts;
  readonly #topics = new Map<string, Topic>();
  #ws: WebSocket | null = null;
  #ref = 0;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #isBeating = false;
  #hidden: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;
  readonly #listening = new AbortController();

  constructor(parts: LiveSocketParts) {
    this.#parts = parts;
    const { signal } = this.#listening;
    document.addEventListener('visibilitychange', () => this.#onVisibility(), { signal });
    addEventListener('online', () => this.#open(), { signal });
    addEventListener('offline', () => this.#ws?.close(), { signal });
  }

  /**
   * Joins a topic. One topic is joined once at a time.
   * @param presenceKey Key of this client in the presence of the channel; null without presence.
   */
  join(topic: string, events: ChannelEvents, presenceKey: string | null = null): LiveChannel {
    const joined: Topic = {
      topic: `realtime:${topic}`,
      events,
      presenceKey,
      joinRef: null,
      isJoined: false,
      failures: 0,
      timer: undefined,
      presence: {},
      meta: null,
    };
    this.#topics.set(joined.topic, joined);
    if (this.#ws?.readyState === WebSocket.OPEN) void this.#join(joined);
    else this.#open();
    return {
      track: (meta) => {
        joined.meta = meta;
        if (joined.isJoined) this.#track(joined);
      },
      leave: () => this.#leave(joined),
    };
  }

  /** Uses a renewed access token for all channels. */
  renew(token: string): void {
    for (const { topic, isJoined } of this.#topics.values()) {
      if (isJoined) this.#send(topic, 'access_token', { access_token: token });
    }
  }

  /** Joins all channels again, because the caller is another one. */
  restart(): void {
    this.#ws?.close();
    this.#failures = 0;
    this.#schedule(0);
  }

  /** Closes the socket for good. */
  close(): void {
    this.#listening.abort();
    this.#isPaused = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#hidden);
    this.#ws?.close();
  }

  #open(): void {
    clearTimeout(this.#timer);
    const isOpen = this.#ws !== null && this.#ws.readyState <= WebSocket.OPEN;
    if (isOpen || this.#topics.size === 0 || this.#isPaused || !navigator.onLine) return;
    const key = this.#parts.apikey === null ? '' : `apikey=${encodeURIComponent(this.#parts.apikey)}&`;
    const ws = new WebSocket(`${this.#parts.url}?${key}vsn=1.0.0`);
    this.#ws = ws;
    ws.onopen = () => {
      this.#isBeating = false;
      this.#heartbeat = setInterval(() => this.#beat(ws), HEARTBEAT_MILLISECONDS);
      for (const topic of this.#topics.values()) void this.#join(topic);
    };
    ws.onmessage = ({ data }) => this.#receive(this.#parts.parse(String(data)) as Message);
    ws.onclose = () => {
      if (this.#ws !== ws) return;
      this.#ws = null;
      clearInterval(this.#heartbeat);
      for (const topic of this.#topics.values()) this.#setJoined(topic, false);
      this.#schedule(REOPEN[Math.min(this.#failures, REOPEN.length - 1)] ?? 0);
      this.#failures++;
    };
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    // Clients that lost the same server do not come back at the same moment.
    this.#timer = setTimeout(() => this.#open(), milliseconds * (0.5 + Math.random()));
  }

  #beat(ws: WebSocket): void {
    if (this.#isBeating) {
      ws.close();
      return;
    }
    this.#isBeating = true;
    this.#send('phoenix', 'heartbeat', {});
  }

  #send(topic: string, event: string, payload: object, joinRef: string | null = null): string {
    this.#ref++;
    const ref = String(this.#ref);
    if (this.#ws?.readyState !== WebSocket.OPEN) return ref;
    this.#ws.send(JSON.stringify({ topic, event, payload, ref, join_ref: joinRef ?? ref }));
    return ref;
  }

  async #join(topic: Topic): Promise<void> {
    const token = await this.#parts.token().catch(() => null);
    if (this.#topics.get(topic.topic) !== topic) return;
    const presence = { enabled: topic.presenceKey !== null, key: topic.presenceKey ?? '' };
    topic.joinRef = this.#send(topic.topic, 'phx_join', {
      config: { private: true, broadcast: { ack: false, self: false }, presence, postgres_changes: [] },
      ...(token !== null && { access_token: token }),
    });
  }

  #receive({ topic: name, event, payload, ref, join_ref: joinRef = null }: Message): void {
    if (name === 'phoenix') {
      this.#isBeating = false;
      return;
    }
    const topic = this.#topics.get(name);
    // A message about an earlier join of the topic is void.
    if (!topic || (joinRef !== null && joinRef !== topic.joinRef)) return;
    switch (event) {
      case 'phx_reply':
        if (ref === topic.joinRef) this.#onJoinReply(topic, payload.status === 'ok');
        return;
      case 'broadcast':
        topic.failures = 0;
        topic.events.onMessage?.(String(payload.event), payload.payload);
        return;
      case 'presence_state':
        this.#setPresence(topic, payload as PresenceState);
        return;
      case 'presence_diff':
        this.#setPresence(topic, afterDiff(topic.presence, payload as unknown as PresenceDiff));
        return;
      case 'phx_error':
      case 'phx_close':
        this.#rejoin(topic);
        return;
    }
  }

  #onJoinReply(topic: Topic, isJoined: boolean): void {
    if (!isJoined) {
      this.#rejoin(topic);
      return;
    }
    this.#failures = 0;
    this.#setJoined(topic, true);
    if (topic.meta) this.#track(topic);
  }

  #rejoin(topic: Topic): void {
    this.#setJoined(topic, false);
    const pause = REJOIN[Math.min(topic.failures, REJOIN.length - 1)];
    topic.failures++;
    clearTimeout(topic.timer);
    topic.timer = setTimeout(() => {
      if (this.#ws?.readyState === WebSocket.OPEN) void this.#join(topic);
    }, pause);
  }

  #setJoined(topic: Topic, isJoined: boolean): void {
    if (!isJoined) this.#setPresence(topic, {});
    if (topic.isJoined === isJoined) return;
    topic.isJoined = isJoined;
    topic.events.onJoined?.(isJoined);
  }

  #setPresence(topic: Topic, state: PresenceState): void {
    topic.presence = state;
    topic.events.onPresence?.(state);
  }

  #track({ topic, meta, joinRef }: Topic): void {
    this.#send(topic, 'presence', { type: 'presence', event: 'track', payload: meta }, joinRef);
  }

  #leave(topic: Topic): void {
    clearTimeout(topic.timer);
    if (this.#topics.get(topic.topic) !== topic) return;
    this.#topics.delete(topic.topic);
    this.#send(topic.topic, 'phx_leave', {}, topic.joinRef);
    if (this.#topics.size > 0) return;
    setTimeout(() => {
      if (this.#topics.size === 0) this.#ws?.close();
    }, UNUSED_MILLISECONDS);
  }

  #onVisibility(): void {
    clearTimeout(this.#hidden);
    if (document.hidden) {
      this.#hidden = setTimeout(() => {
        this.#isPaused = true;
        this.#ws?.close();
      }, HIDDEN_MILLISECONDS);
      return;
    }
    this.#isPaused = false;
    this.#failures = 0;
    this.#open();
  }
}

interface PresenceDiff {
  readonly joins: PresenceState;
  readonly leaves: PresenceState;
}

/** Returns the state of a presence after a diff. */
function afterDiff(state: PresenceState, { joins, leaves }: PresenceDiff): PresenceState {
  const next: Record<string, PresenceState[string]> = { ...state };
  for (const [key, { metas }] of Object.entries(joins)) {
    const gone = new Set(metas.map(({ phx_ref }) => phx_ref));
    const kept = (next[key]?.metas ?? []).filter(({ phx_ref }) => !gone.has(phx_ref));
    next[key] = { metas: [...kept, ...metas] };
  }
  for (const [key, { metas }] of Object.entries(leaves)) {
    const gone = new Set(metas.map(({ phx_ref }) => phx_ref));
    const kept = (next[key]?.metas ?? []).filter(({ phx_ref }) => !gone.has(phx_ref));
    if (kept.length > 0) next[key] = { metas: kept };
    else delete next[key];
  }
  return next;
}
