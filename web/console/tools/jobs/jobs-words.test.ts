import { expect, it } from 'vitest';
import { jobsSentence } from './jobs-words.ts';

const job = (id: string, failed: number, active = true) => ({
  ...{ id, active },
  figures: { next_run: null, last_run: null, failed },
});

it.each([
  [[], 'No job runs by itself.'],
  [[job('a', 0, false)], 'No job runs by itself.'],
  [[job('a', 0)], '1 job runs by itself; none failed at last.'],
  [[job('a', 2), job('b', 0), job('c', 1)], '3 jobs run by themselves; a and c failed at last.'],
])('jobsSentence describes %j', (jobs, words) => expect(jobsSentence(jobs)).toBe(words));
