import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { LiveReadError } from '../live/live-parts.ts';
import { isLiveTopic } from '../live/live-topic.ts';
import { type ClientSocket, closeCodes } from '../socket/client-socket.ts';
import type { ClientMessage } from '../socket/frames.ts';
import { RatePerSecond } from '../socket/rate.ts';
import { type Channel, replyTo, wordsOf } from './channel.ts';
import { type JoinOptions, readJoin } from './join-payload.ts';
import type { TopicName } from './topic.ts';

/** Prefix of every topic of a client. */
const PREFIX = 'realtime:';
/** A socket that sends this many times more than its limit in a second is closed. */
const FLOOD_FACTOR = 10;

/** The caller of a socket, whose joins may carry a token. */
export interface SocketCaller {
  /** The API key of the URL; undefined without one. */
  readonly apikey: string | undefined;
  /**
   * Authorises a builder and returns the identity of a channel. Null for all other callers.
   * @param as The token of the join, which names whom the builder acts as; null for the service role.
   */
  readonly authorise: ((as: string | null) => Promise<Identity>) | null;
}

/** A join that has passed the checks which need no database. */
export interface Join {
  readonly connection: Connection;
  readonly topicName: string;
  readonly topic: TopicName;
  readonly joinRef: string | null;
  readonly options: JoinOptions;
}

/** The services of an app that a connection uses. */
export interface ConnectionHost {
  readonly messagesPerSecond: { readonly socket: number; readonly bytes: number };
  readonly maxChannels: number;
  readonly payloadBytes: number;
  /** Counts a message of a client. Returns false if the app sends too many. */
  takeMessage(now: number): boolean;
  /** Counts a join. Returns false if the app joins too often. */
  takeJoin(now: number): boolean;
  /**
   * Joins a channel.
   * @throws NinefoldError for the reason of a refusal
   */
  join(join: Join): Promise<Channel>;
  /**
   * Sends what follows the reply to a join.
   */
  afterJoin(channel: Channel): void;
  /** Uses another access token for a channel; ends the channel if the token is not valid. */
  renew(channel: Channel, token: string): Promise<void>;
  /** Handles a message of presence. Replies to it. */
  presence(channel: Channel, message: ClientMessage): void;
  /** Counts a refused join. */
  onRefused(connection: Connection, error: unknown, milliseconds: number): void;
  onClosed(connection: Connection): void;
}

/** One socket with its channels. */
export class Connection {
  readonly socket: ClientSocket;
  readonly caller: SocketCaller;
  readonly #host: ConnectionHost;
  readonly #channels = new Map<string, Channel>();
  /** Topics whose joins are not decided, with the last message about them. */
  readonly #joining = new Map<string, object>();
  readonly #messages = new RatePerSecond();
  readonly #bytes = new RatePerSecond();

  constructor(socket: ClientSocket, caller: SocketCaller, host: ConnectionHost) {
    this.socket = socket;
    this.caller = caller;
    this.#host = host;
  }

  get channels(): Iterable<Channel> {
    return this.#channels.values();
  }

  /** Starts to handle the messages of the client. */
  start(): void {
    this.socket.start({
      onMessage: (message, bytes) => this.#receive(message, bytes),
      onClose: () => {
        for (const channel of [...this.#channels.values()]) channel.leave();
        this.#joining.clear();
        this.#host.onClosed(this);
      },
    });
  }

  /** Forgets a channel that has ended. */
  remove(channel: Channel): void {
    if (this.#channels.get(channel.topicName) === channel) this.#channels.delete(channel.topicName);
  }

  #receive(message: ClientMessage, bytes: number): void {
    const { topic, event, ref, joinRef } = message;
    const now = performance.now();
    const isWithin = this.#isWithinRates(bytes, now);
    if (topic === 'phoenix' && event === 'heartbeat') {
      replyTo(this.socket, message, 'ok');
      return;
    }
    const channel = this.#channels.get(topic);
    if (event === 'phx_join') {
      void this.#join(message, isWithin && this.#host.takeJoin(now));
      return;
    }
    if (event === 'phx_leave') {
      this.#joining.delete(topic);
      channel?.leave();
      replyTo(this.socket, message, 'ok');
      this.socket.sendMessage({ joinRef: channel?.joinRef ?? joinRef, topic, event: 'phx_close', payload: '{}' });
      return;
    }
    // A message of an earlier join of the same topic is void.
    if (!channel || (joinRef !== null && joinRef !== channel.joinRef)) {
      if (ref !== null) replyTo(this.socket, message, 'error', { reason: 'unmatched topic' });
      return;
    }
    if (!isWithin || !this.#host.takeMessage(now)) {
      channel.end(new NinefoldError('MessagePerSecondRateLimitReached'), 'join again');
      return;
    }
    this.#handle(channel, message);
  }

  #handle(channel: Channel, message: ClientMessage): void {
    const { event, payload, broadcast } = message;
    if (broadcast) this.#broadcast(channel, message);
    else if (event === 'presence') this.#host.presence(channel, message);
    else if (event === 'access_token') {
      const token = payload.access_token;
      if (typeof token === 'string') void this.#host.renew(channel, token);
    }
  }

  #broadcast(channel: Channel, { broadcast, ref }: ClientMessage): void {
    if (!broadcast) return;
    const isTooLarge = broadcast.payload.length > this.#host.payloadBytes;
    const mayWrite = channel.rights?.broadcast.write ?? true;
    const isNamed = broadcast.event.length <= limits.realtimeTopicCharacters.default;
    const sent = !isTooLarge && mayWrite && isNamed && channel.topic.broadcast(broadcast, channel);
    if (!channel.options.acknowledges) return;
    if (sent) channel.reply(ref, 'ok');
    else channel.reply(ref, 'error', { reason: refusalOf(isTooLarge, mayWrite, isNamed) });
  }

  /** Counts a message of the socket. Returns false above the limits, and closes the socket far above them. */
  #isWithinRates(bytes: number, now: number): boolean {
    const { socket, bytes: maxBytes } = this.#host.messagesPerSecond;
    const isWithin = this.#messages.take(1, socket, now) && this.#bytes.take(bytes, maxBytes, now);
    if (!isWithin && this.#messages.count > socket * FLOOD_FACTOR) {
      this.socket.close(closeCodes.policyViolation, 'MessagePerSecondRateLimitReached: Too many messages per second');
    }
    return isWithin;
  }

  async #join(message: ClientMessage, isWithinRates: boolean): Promise<void> {
    const { topic: topicName, ref } = message;
    const joinRef = message.joinRef ?? ref;
    const to = { joinRef, ref, topic: topicName };
    // A second join of a topic takes the place of the first.
    const attempt = {};
    const started = performance.now();
    this.#joining.set(topicName, attempt);
    try {
      if (!isWithinRates) throw new NinefoldError('ClientJoinRateLimitReached');
      const options = readJoin(message.payload);
      const { channels, topic } = this.#checked(topicName, options.isPrivate);
      if (channels >= this.#host.maxChannels) throw new NinefoldError('ChannelRateLimitReached');
      const channel = await this.#host.join({
        connection: this,
        topicName,
        topic: { ...topic, isPrivate: options.isPrivate },
        joinRef,
        options,
      });
      if (this.socket.isClosed || this.#joining.get(topicName) !== attempt) {
        channel.leave();
        return;
      }
      // Its session may have ended while the other parts of the join were waited for.
      if (channel.isEnded) throw new NinefoldError('RealtimeRestarting');
      this.#channels.get(topicName)?.leave();
      this.#channels.set(topicName, channel);
      replyTo(this.socket, to, 'ok', { postgres_changes: options.entries });
      this.#host.afterJoin(channel);
    } catch (error) {
      // A client that has left gets no refusal: what it left unfinished is no error of the app.
      if (!this.socket.isClosed) this.#host.onRefused(this, error, performance.now() - started);
      if (this.#joining.get(topicName) === attempt) replyTo(this.socket, to, 'error', { reason: reasonOf(error) });
    } finally {
      if (this.#joining.get(topicName) === attempt) this.#joining.delete(topicName);
    }
  }

  /**
   * Checks the name of a topic.
   * @returns the topic without its prefix, and the number of other channels of this socket
   * @throws NinefoldError TopicNameRequired, InvalidJoinPayload
   */
  #checked(topicName: string, isPrivate: boolean): { channels: number; topic: { name: string } } {
    const name = topicName.startsWith(PREFIX) ? topicName.slice(PREFIX.length) : '';
    if (name === '') throw new NinefoldError('TopicNameRequired');
    const isLive = isPrivate && isLiveTopic(name);
    const max = isLive ? limits.realtimeLiveCharacters.default : limits.realtimeTopicCharacters.default;
    if (name.length > max) {
      throw new NinefoldError('InvalidJoinPayload', { message: `The topic has more than ${max} characters.` });
    }
    const others = new Set([...this.#channels.keys(), ...this.#joining.keys()]);
    others.delete(topicName);
    return { channels: others.size, topic: { name } };
  }
}

const refusalOf = (isTooLarge: boolean, mayWrite: boolean, isNamed: boolean): string => {
  if (isTooLarge) return reasonOf(new NinefoldError('PayloadSizeExceeded'));
  if (!mayWrite)
    return reasonOf(
      new NinefoldError('Unauthorized', { message: 'You do not have permissions to write to this Channel topic' }),
    );
  if (!isNamed)
    return reasonOf(new NinefoldError('UnexpectedMessage', { message: 'The name of the event is too long.' }));
  return reasonOf(new NinefoldError('MessagePerSecondRateLimitReached'));
};

/** Returns the words of a refusal. The client does not learn the cause of an error of the node. */
export const reasonOf = (error: unknown): string => {
  const isKnown = error instanceof NinefoldError || error instanceof LiveReadError;
  return wordsOf(isKnown ? error : new NinefoldError('RealtimeRestarting'));
};
