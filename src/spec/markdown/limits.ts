import { limitGroups } from '../../../contract/limits.ts';
import type { LimitLine, LimitsChapter } from '../../../contract/specification.ts';
import { code, inline, table } from './escape.ts';

/** Chapter 9 in Markdown. */
export function limitsMarkdown({ limits }: LimitsChapter): string {
  const parts: string[] = [];
  for (const [group, title] of Object.entries(limitGroups)) {
    const lines = limits.filter((limit) => limit.group === group);
    if (lines.length === 0) continue;
    parts.push(`### ${title}`, table(['Limit', 'Value', 'What it bounds', 'Set in', 'Changed by'], lines.map(row)));
  }
  return parts.join('\n\n');
}

const row = (limit: LimitLine): string[] => [
  code(limit.id),
  limit.value === null ? 'no limit' : amount(limit.value, limit.unit),
  inline(limit.meaning),
  limit.set_in === 'code' ? 'default' : limit.set_in,
  limit.change === null ? '' : code(limit.change.key),
];

const amount = (value: number, unit: LimitLine['unit']): string =>
  unit === 'count' ? grouped(value) : `${grouped(value)} ${unit}`;

/** 1,000,000: the same on every machine. */
const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
