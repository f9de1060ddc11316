import { limits } from '../../contract/limits.ts';
import type { RealtimeSettings } from '../../contract/settings-realtime.ts';
import type { App, Notification } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { Bus } from './bus/bus.ts';
import type { ChangeFeed } from './changes/change-feed.ts';
import { ChangeFrames } from './channels/change-frames.ts';
import { Channel, type ChannelHost } from './channels/channel.ts';
import { Connection, type ConnectionHost, type Join } from './channels/connection.ts';
import { followChanges } from './channels/follow-changes.ts';
import { asRefusal, expiryOf, reasonOf, sessionEnded, tokenExpired } from './channels/refusals.ts';
import { SessionGate } from './channels/session-gate.ts';
import { Topic, type TopicName, topicKey } from './channels/topic.ts';
import type { LiveReads, TouchedTables } from './live/live-parts.ts';
import { isLiveTopic } from './live/live-topic.ts';
import { LiveChannels, liveRights } from './live-channels.ts';
import type { TopicRights } from './messages/private-channels.ts';
import { type ClientSocket, closeCodes } from './socket/client-socket.ts';
import type { Broadcast, ClientMessage } from './socket/frames.ts';
import { RatePerSecond } from './socket/rate.ts';

/** How often tokens, sockets and the proof of the listener are checked. */
const CHECK_MILLISECONDS = 250;
/** Tokens that are verified at the same time. */
const VERIFIED_TOGETHER = 16;

/** The parts of a worker that the realtime of each app uses. */
export interface RealtimeParts {
  readonly bus: Bus;
  /**
   * Returns the app as it is now.
   * @throws NinefoldError app_unknown
   */
  readonly find: (ref: string) => Promise<App>;
  /** Returns the caller of a key and a token. Throws the errors of `resolveIdentity`. */
  readonly identify: (app: App, headers: Readonly<Record<string, string | undefined>>) => Promise<Identity>;
  /** Creates the feed of changes of an app. */
  readonly changesOf: (app: App) => ChangeFeed;
  /** Creates the reads of the live lists of an app. */
  readonly liveReadsOf: (app: App) => LiveReads;
  /** Reports changes of tables of an app, for its live lists. */
  readonly touchedTablesOf: (app: App) => TouchedTables;
}

/** Returns what a caller may do on a private topic. Throws the errors of `PrivateChannels.rightsOn`. */
export type AskRights = (app: App, identity: Identity, topic: string) => Promise<TopicRights>;

/** The counts of an app in this worker that the page Realtime shows. */
export interface RealtimeCounts {
  sent: number;
  dropped: number;
  received: number;
  joins: number;
}

/** The realtime of one app in one worker. It exists while the app has open sockets. */
export class RealtimeApp implements ConnectionHost, ChannelHost {
  readonly ref: string;
  readonly counts: RealtimeCounts = { sent: 0, dropped: 0, received: 0, joins: 0 };
  readonly #parts: RealtimeParts;
  readonly #rightsOn: AskRights;
  readonly #onEmpty: () => void;
  readonly #connections = new Set<Connection>();
  readonly #topics = new Map<string, Topic>();
  readonly #ofSession = new Map<string, Set<Channel>>();
  readonly #tokens = new WeakMap<Channel, string | null>();
  readonly #connectionOf = new WeakMap<Channel, Connection>();
  readonly #gate: SessionGate;
  readonly #frames = new ChangeFrames();
  readonly #live: LiveChannels;
  readonly #joins = new RatePerSecond();
  readonly #messages = new RatePerSecond();
  readonly #deliveries = new RatePerSecond();
  readonly #timer: NodeJS.Timeout;
  #app: App;
  #settings: RealtimeSettings;
  #release: () => void = () => undefined;
  #changes: ChangeFeed | null = null;
  #isProving = false;
  /** Time at which the policies were last asked about all private channels. */
  #askedAt = performance.now();
  /** True while sessions may have ended without a notification. */
  #mustVerify = false;

  /** @param rightsOn Asks the policies on realtime.messages. */
  constructor(app: App, settings: RealtimeSettings, parts: RealtimeParts, rightsOn: AskRights, onEmpty: () => void) {
    this.#rightsOn = rightsOn;
    this.ref = app.ref;
    this.#parts = parts;
    this.#onEmpty = onEmpty;
    this.#app = app;
    this.#settings = settings;
    this.#gate = new SessionGate(() => this.#app.isReady && !this.#mustVerify);
    this.#live = new LiveChannels(() => ({
      reads: parts.liveReadsOf(this.#app),
      touched: parts.touchedTablesOf(this.#app),
      takeDeliveries: (count) => this.takeDeliveries(count),
      maxReads: () => this.#settings.realtime_live_reads,
    }));
    this.#bind(app);
    this.#timer = setInterval(() => this.#check(), CHECK_MILLISECONDS);
    this.#timer.unref();
  }

  get sockets(): number {
    return this.#connections.size;
  }

  get messagesPerSecond(): ConnectionHost['messagesPerSecond'] {
    const { realtime_socket_messages_per_second: socket, realtime_socket_bytes_per_second: bytes } = this.#settings;
    return { socket, bytes };
  }

  get maxChannels(): number {
    return this.#settings.realtime_channels;
  }

  get payloadBytes(): number {
    return this.#settings.realtime_payload_bytes;
  }

  /** Starts to serve a socket. */
  add(socket: ClientSocket, identity: Identity, apikey: string | undefined): void {
    const connection = new Connection(socket, identity, apikey, this);
    this.#connections.add(connection);
    connection.start();
  }

  takeMessage(now: number): boolean {
    this.counts.received++;
    return this.#messages.take(1, this.#settings.realtime_messages_per_second, now);
  }

  takeJoin(now: number): boolean {
    return this.#joins.take(1, this.#settings.realtime_joins_per_second, now);
  }

  /** Counts deliveries to the sockets of this worker. Returns false if they are too many. */
  takeDeliveries(count: number): boolean {
    return this.#deliveries.take(count, limits.realtimeDeliveriesPerSecond.default, performance.now());
  }

  async join({ connection, topicName, topic, joinRef, options }: Join): Promise<Channel> {
    const { isPrivate, accessToken } = options;
    if (this.#settings.realtime_private_only && !isPrivate) throw new NinefoldError('PrivateOnly');
    const identity = await this.#identify(connection, accessToken);
    const isLive = isPrivate && isLiveTopic(topic.name);
    const live = isLive ? await this.#live.open(topic.name, identity, connection.channels) : null;
    const readable = () => this.#readable(identity, topic.name, options.presence.isEnabled);
    const rights = isLive ? liveRights(false) : isPrivate ? await readable() : null;
    const channel = new Channel({
      socket: connection.socket,
      topicName,
      joinRef,
      options,
      topic: this.#topicOf(topic),
      host: this,
      identity,
      rights,
      live,
    });
    this.counts.joins++;
    this.#tokens.set(channel, accessToken);
    this.#connectionOf.set(channel, connection);
    this.#remember(channel);
    channel.topic.add(channel);
    return channel;
  }

  afterJoin(channel: Channel): void {
    const { changes, presence } = channel.options;
    if (presence.isEnabled) channel.startPresence();
    this.#live.start(channel);
    if (changes.length === 0) return;
    this.#changes ??= this.#parts.changesOf(this.#app);
    followChanges(channel, this.#changes, this.#frames);
  }

  async renew(channel: Channel, token: string): Promise<void> {
    const connection = this.#connectionOf.get(channel);
    if (!connection || token === this.#tokens.get(channel)) return;
    try {
      const identity = await this.#identify(connection, token);
      const { name } = this.#nameOf(channel);
      const asksPolicies = channel.rights !== null && channel.live === null;
      const rights = asksPolicies ? await this.#readable(identity, name, channel.options.presence.isEnabled) : null;
      if (channel.isEnded) return;
      this.#forget(channel);
      this.#tokens.set(channel, token);
      channel.identity = identity;
      if (rights) channel.rights = rights;
      this.#remember(channel);
      await this.#live.renew(channel, name, identity);
      channel.changes?.setIdentity(identity);
    } catch (error) {
      channel.end(asRefusal(error), error instanceof NinefoldError ? 'close' : 'join again');
    }
  }

  presence(channel: Channel, { ref, payload }: ClientMessage): void {
    try {
      channel.handlePresence(payload);
      channel.reply(ref, 'ok');
    } catch (error) {
      if (!(error instanceof NinefoldError)) throw error;
      if (error.code === 'ClientPresenceRateLimitReached') channel.end(error, 'join again');
      else channel.reply(ref, 'error', { reason: reasonOf(error) });
    }
  }

  deliverChecked(channel: Channel, deliver: () => void): void {
    this.#gate.pass(channel, deliver);
  }

  /** Sends a broadcast of the API or of SQL to the channels of this worker. */
  deliver(topic: TopicName, broadcast: Broadcast): void {
    this.#topics.get(topicKey(topic))?.deliver(broadcast);
  }

  onEnded(channel: Channel): void {
    this.#connectionOf.get(channel)?.remove(channel);
    this.#forget(channel);
    const { topic } = channel;
    if (topic.size > 0 || this.#topics.get(topic.key) !== topic) return;
    topic.close();
    this.#topics.delete(topic.key);
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.close();
  }

  /** Reads the rows that the API has just written. */
  poke(): void {
    this.#changes?.poke();
  }

  /** Closes all sockets. */
  close(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#connections) socket.close(closeCodes.serviceRestart, 'The node stops.');
    this.#connections.clear();
    this.#changes?.close();
    this.#live.close();
    this.#release();
    this.#onEmpty();
  }

  /** Follows the notifications of an app, which stays open as long as it has sockets. */
  #bind(app: App): void {
    this.#release();
    const unsubscribe = app.subscribe((notification) => this.#onNotification(notification));
    const unhold = app.hold();
    this.#app = app;
    this.#release = () => {
      unsubscribe();
      unhold();
    };
  }

  #onNotification(notification: Notification): void {
    switch (notification.type) {
      case 'session-revoked':
        for (const id of notification.ids) {
          for (const channel of [...(this.#ofSession.get(id) ?? [])]) channel.end(sessionEnded(), 'close');
        }
        return;
      case 'settings':
      case 'listening':
        this.#live.onSchemaChange();
        this.#mustVerify = true;
        void this.#prove();
        return;
      case 'sessions-revoked-all':
        this.#mustVerify = true;
        void this.#prove();
        return;
      case 'schema':
        this.#live.onSchemaChange();
        void this.#checkRights();
        return;
      default:
        return;
    }
  }

  /** Ends what must end, and lets the app prove that no notification is missing. */
  #check(): void {
    const now = performance.now();
    const seconds = Date.now() / 1000;
    for (const connection of [...this.#connections]) {
      connection.socket.check(now);
      for (const channel of [...connection.channels]) {
        if (expiryOf(channel.identity) <= seconds) channel.end(tokenExpired(), 'close');
        else channel.sendPresenceState();
      }
    }
    for (const channel of this.#gate.giveUp(now)) channel.end(new NinefoldError('RealtimeRestarting'), 'join again');
    if (now - this.#askedAt > limits.realtimeRightsSeconds.default * 1000) void this.#checkRights();
    this.#live.check(now);
    void this.#prove();
  }

  async #prove(): Promise<void> {
    if (this.#isProving) return;
    this.#isProving = true;
    try {
      const app = await this.#parts.find(this.ref);
      if (app !== this.#app) await this.#replace(app);
      await (app.isReady ? app.catchUp() : app.ready());
      if (this.#mustVerify) await this.#verifyAll();
      this.#gate.flush();
    } catch (error) {
      if (error instanceof NinefoldError && error.code === 'app_unknown') this.close();
    } finally {
      this.#isProving = false;
    }
  }

  /** Uses the app with its new record. Its keys may have changed, so every caller is verified again. */
  async #replace(app: App): Promise<void> {
    const { realtime } = await app.settings();
    this.#settings = realtime;
    this.#changes?.close();
    this.#changes = null;
    this.#live.close();
    this.#bind(app);
    this.#mustVerify = true;
    for (const channel of this.#allChannels()) {
      if (channel.changes) channel.end(new NinefoldError('RealtimeRestarting'), 'join again');
    }
  }

  /** Ends the channels whose key or token is not valid any more. */
  async #verifyAll(): Promise<void> {
    const { realtime } = await this.#app.settings();
    this.#settings = realtime;
    this.#mustVerify = false;
    const byCaller = new Map<string, Channel[]>();
    for (const channel of this.#allChannels()) {
      const key = JSON.stringify([this.#connectionOf.get(channel)?.apikey, this.#tokens.get(channel)]);
      byCaller.set(key, [...(byCaller.get(key) ?? []), channel]);
    }
    const callers = [...byCaller.values()];
    const work = async () => {
      for (let channels = callers.pop(); channels; channels = callers.pop()) await this.#verify(channels);
    };
    await Promise.all(Array.from({ length: VERIFIED_TOGETHER }, work));
  }

  async #verify(channels: readonly Channel[]): Promise<void> {
    const [first] = channels;
    const connection = first && this.#connectionOf.get(first);
    if (!first || !connection) return;
    try {
      await this.#identify(connection, this.#tokens.get(first) ?? null);
    } catch (error) {
      if (!(error instanceof NinefoldError)) {
        this.#mustVerify = true;
        return;
      }
      for (const channel of channels) channel.end(asRefusal(error), 'close');
    }
  }

  /** Asks the policies again about every private channel. */
  async #checkRights(): Promise<void> {
    this.#askedAt = performance.now();
    for (const channel of this.#allChannels()) {
      if (channel.rights === null || channel.live !== null || channel.isEnded) continue;
      try {
        const { name } = this.#nameOf(channel);
        channel.rights = await this.#readable(channel.identity, name, channel.options.presence.isEnabled);
      } catch (error) {
        channel.end(asRefusal(error), error instanceof NinefoldError ? 'close' : 'join again');
      }
    }
  }

  *#allChannels(): Iterable<Channel> {
    for (const connection of [...this.#connections]) yield* [...connection.channels];
  }

  /**
   * Returns the caller of a channel: the token of the join, or the key of the socket.
   * @throws NinefoldError InvalidJWTToken, and the errors of `resolveIdentity`
   */
  async #identify(connection: Connection, token: string | null): Promise<Identity> {
    if (connection.identity.source === 'builder') return connection.identity;
    const { apikey } = connection;
    const authorization = token === null ? undefined : `Bearer ${token}`;
    const identity = await this.#parts.identify(this.#app, { apikey, authorization }).catch((error: unknown) => {
      throw asRefusal(error);
    });
    if (expiryOf(identity) <= Date.now() / 1000) throw tokenExpired();
    return identity;
  }

  /**
   * Returns the rights of a caller on a private topic.
   * @throws NinefoldError Unauthorized if the caller may read nothing of it
   */
  async #readable(identity: Identity, topic: string, wantsPresence: boolean): Promise<TopicRights> {
    const rights = await this.#rightsOn(this.#app, identity, topic);
    if (rights.broadcast.read || (wantsPresence && rights.presence.read)) return rights;
    throw new NinefoldError('Unauthorized', {
      message: `You do not have permissions to read from this Channel topic: ${topic}`,
    });
  }

  #topicOf(name: TopicName): Topic {
    const key = topicKey(name);
    const known = this.#topics.get(key);
    if (known) return known;
    const topic = new Topic(name, {
      ref: this.ref,
      bus: this.#parts.bus,
      takeDeliveries: (count) => this.takeDeliveries(count),
    });
    this.#topics.set(key, topic);
    return topic;
  }

  #nameOf(channel: Channel): TopicName {
    return { name: channel.topicName.slice('realtime:'.length), isPrivate: channel.topic.isPrivate };
  }

  #remember(channel: Channel): void {
    const { sessionId } = channel.identity;
    if (sessionId === null) return;
    const channels = this.#ofSession.get(sessionId) ?? new Set();
    this.#ofSession.set(sessionId, channels.add(channel));
  }

  #forget(channel: Channel): void {
    const { sessionId } = channel.identity;
    if (sessionId === null) return;
    const channels = this.#ofSession.get(sessionId);
    if (channels?.delete(channel) && channels.size === 0) this.#ofSession.delete(sessionId);
  }
}
