const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats the age of a time: "5 minutes ago", "yesterday", then the date. */
export function since(iso: string, now = Date.now()): string {
  const passed = now - Date.parse(iso);
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return relative.format(-Math.floor(passed / MINUTE), 'minute');
  if (passed < DAY) return relative.format(-Math.floor(passed / HOUR), 'hour');
  if (passed < 7 * DAY) return relative.format(-Math.floor(passed / DAY), 'day');
  return day.format(new Date(iso));
}
