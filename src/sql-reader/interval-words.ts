/**
 * Returns the words for an interval as PostgreSQL prints it (IntervalStyle postgres): "1 month", "8 hours 30 minutes".
 * Returns null if a part is negative.
 */
export function lengthWords(interval: string): string | null {
  const [, dates = '', hours = '', minutes = '', seconds = ''] = printed.exec(interval) ?? [];
  const units = [...dates.matchAll(/(\d+) (year|mon|day)/g)].map(([, count = '', unit = '']) => ({ count, unit }));
  const all = [
    ...units,
    { count: hours, unit: 'hour' },
    { count: minutes, unit: 'minute' },
    { count: seconds, unit: 'second' },
  ];
  const said = all.filter(({ count }) => Number(count) > 0);
  if (said.length === 0) return hours === '' ? null : '0 seconds';
  return said
    .map(({ count, unit }) => `${Number(count)} ${names[unit] ?? unit}${Number(count) === 1 ? '' : 's'}`)
    .join(' ');
}

/** PostgreSQL abbreviates months. */
const names: Readonly<Record<string, string>> = { mon: 'month' };

const printed = /^((?:\d+ (?:year|mon|day)s? ?)*)(?:(\d+):(\d\d):(\d\d(?:\.\d+)?))?$/;
