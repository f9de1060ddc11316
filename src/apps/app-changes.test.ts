import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { ChangeClient, ChangeRounds } from './app-changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a change of an app', () => {
  /** Starts a round with the workers a and b. */
  function started() {
    const rounds = new ChangeRounds<string>();
    const sent: [worker: string, round: number, ref: string][] = [];
    let isOver = false;
    void rounds
      .run('notes', ['a', 'b'], (worker, { round, ref }) => sent.push([worker, round, ref]))
      .then(() => {
        isOver = true;
      });
    const isOverNow = async () => {
      await vi.advanceTimersByTimeAsync(0);
      return isOver;
    };
    return { rounds, sent, isOverNow };
  }

  it('is complete when each of the other workers uses the change', async () => {
    const { rounds, sent, isOverNow } = started();
    expect(sent).toEqual([
      ['a', 1, 'notes'],
      ['b', 1, 'notes'],
    ]);
    rounds.onCaughtUp('a', { type: 'caught up', round: 1 });
    rounds.onCaughtUp('a', { type: 'caught up', round: 1 });
    expect(await isOverNow()).toBe(false);
    rounds.onCaughtUp('b', { type: 'caught up', round: 1 });
    expect(await isOverNow()).toBe(true);
  });

  it('does not wait for a worker that has ended', async () => {
    const { rounds, isOverNow } = started();
    rounds.onEnded('b');
    expect(await isOverNow()).toBe(false);
    rounds.onCaughtUp('a', { type: 'caught up', round: 1 });
    expect(await isOverNow()).toBe(true);
  });

  it('waits for a worker that does not answer only as long as that worker may use data from before the change', async () => {
    const { isOverNow } = started();
    vi.advanceTimersByTime(limits.listenerTrustMilliseconds.default - 1);
    expect(await isOverNow()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await isOverNow()).toBe(true);
  });

  it('is complete at once if the node has no other worker', async () => {
    await new ChangeRounds<string>().run('notes', [], () => expect.unreachable());
  });

  it('is reported as complete to the caller that requested it, not to callers of other changes', async () => {
    const asked: number[] = [];
    const client = new ChangeClient(({ id }) => asked.push(id));
    const answered: string[] = [];
    const calls = ['first', 'second'].map((name) => client.everyWorker('notes').then(() => answered.push(name)));
    client.onAllCaughtUp({ type: 'all caught up', id: asked[1] ?? 0 });
    await calls[1];
    expect(answered).toEqual(['second']);
    client.onAllCaughtUp({ type: 'all caught up', id: asked[0] ?? 0 });
    await calls[0];
  });
});
