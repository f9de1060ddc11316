import { currentLocale, dateFormat, t } from '../../language/messages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats the age of a time: "5 minutes ago", "yesterday", then the date. */
export function since(iso: string, now = Date.now()): string {
  const relative = new Intl.RelativeTimeFormat(currentLocale(), { numeric: 'auto' });
  const passed = now - Date.parse(iso);
  if (passed < MINUTE) return t('justNow');
  if (passed < HOUR) return relative.format(-Math.floor(passed / MINUTE), 'minute');
  if (passed < DAY) return relative.format(-Math.floor(passed / HOUR), 'hour');
  if (passed < 7 * DAY) return relative.format(-Math.floor(passed / DAY), 'day');
  return dateFormat({ dateStyle: 'long' }).format(new Date(iso));
}
