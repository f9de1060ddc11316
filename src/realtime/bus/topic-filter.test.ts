import { describe, expect, it } from 'vitest';
import { readFrames, topicKey } from './frame.ts';
import { HeldTopics, TopicFilter, topicHash } from './topic-filter.ts';

/** Applies the changes of one node's topics to the filter of another. */
function pass(topics: HeldTopics, filter: TopicFilter): void {
  for (const bytes of topics.takeFrames()) {
    expect(readFrames(bytes, ({ body }) => expect(filter.apply(Uint8Array.from(body))).toBe(true))).toBe(true);
  }
}

const has = (filter: TopicFilter, topic: string) => filter.has(topicHash(topicKey('app', topic)));

describe('TopicFilter', () => {
  it('follows the changes of another node, and its complete list', () => {
    const [topics, filter] = [new HeldTopics(), new TopicFilter()];
    for (const topic of ['a', 'b', 'b', 'c']) topics.hold(topicKey('app', topic));
    pass(topics, filter);
    for (const topic of ['a', 'b']) topics.release(topicKey('app', topic));
    expect(topics.hasChanges).toBe(true);
    pass(topics, filter);
    expect(['a', 'b', 'c', 'd'].map((topic) => has(filter, topic))).toEqual([false, true, true, false]);
    const late = new TopicFilter();
    topics.listAll();
    pass(topics, late);
    expect(['a', 'b', 'c'].map((topic) => has(late, topic))).toEqual([false, true, true]);
  });

  it('receives everything from a number of topics on, and a list again when they are fewer', () => {
    const [topics, filter] = [new HeldTopics(), new TopicFilter()];
    for (let i = 0; i < 50_001; i++) topics.hold(topicKey('app', String(i)));
    pass(topics, filter);
    expect(has(filter, 'any other')).toBe(true);
    for (let i = 0; i < 40_000; i++) topics.release(topicKey('app', String(i)));
    pass(topics, filter);
    expect([has(filter, 'any other'), has(filter, '50000'), has(filter, '1')]).toEqual([false, true, false]);
  });

  it('rejects malformed bodies', () => {
    const filter = new TopicFilter();
    for (const body of [[], [4], [0, 1], [255, 0, 0, 0, 0]]) expect(filter.apply(Uint8Array.from(body))).toBe(false);
  });
});
