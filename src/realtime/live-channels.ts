import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { Channel } from './channels/channel.ts';
import { type LiveListParts, LiveLists } from './live/live-lists.ts';
import type { LiveSubscription } from './live/live-subscription.ts';

/** The channels of one app that are live lists. */
export class LiveChannels {
  readonly #create: () => LiveListParts;
  #lists: LiveLists | null = null;

  /** @param create Called when the first list opens. */
  constructor(create: () => LiveListParts) {
    this.#create = create;
  }

  /**
   * Runs the read of a live list, whose rights decide about the join.
   * @param channels The other channels of the socket.
   * @throws LiveReadError with the code of a GET
   * @throws NinefoldError LiveListRateLimitReached
   */
  open(topic: string, identity: Identity, channels: Iterable<Channel>): Promise<LiveSubscription> {
    const own = [...channels].filter(({ live }) => live !== null).length;
    if (own >= limits.realtimeLiveLists.default) {
      throw new NinefoldError('LiveListRateLimitReached', { limit: 'realtimeLiveLists' });
    }
    this.#lists ??= new LiveLists(this.#create());
    return this.#lists.open(topic, identity);
  }

  /** Sends the page, and later the changes. */
  start(channel: Channel): void {
    const { live } = channel;
    live?.start({
      get isSlow() {
        return channel.socket.isSlow;
      },
      send: (outgoing) => channel.deliverRows(outgoing),
      // The page of a row tells who may see the row, and so who may see the other readers of the row.
      onRows: (hasRows) => channel.setPresence(hasRows && live.group.isOneRow),
      end: ({ code, message }) => channel.end({ code, message }, 'join again'),
    });
  }

  /** Uses a renewed token for a live list. */
  async renew({ live, topic, identity }: Channel): Promise<void> {
    if (live) await this.#lists?.setIdentity(live, topic.name, identity);
  }

  onSchemaChange(): void {
    this.#lists?.onSchemaChange();
  }

  /** Called regularly. */
  check(now: number): void {
    this.#lists?.check(now);
  }

  /** Ends all live lists. Their clients join again. */
  close(): void {
    this.#lists?.close();
    this.#lists = null;
  }
}
