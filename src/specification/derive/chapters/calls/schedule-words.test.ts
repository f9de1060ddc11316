import { expect, it } from 'vitest';
import { scheduleWords } from './schedule-words.ts';

it.each([
  ['1 second', 'every second'],
  [' 30 sEcOnDs ', 'every 30 seconds'],
  ['* * * * *', 'every minute'],
  ['*/5 * * * *', 'every 5 minutes'],
  ['0 * * * *', 'at minute 0 of every hour'],
  ['@hourly', 'at minute 0 of every hour'],
  ['0 0 * * *', 'every day at 00:00'],
  ['@daily', 'every day at 00:00'],
  ['30 3 * * 6', 'on Saturday at 03:30'],
  ['0 0 * * 1-5', 'on weekdays at 00:00'],
  ['*/10 9-17 * * mon-fri', 'every 10 minutes in the hours 09 to 17 on weekdays'],
  ['0 1 * * 0', 'on Sunday at 01:00'],
  ['0 1 * * 7', 'on Sunday at 01:00'],
  ['0 13 2 6 *', 'on day 2 of the month in June at 13:00'],
  ['0 12 $ * *', 'on the last day of the month at 12:00'],
  ['0 6,18 * * *', 'every day at 06:00 and 18:00'],
  ['*/90 * * * *', 'at minute 0 of every hour'],
  ['0 0 */100 * *', 'on day 1 of the month at 00:00'],
  ['15 */6 * * *', 'at minute 15 of every 6th hour'],
  ['0 0 1,15 jan,jul *', 'on day 1 and 15 of the month in January and July at 00:00'],
  ['0 0 13 * fri', 'on day 13 of the month and on Friday at 00:00'],
])('scheduleWords describes the schedule "%s" as "%s"', (schedule, words) => {
  expect(scheduleWords(schedule)).toBe(words);
});
