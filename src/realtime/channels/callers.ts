import type { App } from '../../apps/app.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { TopicRights } from '../messages/private-channels.ts';
import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';

/** Tokens that are verified at the same time. */
const VERIFIED_TOGETHER = 16;

/** The questions about callers that only other parts can answer. */
export interface CallerParts {
  /** Returns the app as it is used now. */
  readonly app: () => App;
  /** Returns the caller of a key and a token. Throws the errors of `resolveIdentity`. */
  readonly identify: (app: App, headers: Readonly<Record<string, string | undefined>>) => Promise<Identity>;
  /** Returns what a caller may do on a private topic. Throws the errors of `PrivateChannels.rightsOn`. */
  readonly rightsOn: (app: App, identity: Identity, topic: string) => Promise<TopicRights>;
  /** Uses the new identity of a channel for its live list. */
  readonly onRenewed: (channel: Channel) => Promise<void>;
}

/** The caller of one channel. */
interface Caller {
  readonly connection: Connection;
  token: string | null;
  /** The token that the client sent last, which may not be verified yet. */
  wanted: string | null;
}

/** The callers of the channels of one app. Ends the channels of callers that are not valid any more. */
export class Callers {
  readonly #parts: CallerParts;
  readonly #ofSession = new Map<string, Set<Channel>>();
  readonly #channels = new Map<Channel, Caller>();
  #ends = 0;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /**
   * Returns the caller of a join: of its token, or of the key of the socket.
   * @throws NinefoldError InvalidJWTToken, RealtimeRestarting
   */
  async identify({ caller }: Connection, token: string | null): Promise<Identity> {
    if (caller.authorise !== null) return caller.authorise(token).catch(throwRefusal);
    const { apikey } = caller;
    const authorization = token === null ? undefined : `Bearer ${token}`;
    const { app, identify } = this.#parts;
    const identity = await identify(app(), { apikey, authorization }).catch(throwRefusal);
    if (expiryOf(identity) <= Date.now() / 1000) throw tokenExpired();
    return identity;
  }

  /**
   * Returns the rights of a caller on a private topic.
   * @throws NinefoldError Unauthorized if the caller may not read broadcasts of it
   */
  async rights(identity: Identity, topic: string): Promise<TopicRights> {
    const rights = await this.#parts.rightsOn(this.#parts.app(), identity, topic);
    if (rights.broadcast.read) return rights;
    throw new NinefoldError('Unauthorized', {
      message: `You do not have permissions to read from this Channel topic: ${topic}`,
    });
  }

  /** Changes whenever callers may have ended. A caller that was identified before may not be valid any more. */
  get ends(): number {
    return this.#ends;
  }

  /** Adds a channel that has been joined. */
  add(channel: Channel, connection: Connection, token: string | null): void {
    this.#channels.set(channel, { connection, token, wanted: token });
    this.#addSession(channel);
  }

  /** Forgets a channel that has ended. */
  remove(channel: Channel): void {
    this.#channels.get(channel)?.connection.remove(channel);
    this.#channels.delete(channel);
    this.#removeSession(channel);
  }

  /** Uses another access token for a channel; ends the channel if its caller may not read it any more. */
  async renew(channel: Channel, token: string): Promise<void> {
    const known = this.#channels.get(channel);
    if (!known || token === known.wanted) return;
    known.wanted = token;
    const ends = this.#ends;
    try {
      const identity = await this.identify(known.connection, token);
      const asksPolicies = channel.rights !== null && channel.live === null;
      const rights = asksPolicies ? await this.rights(identity, channel.topic.name) : null;
      // A later token counts.
      if (channel.isEnded || known.wanted !== token) return;
      this.#removeSession(channel);
      known.token = token;
      channel.identity = identity;
      if (rights) channel.rights = rights;
      this.#addSession(channel);
      channel.changes?.setIdentity(identity);
      await this.#parts.onRenewed(channel);
      if (ends !== this.#ends) await this.identify(known.connection, token);
    } catch (error) {
      endOf(channel, error);
    }
  }

  /** Ends the channels of sessions that have ended. */
  endSessions(ids: readonly string[]): void {
    this.#ends++;
    const error = new NinefoldError('InvalidJWTToken', { message: 'The session has ended' });
    for (const id of ids) for (const channel of [...(this.#ofSession.get(id) ?? [])]) channel.end(error, 'close');
  }

  /** Ends the channels whose token has expired. */
  endExpired(seconds: number): void {
    for (const channel of [...this.#channels.keys()]) {
      if (expiryOf(channel.identity) <= seconds) channel.end(tokenExpired(), 'close');
    }
  }

  /**
   * Ends the channels whose key or token is not valid any more.
   * @returns false if the database could not answer for all of them
   */
  async verifyAll(): Promise<boolean> {
    this.#ends++;
    const byCaller = new Map<string, Channel[]>();
    for (const [channel, { connection, token }] of this.#channels) {
      if (connection.caller.authorise !== null) continue;
      const key = JSON.stringify([connection.caller.apikey, token]);
      byCaller.set(key, [...(byCaller.get(key) ?? []), channel]);
    }
    const callers = [...byCaller.values()];
    let isComplete = true;
    const work = async () => {
      for (let channels = callers.pop(); channels; channels = callers.pop()) {
        if (!(await this.#verify(channels))) isComplete = false;
      }
    };
    await Promise.all(Array.from({ length: VERIFIED_TOGETHER }, work));
    return isComplete;
  }

  /** Ends the channels of builders whose session or right on the app has ended. */
  async verifyBuilders(): Promise<void> {
    for (const [channel, { connection }] of [...this.#channels]) {
      if (connection.caller.authorise !== null && !channel.isEnded) await this.#verify([channel]);
    }
  }

  /** Asks the policies again about every private channel. */
  async checkRights(): Promise<void> {
    for (const channel of [...this.#channels.keys()]) {
      if (channel.rights === null || channel.live !== null || channel.isEnded) continue;
      try {
        channel.rights = await this.rights(channel.identity, channel.topic.name);
      } catch (error) {
        endOf(channel, error);
      }
    }
  }

  /** Verifies the caller of channels that have the same one. Returns false if the database could not answer. */
  async #verify(channels: readonly Channel[]): Promise<boolean> {
    const [first] = channels;
    const known = first && this.#channels.get(first);
    if (!known) return true;
    try {
      await this.identify(known.connection, known.token);
      return true;
    } catch (error) {
      if (error instanceof NinefoldError && error.code === 'RealtimeRestarting') return false;
      for (const channel of channels) endOf(channel, error);
      return true;
    }
  }

  #addSession(channel: Channel): void {
    const { sessionId } = channel.identity;
    if (sessionId === null) return;
    const channels = this.#ofSession.get(sessionId) ?? new Set();
    this.#ofSession.set(sessionId, channels.add(channel));
  }

  #removeSession(channel: Channel): void {
    const { sessionId } = channel.identity;
    if (sessionId === null) return;
    const channels = this.#ofSession.get(sessionId);
    if (channels?.delete(channel) && channels.size === 0) this.#ofSession.delete(sessionId);
  }
}

const tokenExpired = () => new NinefoldError('InvalidJWTToken', { message: 'Access token has expired' });

/** Ends a channel because of an error about its caller. The client joins again after an error of the node. */
function endOf(channel: Channel, error: unknown): void {
  const known = asRefusal(error);
  channel.end(known, known.status < 500 ? 'close' : 'join again');
}

/** Returns the time at which the token of a caller expires, in seconds since 1970; Infinity for a key. */
function expiryOf({ source, claims }: Identity): number {
  const isToken = source === 'token' || source === 'external-token' || source === 'builder';
  return isToken && typeof claims.exp === 'number' ? claims.exp : Number.POSITIVE_INFINITY;
}

function throwRefusal(error: unknown): never {
  throw asRefusal(error);
}

/** Returns the refusal of a caller in the words of Supabase. */
function asRefusal(error: unknown): NinefoldError {
  if (!(error instanceof NinefoldError)) return new NinefoldError('RealtimeRestarting', { cause: error });
  const { code, message, status } = error;
  const isOfCaller = (status === 401 || status === 403) && code !== 'Unauthorized';
  return isOfCaller ? new NinefoldError('InvalidJWTToken', { message, cause: error }) : error;
}
