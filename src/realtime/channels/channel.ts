import { randomUUID } from 'node:crypto';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { ChangeSubscription } from '../changes/change-feed.ts';
import { type LiveFault, liveRights } from '../live/live-parts.ts';
import type { LiveSubscription } from '../live/live-subscription.ts';
import type { TopicRights } from '../messages/private-channels.ts';
import { PresenceMember, type PresenceRequest } from '../presence/presence-member.ts';
import type { ClientSocket } from '../socket/client-socket.ts';
import type { Broadcast } from '../socket/frames.ts';
import type { Outgoing } from '../socket/outgoing.ts';
import type { JoinOptions } from './join-payload.ts';
import type { Topic, TopicMember } from './topic.ts';

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
export class Channel implements TopicMember {
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
  /** Resolves when the changes of rows arrive; null for a channel without changes. */
  following: Promise<void> | null = null;
  /** The live list; null for any other channel. */
  readonly live: LiveSubscription | null;
  /** Earlier messages that the client gets after the join. */
  replayed: readonly Broadcast[] = [];
  readonly #onLeave: (() => void)[] = [];
  #member: PresenceMember | null = null;
  /** Whether the client has the state of presence that the diffs begin with, or must get it (again). */
  #presence: 'none' | 'wanted' | 'sent' = 'none';
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
    readonly live: LiveSubscription | null;
  }) {
    this.socket = parts.socket;
    this.topicName = parts.topicName;
    this.joinRef = parts.joinRef;
    this.options = parts.options;
    this.topic = parts.topic;
    this.identity = parts.identity;
    this.rights = parts.rights;
    this.live = parts.live;
    this.#host = parts.host;
  }

  get getsOwn(): boolean {
    return this.options.getsOwn;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Sends a broadcast of the topic to the client, if it may read broadcasts. */
  deliverBroadcast(outgoing: Outgoing): void {
    if (this.rights !== null && !this.rights.broadcast.read) return;
    this.#deliver(() => this.socket.send(outgoing, !this.options.acknowledges));
  }

  /** Sends a diff of presence to the client, if it has the state before it. */
  deliverPresence(outgoing: Outgoing): void {
    if (this.#presence !== 'sent' || !this.#mayReadPresence) return;
    this.#deliver(() => {
      if (!this.socket.send(outgoing, true)) this.missPresence();
    });
  }

  tellConnected(isConnected: boolean): void {
    if (isConnected) this.system('system', 'ok', 'Messages of other nodes arrive again');
    else this.system('system', 'error', wordsOf(new NinefoldError('RealtimeNodeDisconnected')));
  }

  /** Remembers that the client missed a diff, so that it gets the whole state later. */
  missPresence(): void {
    if (this.#presence === 'sent') this.#presence = 'wanted';
  }

  /** Starts to send presence, with the whole state first. */
  startPresence(): void {
    this.#presence = 'wanted';
    this.sendPresenceState();
  }

  /** Sends the state of presence if the client must get it and reads fast enough. Called again regularly. */
  sendPresenceState(): void {
    if (this.#presence !== 'wanted' || this.socket.isSlow || !this.#mayReadPresence) return;
    this.topic.presence.whenReady((state) => {
      if (this.#isEnded || this.#presence !== 'wanted') return;
      this.#presence = 'sent';
      this.#deliver(() => this.pushText('presence_state', state));
    });
  }

  /** Delivers what policies decide about only if the sessions of the app are known. */
  #deliver(deliver: () => void): void {
    if (this.rights === null) deliver();
    else this.#host.deliverChecked(this, deliver);
  }

  get #mayReadPresence(): boolean {
    return this.rights === null || this.rights.presence.read;
  }

  /**
   * Handles a message of presence.
   * @throws NinefoldError Unauthorized, and the errors of `PresenceMember.handle`
   */
  handlePresence(payload: PresenceRequest): void {
    if (this.rights !== null && !this.rights.presence.write) {
      throw new NinefoldError('Unauthorized', {
        message: 'You do not have permissions to write presence on this Channel topic',
      });
    }
    this.#member ??= new PresenceMember(this.topic.presence, this.options.presence.key || randomUUID());
    this.#member.handle(payload);
    // A client that tracks itself sees the others.
    if (this.#presence === 'none' && this.#member.isTracked) this.startPresence();
  }

  /** Sends a change of a row or a part of a live list, which policies let the client see. */
  deliverRows(outgoing: Outgoing): void {
    this.#host.deliverChecked(this, () => this.socket.send(outgoing, false));
  }

  /** Allows or ends the presence of a live list. */
  setPresence(isAllowed: boolean): void {
    const wasAllowed = this.#mayReadPresence;
    this.rights = liveRights(isAllowed);
    if (isAllowed) {
      this.sendPresenceState();
    } else if (wasAllowed) {
      this.#member?.leave();
      if (this.#presence !== 'sent') return;
      this.pushText('presence_state', '{}');
      this.#presence = 'wanted';
    }
  }

  /** Sends an event of this channel to the client. */
  push(event: string, payload: object): void {
    this.pushText(event, JSON.stringify(payload));
  }

  /** Sends an event whose payload is JSON text. */
  pushText(event: string, payload: string): void {
    this.socket.sendMessage({ joinRef: this.joinRef, topic: this.topicName, event, payload });
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

  /** Sends a message of the service unless the channel has ended. */
  systemIfOpen(...message: Parameters<Channel['system']>): void {
    if (!this.#isEnded) this.system(...message);
  }

  /** Ends the channel and tells the client why. */
  end(error: LiveFault, how: ChannelEnd, extension: 'system' | 'postgres_changes' = 'system'): void {
    if (this.#isEnded) return;
    this.system(extension, 'error', wordsOf(error));
    this.push(how === 'close' ? 'phx_close' : 'phx_error', {});
    this.leave();
  }

  /** Calls a function when the channel ends; at once if it has ended. */
  onLeave(end: () => void): void {
    if (this.#isEnded) end();
    else this.#onLeave.push(end);
  }

  /** Ends the channel without a message to the client. */
  leave(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.topic.remove(this);
    this.#member?.leave();
    this.changes?.close();
    this.live?.close();
    for (const end of this.#onLeave) end();
    this.#host.onEnded(this);
  }
}

/** Returns the words of an error on a socket: the code and the message. */
export const wordsOf = ({ code, message }: { readonly code: string; readonly message: string }): string =>
  `${code}: ${message}`;

/** Replies to a message of a client. */
export function replyTo(
  socket: ClientSocket,
  to: { readonly joinRef: string | null; readonly ref: string | null; readonly topic: string },
  status: 'ok' | 'error',
  response: object = {},
): void {
  socket.sendMessage({ ...to, event: 'phx_reply', payload: JSON.stringify({ status, response }) });
}
