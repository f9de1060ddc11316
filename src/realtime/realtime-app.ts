import { limits } from '../../contract/limits.ts';
import type { RealtimeSettings } from '../../contract/settings-realtime.ts';
import type { App, Notification } from '../apps/app.ts';
import { entityId } from '../catalog/names.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { ChannelEvent } from '../observe/events.ts';
import { AppSources, broadcastOf } from './app-sources.ts';
import type { Bus } from './bus/bus.ts';
import { type CallerParts, Callers } from './channels/callers.ts';
import { ChangeFrames } from './channels/change-frames.ts';
import { Channel, type ChannelHost } from './channels/channel.ts';
import { Connection, type ConnectionHost, type Join, reasonOf, type SocketCaller } from './channels/connection.ts';
import { followChanges } from './channels/follow-changes.ts';
import { SessionGate } from './channels/session-gate.ts';
import { Topic, type TopicName, topicKey } from './channels/topic.ts';
import { type LiveReads, liveRights } from './live/live-parts.ts';
import { isLiveTopic } from './live/live-topic.ts';
import { LiveChannels } from './live-channels.ts';
import type { PrivateChannels } from './messages/private-channels.ts';
import { parseReplay, replayMessages } from './messages/replay.ts';
import { AppTraffic } from './socket/app-traffic.ts';
import { type ClientSocket, closeCodes } from './socket/client-socket.ts';
import type { Broadcast, ClientMessage } from './socket/frames.ts';
import { OutgoingBroadcast } from './socket/outgoing.ts';
import { RatePerSecond } from './socket/rate.ts';
import { Delays } from './usage/delays.ts';
import { Rates } from './usage/rates.ts';
import { busiest, type RealtimeCounts, type WorkerUsage } from './usage/worker-usage.ts';

/** How often tokens, sockets and the proof of the listener are checked. */
const CHECK_MILLISECONDS = 250;
/** How often the sessions of builders are checked. They are not the app's, so no notification names them. */
const AUTHORISE_MILLISECONDS = 5000;
/** Longest wait of a join until messages of SQL and of the other workers are delivered. */
const FEED_MILLISECONDS = 1000;
/** Longest wait of a join until changes of rows are delivered. Clients give up a join after 10 seconds. */
const FOLLOW_MILLISECONDS = 5000;

/** The parts of a worker that the realtime of each app uses. */
export interface RealtimeParts extends Pick<CallerParts, 'identify'> {
  readonly bus: Bus;
  /**
   * Returns the app as it is now.
   * @throws NinefoldError app_unknown
   */
  readonly find: (ref: string) => Promise<App>;
  /** Creates the reads of the live lists of an app. */
  readonly liveReadsOf: (app: App) => LiveReads;
  /** Counts a refused channel, or one that follows a table. */
  readonly onChannel: (event: Omit<ChannelEvent, 'type'>) => void;
  /** Reports messages that could not be delivered. */
  readonly onGap: (ref: string, reason: string) => void;
}

/** The realtime of one app in one worker. It exists while the app has open sockets. */
export class RealtimeApp implements ConnectionHost, ChannelHost {
  readonly ref: string;
  readonly counts: RealtimeCounts = { sent: 0, dropped: 0, received: 0, joins: 0 };
  readonly traffic = new AppTraffic();
  readonly #parts: RealtimeParts;
  readonly #privateChannelsOf: (app: App) => PrivateChannels;
  readonly #onEmpty: () => void;
  readonly #connections = new Set<Connection>();
  readonly #topics = new Map<string, Topic>();
  readonly #callers: Callers;
  readonly #gate: SessionGate;
  readonly #frames = new ChangeFrames();
  readonly #live: LiveChannels;
  readonly #rates = new Rates();
  readonly #delays = new Delays();
  readonly #joins = new RatePerSecond();
  readonly #messages = new RatePerSecond();
  readonly #deliveries = new RatePerSecond();
  readonly #timer: NodeJS.Timeout;
  #app: App;
  #settings: RealtimeSettings;
  #sources: AppSources;
  #release: () => void = () => undefined;
  #isProving = false;
  /** True while sessions may have ended without a notification. */
  #mustVerify = false;
  /** Time at which the channels of builders were last authorised. */
  #authorisedAt = performance.now();

  constructor(
    app: App,
    settings: RealtimeSettings,
    parts: RealtimeParts,
    privateChannelsOf: (app: App) => PrivateChannels,
    onEmpty: () => void,
  ) {
    this.ref = app.ref;
    this.#parts = parts;
    this.#privateChannelsOf = privateChannelsOf;
    this.#onEmpty = onEmpty;
    this.#app = app;
    this.#settings = settings;
    this.#live = new LiveChannels(() => ({
      reads: parts.liveReadsOf(this.#app),
      touched: this.#sources.touched,
      takeDeliveries: (count) => this.#takeDeliveries(count),
      maxReads: () => this.#settings.realtime_live_reads,
    }));
    this.#callers = new Callers({
      app: () => this.#app,
      identify: parts.identify,
      rightsOn: (of, identity, topic) => privateChannelsOf(of).rightsOn(identity, topic),
      onRenewed: (channel) => this.#live.renew(channel),
    });
    this.#gate = new SessionGate(() => this.#app.isReady && !this.#mustVerify);
    this.#sources = this.#bind(app);
    this.#timer = setInterval(() => this.#check(), CHECK_MILLISECONDS);
    this.#timer.unref();
  }

  get sockets(): number {
    return this.#connections.size;
  }

  /** The usage in this worker. */
  get usage(): WorkerUsage {
    const topics = [...this.#topics.values()].map(({ name, isPrivate, size }) => ({
      ...{ topic: name, private: isPrivate, channels: size },
    }));
    return {
      sockets: this.sockets,
      channels: topics.reduce((sum, { channels }) => sum + channels, 0),
      topic_count: topics.length,
      topics: busiest(topics),
      growth: this.#rates.growth(performance.now(), this.counts),
      delays: this.#delays.recent(Date.now()),
    };
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
  add(socket: ClientSocket, caller: SocketCaller): void {
    const connection = new Connection(socket, caller, this);
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

  async join({ connection, topicName, topic, joinRef, options }: Join): Promise<Channel> {
    const { isPrivate, accessToken, replay } = options;
    if (this.#settings.realtime_private_only && !isPrivate) throw new NinefoldError('PrivateOnly');
    const replayed = replay && parseReplay(replay, isPrivate);
    const { ends } = this.#callers;
    const sources = this.#sources;
    const identity = await this.#callers.identify(connection, accessToken);
    const isLive = isPrivate && isLiveTopic(topic.name);
    const live = isLive ? await this.#live.open(topic.name, identity, connection.channels) : null;
    const rights = isLive ? liveRights(false) : isPrivate ? await this.#callers.rights(identity, topic.name) : null;
    if (isPrivate && !isLive) this.#sources.rights.start();
    const { socket } = connection;
    const own = this.#topicOf(topic);
    const parts = { socket, topicName, joinRef, options, topic: own, host: this, identity, rights, live };
    const channel = new Channel(parts);
    this.counts.joins++;
    this.#callers.add(channel, connection, accessToken);
    own.add(channel);
    try {
      if (options.changes.length > 0) channel.following = this.#followChanges(channel);
      await Promise.all([
        isLive ? null : this.#followMessages(channel, topic),
        channel.following && inTime(channel.following, FOLLOW_MILLISECONDS).catch((error) => this.#onUnfollowed(error)),
      ]);
      if (replayed) channel.replayed = await this.#replay(topic, replayed);
      // The session or the key may have ended before the channel was added, and the app may have been replaced.
      if (ends !== this.#callers.ends) await this.#callers.identify(connection, accessToken);
      if (sources !== this.#sources) throw new NinefoldError('RealtimeRestarting');
      return channel;
    } catch (error) {
      channel.leave();
      throw error;
    }
  }

  afterJoin(channel: Channel): void {
    const { presence } = channel.options;
    if (presence.isEnabled) channel.startPresence();
    this.#live.start(channel);
    for (const broadcast of channel.replayed) {
      channel.deliverBroadcast(new OutgoingBroadcast(channel.topicName, broadcast));
    }
    channel.following?.then(
      () => channel.systemIfOpen('postgres_changes', 'ok', 'Subscribed to PostgreSQL'),
      (error) => channel.systemIfOpen('postgres_changes', 'error', reasonOf(error)),
    );
  }

  renew(channel: Channel, token: string): Promise<void> {
    return this.#callers.renew(channel, token);
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
    this.#callers.remove(channel);
    const { topic } = channel;
    if (topic.size > 0 || this.#topics.get(topic.key) !== topic) return;
    topic.close();
    this.#topics.delete(topic.key);
  }

  onRefused({ caller }: Connection, error: unknown, milliseconds: number): void {
    this.#report({ call: null, error, milliseconds, userId: null, isByBuilder: caller.authorise !== null });
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.close();
  }

  /** Reads the rows that the API has just written. */
  poke(): void {
    this.#sources.poke();
  }

  /** Closes all sockets. */
  close(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#connections) socket.close(closeCodes.serviceRestart, 'The node stops.');
    this.#connections.clear();
    this.#live.close();
    this.#sources.close();
    this.#release();
    this.#onEmpty();
  }

  /** Follows the notifications of an app, which stays open as long as it has sockets, and reads its database. */
  #bind(app: App): AppSources {
    this.#release();
    const unsubscribe = app.subscribe((notification) => this.#onNotification(notification));
    const unhold = app.hold();
    this.#app = app;
    this.#release = () => {
      unsubscribe();
      unhold();
    };
    return new AppSources(app, {
      bus: this.#parts.bus,
      maxPayloadBytes: () => this.payloadBytes,
      deliver: (topic, broadcast) => this.deliver(topic, broadcast),
      onGap: (reason) => this.#parts.onGap(this.ref, reason),
      askRights: () => {
        // A cached decision can be as old as the last question.
        this.#privateChannelsOf(app).forget();
        return this.#callers.checkRights();
      },
    });
  }

  #onNotification(notification: Notification): void {
    switch (notification.type) {
      case 'session-revoked':
        this.#callers.endSessions(notification.ids);
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
        this.#sources.rights.onSchemaChange();
        this.#live.onSchemaChange();
        return;
      default:
        return;
    }
  }

  /** Ends what must end, and lets the app prove that no notification is missing. */
  #check(): void {
    const now = performance.now();
    this.#callers.endExpired(Date.now() / 1000);
    this.#rates.sample(now, this.counts);
    if (now - this.#authorisedAt > AUTHORISE_MILLISECONDS) {
      this.#authorisedAt = now;
      void this.#callers.verifyBuilders();
    }
    for (const connection of [...this.#connections]) {
      connection.socket.check(now);
      for (const channel of connection.channels) channel.sendPresenceState();
    }
    const sockets = [...this.#connections].map(({ socket }) => socket);
    for (const socket of this.traffic.excess(sockets)) {
      socket.cutOff(closeCodes.policyViolation, 'Too many messages of the app have not arrived completely.');
    }
    for (const channel of this.#gate.giveUp(now)) channel.end(new NinefoldError('RealtimeRestarting'), 'join again');
    this.#live.check(now);
    this.#sources.rights.askIfDue(now);
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

  async #verifyAll(): Promise<void> {
    const { realtime } = await this.#app.settings();
    this.#settings = realtime;
    this.#mustVerify = false;
    if (!(await this.#callers.verifyAll())) this.#mustVerify = true;
  }

  /** Uses the app with its new record. Its keys may have changed, so every caller is verified again. */
  async #replace(app: App): Promise<void> {
    const { realtime } = await app.settings();
    this.#settings = realtime;
    this.#live.close();
    this.#sources.close();
    this.#sources = this.#bind(app);
    this.#mustVerify = true;
    for (const connection of this.#connections) {
      for (const channel of [...connection.channels]) {
        if (channel.changes) channel.end(new NinefoldError('RealtimeRestarting'), 'join again');
        else if (!channel.live) void this.#followMessages(channel, channel.topic);
      }
    }
  }

  /**
   * Delivers the messages that SQL sends to the topic of a channel. Resolves when later messages of SQL and of the other
   * workers will arrive.
   */
  async #followMessages(channel: Channel, { name }: TopicName): Promise<void> {
    const { messages } = this.#sources;
    const end = messages.watch(name);
    channel.onLeave(end);
    await inTime(Promise.all([messages.ready(), this.#parts.bus.subscribed()]), FEED_MILLISECONDS);
  }

  async #replay({ name }: TopicName, request: ReturnType<typeof parseReplay>): Promise<Broadcast[]> {
    const messages = await replayMessages(this.#app.database, name, request, this.payloadBytes);
    return messages.flatMap((message) => broadcastOf(message, true) ?? []);
  }

  /** Resolves when every later change will be delivered. A refusal is reported with that of the join. */
  async #followChanges(channel: Channel): Promise<void> {
    const started = performance.now();
    const { changes } = channel.options;
    await followChanges(channel, { feed: this.#sources.changes, delays: this.#delays, frames: this.#frames });
    const { userId, source } = channel.identity;
    const milliseconds = performance.now() - started;
    const named = changes.filter(({ table }) => table !== '*').map(({ schema, table }) => entityId(schema, table));
    for (const entity of new Set(named)) {
      const call = `realtime.${entity}.changes`;
      this.#report({ call, error: null, milliseconds, userId, isByBuilder: source === 'builder' });
    }
  }

  /**
   * Handles changes that cannot be followed. As in Supabase Realtime, the channel is joined without them, so that its messages and presence
   * work, and the client receives the reason in a message of the service.
   */
  #onUnfollowed(error: unknown): void {
    if (!(error instanceof NinefoldError) || error.code !== 'RealtimeDisabledForConfiguration') throw error;
    this.#report({ call: null, error, milliseconds: 0, userId: null, isByBuilder: false });
  }

  /** Reports a refused channel, or one that follows a table. */
  #report({
    error,
    ...outcome
  }: { readonly error: unknown } & Pick<ChannelEvent, 'call' | 'milliseconds' | 'userId' | 'isByBuilder'>): void {
    const known = error instanceof NinefoldError ? error : null;
    const code = known?.code ?? (error === null ? null : 'internal');
    this.#parts.onChannel({ ...outcome, app: this.ref, at: Date.now(), code, limit: known?.limit ?? null });
  }

  #takeDeliveries(count: number): boolean {
    return this.#deliveries.take(count, limits.realtimeDeliveriesPerSecond.default, performance.now());
  }

  #topicOf(name: TopicName): Topic {
    const key = topicKey(name);
    const known = this.#topics.get(key);
    if (known) return known;
    const topic = new Topic(name, {
      ref: this.ref,
      bus: this.#parts.bus,
      takeDeliveries: (count) => this.#takeDeliveries(count),
    });
    this.#topics.set(key, topic);
    return topic;
  }
}

/** Resolves with the promise or after a time, whichever is first. */
async function inTime(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
