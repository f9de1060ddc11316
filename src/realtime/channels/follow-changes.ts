import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { Delays } from '../usage/delays.ts';
import type { ChangeFrames } from './change-frames.ts';
import type { Channel } from './channel.ts';

/** The parts of an app that the changes of a channel use. */
export interface FollowParts {
  readonly feed: Pick<ChangeFeed, 'subscribe'>;
  readonly delays: Delays;
  readonly frames: ChangeFrames;
}

/**
 * Delivers the changes of rows that a channel asks for. Resolves when every later change will be delivered.
 * @throws NinefoldError RealtimeDisabledForConfiguration for an entry that cannot be followed, RealtimeRestarting if the
 * database failed
 */
export async function followChanges(channel: Channel, { feed, delays, frames }: FollowParts): Promise<void> {
  const { identity, options } = channel;
  const subscription = await feed
    .subscribe(options.changes, identity, {
      deliver: (ids, data) => {
        delays.record(data, Date.now());
        channel.deliverRows(frames.of(channel.topicName, ids, data));
      },
      onReady: () => undefined,
      onEnd: (message) =>
        channel.end(new NinefoldError('RealtimeRestarting', { message }), 'join again', 'postgres_changes'),
    })
    .catch((error: unknown) => {
      // The database could not be asked, so the client joins again.
      throw error instanceof NinefoldError ? error : new NinefoldError('RealtimeRestarting', { cause: error });
    });
  if (channel.isEnded) subscription.close();
  else channel.changes = subscription;
  // The token may have been renewed meanwhile.
  if (channel.identity !== identity) subscription.setIdentity(channel.identity);
}
