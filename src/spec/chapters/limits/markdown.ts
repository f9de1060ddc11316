import type { LimitLine, LimitsChapter } from '../../../../contract/specification.ts';
import { code, count, inline, table } from '../../markdown/escape.ts';

/**
 * Returns chapter 9 in Markdown: the limits that have been set, and the number of those with their default. The JSON
 * contains all limits.
 */
export function limitsMarkdown({ limits }: LimitsChapter): string {
  const set = limits.filter((limit) => limit.set_in !== 'code');
  const rest = count(limits.length - set.length, 'limit');
  const parts = [
    `${rest} ${limits.length - set.length === 1 ? 'has its' : 'have their'} default: see ${code('docs/limits.md')}.`,
  ];
  if (set.length > 0) {
    parts.unshift(table(['Limit', 'Value', 'Default', 'What it bounds', 'Set in', 'Changed by'], set.map(row)));
  }
  return parts.join('\n\n');
}

const row = (limit: LimitLine): string[] => [
  code(limit.id),
  amount(limit.value, limit.unit),
  amount(limit.default, limit.unit),
  inline(limit.meaning),
  limit.set_in,
  limit.change === null ? '' : code(limit.change.key),
];

const amount = (value: number | null, unit: LimitLine['unit']): string =>
  value === null ? 'no limit' : unit === 'count' ? grouped(value) : `${grouped(value)} ${unit}`;

/** Returns 1,000,000 in the same format on every machine. */
const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
