import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { HashThreads } from './hash-threads.ts';

const options = { memoryCost: 1024, timeCost: 1, parallelism: 1, outputLen: 32 };
const standard = { nice: 10, keepsOne: true };
const make = (password: string) => ({ make: 'argon2', password, options }) as const;
const runningThreads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

it.each([1, 2])(
  'HashThreads gives more tasks than threads to the %i threads that it may start, in the order of the tasks',
  async (max) => {
    const threads = new HashThreads({ ...standard, max });
    const before = runningThreads();
    const passwords = ['one', 'two', 'three', 'four', 'five'];
    const hashes = passwords.map((password) => threads.run(make(password)));
    expect(runningThreads() - before).toBe(max);
    const verified = (await Promise.all(hashes)).map((hash, i) =>
      threads.run({ verify: 'argon2', password: passwords[i] ?? '', hash: String(hash) }),
    );
    expect(await Promise.all(verified)).toEqual([true, true, true, true, true]);
    // Idle threads must not keep the process running.
    expect(runningThreads()).toBe(before);
  },
);

it('HashThreads reports the error of one task and still computes the tasks behind the failed one', async () => {
  const threads = new HashThreads({ ...standard, max: 1 });
  const broken = threads.run({ verify: 'argon2', password: 'x', hash: 'no hash' });
  const hash = threads.run(make('x'));
  await expect(broken).rejects.toThrow();
  expect(await hash).toMatch(/^\$argon2id\$/);
});

it.runIf(process.platform === 'linux')(
  'HashThreads ends all idle threads except one, so that a later sign-in does not wait until a thread has started',
  async () => {
    const systemThreads = () => readdirSync('/proc/self/task').length;
    const before = systemThreads();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const threads = new HashThreads({ ...standard, max: 2 });
    await Promise.all([threads.run(make('one')), threads.run(make('two'))]);
    expect(systemThreads()).toBe(before + 2);
    vi.advanceTimersByTime(120_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(systemThreads()).toBe(before + 1));
    expect(await threads.run(make('three'))).toMatch(/^\$argon2id\$/);
    expect(systemThreads()).toBe(before + 1);
  },
);
