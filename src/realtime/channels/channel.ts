import type { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { ChangeSubscription } from '../changes/change-feed.ts';
import type { ClientSocket } from '../socket/client-socket.ts';
import { type Outgoing, OutgoingMessage } from '../socket/outgoing.ts';
import type { JoinOptions } from './join-payload.ts';
import type { Topic } from './topic.ts';
import type { TopicRights } from './topic-rights.ts';

/** How a channel ends: the client forgets it, or joins it again by itself. */
export type ChannelEnd = 'close' | 'join again';

/** The services of an app that a channel uses. */
export interface ChannelHost {
  /**
   * Calls `deliver` now, or later if it is not certain that the sessions of the app have not ended. Messages that
   * policies decide about are sent through this method.
   */
  deliverChecked(channel: Channel, deliver: () => void): void;
  /** Called once, when a channel has ended. */
  onEnded(channel: Channel): void;
}

/** One topic that one socket has joined. */
export class Channel {
  readonly socket: ClientSocket;
  /** The topic as the client names it, with `realtime:`. */
  readonly topicName: string;
  readonly joinRef: string | null;
  readonly options: JoinOptions;
  readonly topic: Topic;
  readonly #host: ChannelHost;
  identity: Identity;
  /** The decisions of the policies; null for a public channel. */
  rights: TopicRights | null;
  changes: ChangeSubscription | null = null;
  #isEnded = false;

  constructor(parts: {
    readonly socket: ClientSocket;
    readonly topicName: string;
    readonly joinRef: string | null;
    readonly options: JoinOptions;
    readonly topic: Topic;
    readonly host: ChannelHost;
    readonly identity: Identity;
    readonly rights: TopicRights | null;
  }) {
    this.socket = parts.socket;
    this.topicName = parts.topicName;
    this.joinRef = parts.joinRef;
    this.options = parts.options;
    this.topic = parts.topic;
    this.identity = parts.identity;
    this.rights = parts.rights;
    this.#host = parts.host;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Sends a broadcast of the topic to the client, if it may read broadcasts. */
  deliverBroadcast(outgoing: Outgoing): void {
    if (this.rights === null) {
      this.socket.send(outgoing, !this.options.acknowledges);
      return;
    }
    if (!this.rights.broadcast.read) return;
    this.#host.deliverChecked(this, () => this.socket.send(outgoing, !this.options.acknowledges));
  }

  /** Sends a message of presence to the client. */
  deliverPresence(outgoing: Outgoing): void {
    if (this.rights === null) {
      this.socket.send(outgoing, true);
      return;
    }
    if (!this.rights.presence.read) return;
    this.#host.deliverChecked(this, () => this.socket.send(outgoing, true));
  }

  /** Sends a change of a row, which the policies of its table let the client see. */
  deliverChange(outgoing: Outgoing): void {
    this.#host.deliverChecked(this, () => this.socket.send(outgoing, false));
  }

  /** Sends an event of this channel to the client. */
  push(event: string, payload: object): void {
    this.socket.send(
      new OutgoingMessage({
        joinRef: this.joinRef,
        topic: this.topicName,
        event,
        payload: JSON.stringify(payload),
      }),
      false,
    );
  }

  /** Replies to a message of the client. */
  reply(ref: string | null, status: 'ok' | 'error', response: object = {}): void {
    replyTo(this.socket, { joinRef: this.joinRef, ref, topic: this.topicName }, status, response);
  }

  /** Sends a message of the service about this channel. */
  system(extension: 'system' | 'postgres_changes', status: 'ok' | 'error', message: string): void {
    const channel = this.topicName.slice('realtime:'.length);
    this.push('system', { extension, status, message, channel });
  }

  /** Ends the channel and tells the client why. */
  end(error: NinefoldError, how: ChannelEnd, extension: 'system' | 'postgres_changes' = 'system'): void {
    if (this.#isEnded) return;
    this.system(extension, 'error', `${error.code}: ${error.message}`);
    this.push(how === 'close' ? 'phx_close' : 'phx_error', {});
    this.leave();
  }

  /** Ends the channel without a message to the client. */
  leave(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.topic.remove(this);
    this.changes?.close();
    this.#host.onEnded(this);
  }
}

/** Replies to a message of a client. */
export function replyTo(
  socket: ClientSocket,
  to: { readonly joinRef: string | null; readonly ref: string | null; readonly topic: string },
  status: 'ok' | 'error',
  response: object = {},
): void {
  socket.sendMessage({ ...to, event: 'phx_reply', payload: JSON.stringify({ status, response }) });
}
