import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { ChangeFrames } from './change-frames.ts';
import type { Channel } from './channel.ts';

/** Sends the changes of rows that a channel asks for, and a message of the service if they cannot be followed. */
export function followChanges(channel: Channel, feed: ChangeFeed, frames: ChangeFrames): void {
  feed
    .subscribe(channel.options.changes, channel.identity, {
      deliver: (ids, data) => channel.deliverChange(frames.of(channel.topicName, ids, data)),
      onReady: () => channel.system('postgres_changes', 'ok', 'Subscribed to PostgreSQL'),
      onEnd: (message) =>
        channel.end(new NinefoldError('RealtimeRestarting', { message }), 'join again', 'postgres_changes'),
    })
    .then(
      (subscription) => {
        if (channel.isEnded) subscription.close();
        else channel.changes = subscription;
      },
      (error: unknown) => {
        const { message, code } =
          error instanceof NinefoldError ? error : new NinefoldError('RealtimeDisabledForConfiguration');
        if (!channel.isEnded) channel.system('postgres_changes', 'error', `${code}: ${message}`);
      },
    );
}
