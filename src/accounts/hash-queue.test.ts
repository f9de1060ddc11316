import { expect, it } from 'vitest';
import { HashQueue } from './hash-queue.ts';

/** Returns work that runs until the test ends it. */
function held() {
  let release = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { work: () => done, release };
}

it('runs up to the limit of tasks at once, and starts the others in the order of their calls', async () => {
  const queue = new HashQueue(2, 10);
  const started: number[] = [];
  const pieces = Array.from({ length: 5 }, held);
  const all = pieces.map(({ work }, i) =>
    queue.run(() => {
      started.push(i);
      return work();
    }),
  );
  expect(started).toEqual([0, 1]);
  pieces[1]?.release();
  await all[1];
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  for (const { release } of pieces) release();
  await Promise.all(all);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

it('refuses tasks while the maximum number of tasks waits, and accepts tasks afterwards', async () => {
  const queue = new HashQueue(1, 1);
  const piece = held();
  const running = queue.run(piece.work);
  const waiting = queue.run(() => Promise.reject(new Error('broken')));
  const since = performance.now();
  await expect(queue.requirePlace()).rejects.toThrow('Too many passwords');
  expect(performance.now() - since).toBeGreaterThan(200);
  await expect(queue.run(() => Promise.resolve())).rejects.toMatchObject({
    code: 'over_request_rate_limit',
    status: 429,
    headers: { 'retry-after': '1' },
  });
  piece.release();
  await running;
  await expect(waiting).rejects.toThrow('broken');
  await queue.requirePlace();
  expect(await queue.run(() => Promise.resolve('again'))).toBe('again');
});
