import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { limits } from '../../contract/limits.ts';
import type { RealtimeUsage } from '../../contract/realtime.ts';
import type { App } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { WriteNotices } from './app-sources.ts';
import type { SocketCaller } from './channels/connection.ts';
import { publishBroadcast, type TopicName, topicKey } from './channels/topic.ts';
import { PrivateChannels, type TopicRights } from './messages/private-channels.ts';
import { RealtimeApp, type RealtimeParts } from './realtime-app.ts';
import { ClientSocket } from './socket/client-socket.ts';
import type { Broadcast, Version } from './socket/frames.ts';
import { RatePerSecond } from './socket/rate.ts';
import { UsageExchange } from './usage/usage-exchange.ts';

/** Bytes of a message in addition to its payload. */
const ENVELOPE_BYTES = 16 * 1024;
const STEP_BYTES = 64 * 1024;
/** Time that a client has to answer a close frame. */
const CLOSE_MILLISECONDS = 2000;

/** A request for a socket. */
export interface SocketRequest {
  readonly request: IncomingMessage;
  readonly stream: Socket;
  /** Bytes that arrived after the headers. */
  readonly head: Buffer;
  readonly version: Version;
  readonly caller: SocketCaller;
}

/** The parts of an app that exist without a socket. */
interface AppParts {
  readonly privateChannels: PrivateChannels;
  /** Messages that the API sends. */
  readonly apiMessages: RatePerSecond;
}

/** The realtime of all apps in one worker. */
export class Realtime {
  readonly #parts: RealtimeParts;
  readonly #apps = new Map<string, RealtimeApp>();
  readonly #servers = new Map<number, WebSocketServer>();
  readonly #ofApp = new WeakMap<App, AppParts>();
  #isClosing = false;

  readonly #notices: WriteNotices;
  readonly #usage: UsageExchange;

  constructor(parts: RealtimeParts) {
    this.#parts = parts;
    this.#notices = new WriteNotices(parts.bus);
    this.#usage = new UsageExchange(parts.bus, (ref) => this.#apps.get(ref)?.usage ?? null);
  }

  /** Reads what the API of this worker has just written to an app, and lets the other workers read it. */
  onWrite(ref: string): void {
    this.#apps.get(ref)?.poke();
    this.#notices.tell(ref);
  }

  /** Returns the usage of an app in all workers. */
  usageOf(ref: string): Promise<RealtimeUsage> {
    return this.#usage.of(ref);
  }

  /**
   * Opens a socket.
   * @throws NinefoldError ConnectionRateLimitReached, RealtimeRestarting
   */
  async open(app: App, { request, stream, head, version, caller }: SocketRequest): Promise<void> {
    const { realtime: settings } = await app.settings();
    const own = this.#apps.get(app.ref)?.sockets ?? 0;
    const all = [...this.#apps.values()].reduce((sum, { sockets }) => sum + sockets, 0);
    const max = limits.realtimeNodeSockets.default;
    if (this.#isClosing) throw new NinefoldError('RealtimeRestarting');
    if (own >= Math.min(settings.realtime_sockets, max / 2) || all >= max) {
      throw new NinefoldError('ConnectionRateLimitReached');
    }
    this.#server(settings.realtime_payload_bytes + ENVELOPE_BYTES).handleUpgrade(request, stream, head, (ws) => {
      const realtime = this.#appOf(app, settings);
      realtime.add(new ClientSocket(ws, stream, version, realtime.counts, realtime.traffic), caller);
    });
  }

  /** Returns what a caller may do on a private topic. Throws the errors of `PrivateChannels.rightsOn`. */
  rightsOn(app: App, identity: Identity, topic: string): Promise<TopicRights> {
    return this.#partsOf(app).privateChannels.rightsOn(identity, topic);
  }

  #partsOf(app: App): AppParts {
    const known = this.#ofApp.get(app);
    if (known) return known;
    const privateChannels = new PrivateChannels(app.database);
    const created = { privateChannels, apiMessages: new RatePerSecond() };
    this.#ofApp.set(app, created);
    app.subscribe(({ type }) => {
      if (type === 'schema' || type === 'listening' || type === 'disconnected') privateChannels.forget();
    });
    return created;
  }

  /** Counts messages that the API sends for an app. Returns false if they are too many in this second. */
  async takeMessages(app: App, count: number): Promise<boolean> {
    const { realtime } = await app.settings();
    const counts = this.#apps.get(app.ref)?.counts;
    if (counts) counts.received += count;
    return this.#partsOf(app).apiMessages.take(count, realtime.realtime_messages_per_second, performance.now());
  }

  /** Sends a broadcast to the channels of a topic in all workers. */
  broadcast(ref: string, topic: TopicName, broadcast: Broadcast): void {
    this.#apps.get(ref)?.deliver(topic, broadcast);
    publishBroadcast(this.#parts.bus, ref, topicKey(topic), broadcast);
  }

  /** Closes all sockets. Clients join again at another worker or node. */
  close(): void {
    this.#isClosing = true;
    this.#usage.close();
    for (const app of [...this.#apps.values()]) app.close();
  }

  #appOf(app: App, settings: ConstructorParameters<typeof RealtimeApp>[1]): RealtimeApp {
    const known = this.#apps.get(app.ref);
    if (known) return known;
    const realtime: RealtimeApp = new RealtimeApp(
      app,
      settings,
      this.#parts,
      (app) => this.#partsOf(app).privateChannels,
      () => {
        if (this.#apps.get(app.ref) === realtime) this.#apps.delete(app.ref);
      },
    );
    this.#apps.set(app.ref, realtime);
    return realtime;
  }

  /** Returns the part of `ws` that reads messages up to a length. Lengths are rounded up, so few of them occur. */
  #server(bytes: number): WebSocketServer {
    const maxPayload = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
    const known = this.#servers.get(maxPayload);
    if (known) return known;
    // The types of `ws` lack closeTimeout.
    const times = { closeTimeout: CLOSE_MILLISECONDS };
    const server = new WebSocketServer({
      ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false, maxPayload, ...times },
    });
    this.#servers.set(maxPayload, server);
    return server;
  }
}
