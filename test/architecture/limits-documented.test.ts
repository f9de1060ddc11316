import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allErrors } from '../../contract/errors.ts';
import { type Limit, limitGroups, limits } from '../../contract/limits.ts';
import { restSettings } from '../../contract/settings.ts';
import { authSettings } from '../../contract/settings-auth.ts';
import { clone } from '../support/clone.ts';

const cell = (text: string): string => text.replace(/[|<]/g, '\\$&').replaceAll('\n', ' ');

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** Returns the row of docs/limits.md for a limit: `| bodyBytes | 10,485,760 bytes | … | … | body_too_large |`. */
function rowOf(name: string, { unit, default: standard, meaning, setting, range, code }: Limit): string {
  const amount = `${grouped(standard)}${unit === 'count' ? '' : ` ${unit}`}`;
  const by =
    setting === undefined ? '' : `\`${setting}\`${range ? `, ${grouped(range[0])} to ${grouped(range[1])}` : ''}`;
  return `| \`${name}\` | ${amount} | ${cell(meaning)} | ${by} | ${code === undefined ? '' : `\`${code}\``} |`;
}

const all: [string, Limit][] = Object.entries(limits);

describe('docs/limits.md', () => {
  const text = readFileSync(join(clone, 'docs/limits.md'), 'utf8');

  it('contains the row of every limit, under the heading of its group, in the order of the contract', () => {
    for (const [group, title] of Object.entries(limitGroups)) {
      const section = text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
      const rows = section.split('\n').filter((line) => line.startsWith('| `'));
      expect(rows).toEqual(all.filter(([, limit]) => limit.group === group).map(([name, limit]) => rowOf(name, limit)));
    }
  });

  it('contains no unknown limit', () => {
    const documented = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    expect(documented.filter((name) => name !== undefined && !Object.hasOwn(limits, name))).toEqual([]);
  });
});

describe('contract/limits', () => {
  it('names only codes, settings and variables that exist', () => {
    const settings: Record<string, unknown> = { ...restSettings, ...authSettings };
    const broken = all.filter(
      ([, { code, setting }]) =>
        (code !== undefined && !Object.hasOwn(allErrors, code)) ||
        (setting !== undefined && !/^NINEFOLD_[A-Z_]+$/.test(setting) && !Object.hasOwn(settings, setting)),
    );
    expect(broken.map(([name]) => name)).toEqual([]);
  });

  it('has a range for every limit with a setting, and the default is in the range', () => {
    const broken = all.filter(
      ([, { setting, range, default: standard }]) =>
        (setting !== undefined) !== (range !== undefined) || (range && (standard < range[0] || standard > range[1])),
    );
    expect(broken.map(([name]) => name)).toEqual([]);
  });
});
