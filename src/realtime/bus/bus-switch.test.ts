import { describe, expect, it, vi } from 'vitest';
import {
  broadcastOn as broadcast,
  makeBusNode as makeNode,
  busRecorder as recorder,
} from '../../../test/support/bus.ts';
import { WorkerBus } from './worker-bus.ts';

describe('BusSwitch', () => {
  it('passes a message to the other workers that hold its topic, and to no others', async () => {
    const { addWorker, messages } = makeNode();
    const [first, second, third] = [addWorker().worker, addWorker().worker, addWorker().worker];
    const [own, room, other] = [recorder(), recorder(), recorder()];
    first.subscribe('app', 'room', own.subscriber);
    second.subscribe('app', 'room', room.subscriber);
    third.subscribe('app', 'other', other.subscriber);
    await vi.waitFor(() => {
      first.publish(broadcast('room', 'hello'));
      expect(room.calls[0]).toBe('broadcast app/room hello 1');
    });
    expect([own.calls, other.calls]).toEqual([[], []]);
    messages.length = 0;
    for (let i = 0; i < 1000; i++) first.publish(broadcast('room', String(i)));
    await vi.waitFor(() => expect(room.calls.at(-1)).toBe('broadcast app/room 999 1'));
    expect(messages).toHaveLength(1);
  });

  it('delivers a subscription before a message that its worker sends in the same turn', async () => {
    const { addWorker } = makeNode();
    const [first, second] = [addWorker().worker, addWorker().worker];
    const [asking, replying] = [recorder(), recorder()];
    first.subscribe('app', 'room', {
      ...replying.subscriber,
      receive: () => first.publish(broadcast('room', 'reply')),
    });
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    second.subscribe('app', 'room', asking.subscriber);
    second.publish(broadcast('room', 'ask'));
    await vi.waitFor(() => expect(asking.calls).toEqual(['broadcast app/room reply 1']));
  });

  it('sends nothing after the end of a subscription', async () => {
    const { addWorker } = makeNode();
    const [first, second] = [addWorker().worker, addWorker().worker];
    const [left, stays] = [recorder(), recorder()];
    const end = second.subscribe('app', 'left', left.subscriber);
    second.subscribe('app', 'stays', stays.subscriber);
    end();
    await vi.waitFor(() => {
      first.publish(broadcast('left'));
      first.publish(broadcast('stays'));
      expect(stays.calls.length).toBeGreaterThan(0);
    });
    expect(left.calls).toEqual([]);
  });

  it('informs every subscriber of the end of a worker, and ignores its late messages', async () => {
    const { addWorker } = makeNode();
    const [first, second] = [addWorker(), addWorker()];
    const { calls, subscriber } = recorder();
    second.worker.subscribe('app', 'room', subscriber);
    first.end();
    first.worker.publish(broadcast('room', 'late'));
    await vi.waitFor(() => expect(calls).toEqual(['lost 1']));
    const third = addWorker().worker;
    await vi.waitFor(() => {
      third.publish(broadcast('room', 'next'));
      expect(calls.at(-1)).toBe('broadcast app/room next 3');
    });
    expect(calls[1]).toBe('broadcast app/room next 3');
  });

  it('drops messages for a worker that takes none, and then lets its subscribers ask again', async () => {
    const { hub, addWorker } = makeNode();
    let unblock: () => void = () => undefined;
    let blocked: Promise<void> | null = null;
    const first = addWorker().worker;
    const second = addWorker(() => blocked).worker;
    const { calls, subscriber } = recorder();
    second.subscribe('app', 'room', { ...subscriber, receive: () => calls.push('message') });
    await vi.waitFor(() => {
      first.publish(broadcast('room'));
      expect(calls.length).toBeGreaterThan(0);
    });
    blocked = new Promise((resolve) => {
      unblock = resolve;
    });
    const body = new Uint8Array(1024 * 1024);
    while (hub.dropped === 0) {
      first.publish(broadcast('room', body));
      await new Promise((resolve) => setTimeout(resolve, 6));
    }
    unblock();
    const connections = () => calls.filter((call) => call.startsWith('connected'));
    await vi.waitFor(() => expect(connections()).toEqual(['connected false', 'connected true']), { timeout: 3000 });
  });

  it('continues when a subscriber throws', async () => {
    const { addWorker } = makeNode();
    const [first, second] = [addWorker().worker, addWorker().worker];
    const { calls, subscriber } = recorder();
    second.subscribe('app', 'room', {
      ...subscriber,
      receive: () => {
        throw new Error('a fault of a subscriber');
      },
    });
    second.subscribe('app', 'room', subscriber);
    await vi.waitFor(() => {
      first.publish(broadcast('room', 'hello'));
      expect(calls[0]).toBe('broadcast app/room hello 1');
    });
  });
});

describe('WorkerBus', () => {
  it('drops and counts messages that the primary does not take, and stays within its bound', async () => {
    const sent: number[] = [];
    const bus = new WorkerBus(
      'n.1',
      ({ frames }) => sent.push(frames.length),
      () => undefined,
    );
    const body = new Uint8Array(100_000);
    for (let i = 0; i < 1000; i++) bus.publish(broadcast('room', body));
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    expect(bus.dropped).toBeGreaterThan(900);
    for (let i = 0; i < 1000; i++) bus.publish({ ...broadcast('room', body), ref: `app-${i}` });
    expect(bus.dropped).toBeGreaterThan(1800);
    expect(sent).toHaveLength(1);
  });
});
