import { expect, it } from 'vitest';
import { LoadPause } from './load-pause.ts';

it('LoadPause limits an app that keeps invalidating a large schema cache to a tenth of the event loop', () => {
  for (const milliseconds of [150, 1000, 5000]) {
    const pause = new LoadPause();
    let now = 0;
    let blocked = 0;
    while (now < 600_000) {
      now += pause.remaining(now) + milliseconds;
      blocked += milliseconds;
      pause.record(milliseconds, now);
    }
    expect(blocked / now, `${milliseconds} ms`).toBeLessThan(0.15);
  }
});

it('LoadPause does not delay the loads of a schema of usual size', () => {
  const pause = new LoadPause();
  pause.record(90, 1000);
  expect(pause.remaining(1000)).toBe(0);
  pause.record(200, 2000);
  expect(pause.remaining(3000)).toBe(1000);
});
