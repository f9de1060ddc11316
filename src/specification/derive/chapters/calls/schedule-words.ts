const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'].concat([
  'October',
  'November',
  'December',
]);
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const shortcuts: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Returns a valid schedule of pg_cron in words: "every day at 03:00", "every 5 minutes on weekdays". Times are GMT.
 *
 * @param schedule As ninefold.is_schedule accepts it.
 */
export function scheduleWords(schedule: string): string {
  const text = schedule.trim().toLowerCase();
  const seconds = /^(\d+)\s+seconds?$/.exec(text)?.[1];
  if (seconds !== undefined) return seconds === '1' ? 'every second' : `every ${seconds} seconds`;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = withoutLargeSteps(
    (shortcuts[text] ?? text).split(/\s+/),
  );
  const time = timeWords(minute, hour);
  const days = dayWords(day, weekday);
  const months = month === '*' ? '' : ` in ${listOf(month, (one) => nameIn(MONTHS, one, 1))}`;
  const isClockTime = /^\d+$/.test(minute) && hour.split(',').every((one) => /^\d+$/.test(one));
  if (!isClockTime) return `${time}${days === '' ? '' : ` ${days}`}${months}`;
  return `${days === '' ? 'every day' : days}${months} at ${time}`;
}

/** The first value and the number of values of each field. */
const RANGES: readonly (readonly [first: number, values: number])[] = [
  [0, 60],
  [0, 24],
  [1, 31],
  [1, 12],
  [0, 8],
];

/** Replaces a step that is at least as large as the range of its field by the first value, the only one that it names. */
const withoutLargeSteps = (fields: readonly string[]): readonly string[] =>
  fields.map((field, i) => {
    const [first = 0, values = 0] = RANGES[i] ?? [];
    const step = /^\*\/(\d+)$/.exec(field)?.[1];
    return step !== undefined && Number(step) >= values ? String(first) : field;
  });

const clock = (hour: string, minute: string): string => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;

function timeWords(minute: string, hour: string): string {
  const hours = hour.split(',');
  if (/^\d+$/.test(minute) && hours.every((one) => /^\d+$/.test(one))) {
    return joined(hours.map((one) => clock(one, minute)));
  }
  const step = /^\*\/(\d+)$/;
  const every = step.exec(minute)?.[1];
  const when =
    minute === '*'
      ? 'every minute'
      : every !== undefined
        ? every === '1'
          ? 'every minute'
          : `every ${every} minutes`
        : `at minute ${listOf(minute, String)}`;
  if (hour === '*') return /^at/.test(when) ? `${when} of every hour` : when;
  const everyHours = step.exec(hour)?.[1];
  if (everyHours !== undefined) {
    const hoursWords = everyHours === '1' ? 'every hour' : `every ${everyHours}th hour`;
    return /^at/.test(when) ? `${when} of ${hoursWords}` : `${when} in ${hoursWords}`;
  }
  return `${when} in the ${hour.includes(',') || hour.includes('-') ? 'hours' : 'hour'} ${listOf(hour, (one) => one.padStart(2, '0'))}`;
}

function dayWords(day: string, weekday: string): string {
  const ofMonth =
    day === '*' ? '' : day === '$' ? 'on the last day of the month' : `on day ${listOf(day, String)} of the month`;
  const ofWeek =
    weekday === '*'
      ? ''
      : /^(1-5|mon-fri)$/.test(weekday)
        ? 'on weekdays'
        : `on ${listOf(weekday, (one) => nameIn(WEEKDAYS, one, 0))}`;
  if (ofMonth === '' || ofWeek === '') return `${ofMonth}${ofWeek}`;
  // A job has two fields for the day. pg_cron runs the job if one of them matches. If one begins with *, both must
  // match.
  const isBoth = day.startsWith('*') || weekday.startsWith('*');
  return `${ofMonth} ${isBoth ? 'if it is' : 'and'} ${isBoth ? ofWeek.replace(/^on /, 'one of ') : ofWeek}`;
}

/** Returns a field of a schedule such as "1-5,10-20/2,*\/3" in words. */
const listOf = (field: string, name: (one: string) => string): string =>
  joined(
    field.split(',').map((item) => {
      const [range = '', step] = item.split('/');
      const [from = '', to] = range.split('-');
      const words = range === '*' ? 'all' : to === undefined ? name(from) : `${name(from)} to ${name(to)}`;
      return step === undefined || step === '1' ? words : `${words}, each ${step}th`;
    }),
  );

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** Returns the name of a month or weekday from its number or the first three letters of its name. */
const nameIn = (names: readonly string[], one: string, first: number): string =>
  (/^\d+$/.test(one) ? names[Number(one) - first] : names.find((name) => name.toLowerCase().startsWith(one))) ?? one;
