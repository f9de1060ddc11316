import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { metrics } from '../../contract/metrics.ts';
import { clone } from '../../test/support/clone.ts';

const read = (path: string): string => readFileSync(join(clone, path), 'utf8');
const known: readonly string[] = Object.keys(metrics);

/** Returns the names of metrics in a text, without the suffixes of the series of a histogram. */
const namesIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\bninefold_[a-z_]+\b/g)].map(([name]) => {
      const base = name.replace(/_(?:bucket|sum|count)$/, '');
      return known.includes(base) ? base : name;
    }),
  ),
];

it.each(['docs/monitoring.md', 'docs/monitoring/rules.yml', 'docs/monitoring/grafana.json'])(
  'finds each metric that %s names',
  (path) => {
    const names = namesIn(read(path));
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  },
);

it('documents each metric, and shows each on the dashboard except labels of requests that a panel sums', () => {
  const documented = namesIn(read('docs/monitoring.md'));
  expect(known.filter((name) => !documented.includes(name))).toEqual([]);
  const shown = namesIn(read('docs/monitoring/grafana.json'));
  expect(known.filter((name) => !shown.includes(name))).toEqual([]);
});

it('follows the conventions of Prometheus for names', () => {
  for (const [name, { kind }] of Object.entries(metrics)) {
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    expect(name).not.toMatch(/milliseconds|_ms\b|kilobytes|percent/);
  }
});
