import { describe, expect, it } from 'vitest';
import { encodeMessage, readFrames } from './frame.ts';
import { OutQueue, type QueuedFrame } from './out-queue.ts';

const frame = (
  ref: string,
  topic: string,
  bytes: number,
  kind: 'broadcast' | 'presence' = 'broadcast',
): QueuedFrame => ({
  kind,
  ref,
  topic,
  bytes: encodeMessage({ kind, ref, topic, body: new Uint8Array(bytes) }, 'n.1') ?? new Uint8Array(),
});

/** Returns kind, ref and topic of the frames of a batch. */
function namesIn(batch: Uint8Array): string[] {
  const names: string[] = [];
  expect(readFrames(batch, ({ kind, ref, topic }) => names.push(`${kind} ${ref}/${topic}`))).toBe(true);
  return names;
}

/** Adds frames until the queue drops one. Returns how many were added. */
function fill(queue: OutQueue, ref: string, kind: 'broadcast' | 'presence' = 'broadcast'): number {
  for (let count = 0; ; count++) if (!queue.push(frame(ref, 'room', 100, kind))) return count;
}

describe('OutQueue', () => {
  it('leaves room for other apps when one app sends without end', () => {
    const queue = new OutQueue(100_000);
    const first = fill(queue, 'loud');
    expect(fill(queue, 'second') / first).toBeCloseTo(0.5, 1);
    expect(queue.push(frame('quiet', 'room', 100))).toBe(true);
    expect(queue.bytes).toBeLessThan(100_000);
  });

  it('takes frames of presence when it drops the broadcasts of the same app', () => {
    const queue = new OutQueue(100_000);
    fill(queue, 'loud');
    expect(queue.push(frame('loud', 'room', 100, 'presence'))).toBe(true);
  });

  it('returns the frames of several apps in turn, and the frames of one app in their order', () => {
    const queue = new OutQueue();
    for (const topic of ['1', '2', '3']) queue.push(frame('aaa', topic, 10));
    queue.push(frame('bbb', '4', 10));
    expect(namesIn(queue.take(1000))).toEqual(['aaa/1', 'bbb/4', 'aaa/2', 'aaa/3'].map((name) => `broadcast ${name}`));
    expect([queue.isEmpty, queue.bytes]).toEqual([true, 0]);
  });

  it('keeps order and count over thousands of frames in small batches', () => {
    const queue = new OutQueue();
    const topics = Array.from({ length: 5000 }, (_, i) => String(i));
    for (const topic of topics) queue.push(frame('aaa', topic, 10));
    const taken: string[] = [];
    while (!queue.isEmpty) taken.push(...namesIn(queue.take(300)));
    expect(taken).toEqual(topics.map((topic) => `broadcast aaa/${topic}`));
  });

  it('reports each topic of dropped frames once, and all topics if they are many', () => {
    const queue = new OutQueue(0);
    for (const topic of ['a', 'b', 'a']) queue.push(frame('app', topic, 10));
    expect([queue.dropped, queue.hasLost]).toEqual([3, true]);
    queue.reportLost();
    expect(namesIn(queue.take(1000))).toEqual(['lost app/a', 'lost app/b']);
    for (let i = 0; i < 2000; i++) queue.push(frame('app', String(i), 10));
    queue.reportLost();
    expect(namesIn(queue.take(1000))).toEqual(['lost /']);
    expect([queue.hasLost, queue.isEmpty]).toEqual([false, true]);
  });
});
