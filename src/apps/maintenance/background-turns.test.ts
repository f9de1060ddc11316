import { describe, expect, it } from 'vitest';
import { BackgroundTurns, Traffic } from './background-turns.ts';

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe('BackgroundTurns', () => {
  it('runs one task at a time, in the order of their arrival, and continues after a failed task', async () => {
    const turns = new BackgroundTurns(new Traffic());
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} begins`);
      await pause(5);
      events.push(`${name} ends`);
    };
    const failing = turns.run(async () => {
      await work('a')();
      throw new Error('refused');
    });
    const next = turns.run(work('b'));
    await expect(failing).rejects.toThrow('refused');
    await next;
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('waits until no request is in progress, and uses a twentieth of the time if there is always a request in progress', async () => {
    const traffic = new Traffic();
    const turns = new BackgroundTurns(traffic);
    traffic.inFlight = 1;
    const began = performance.now();
    await turns.run(() => pause(20));
    expect(performance.now() - began).toBeGreaterThan(190);
    let isDone = false;
    const second = turns.run(async () => {
      isDone = true;
    });
    await pause(200);
    expect(isDone).toBe(false);
    traffic.inFlight = 0;
    await second;
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('drops waiting tasks when it stops', async () => {
    const traffic = new Traffic();
    const turns = new BackgroundTurns(traffic);
    traffic.inFlight = 1;
    let isDone = false;
    const waiting = turns.run(async () => {
      isDone = true;
    });
    turns.stop();
    await waiting;
    expect(isDone).toBe(false);
  });
});
