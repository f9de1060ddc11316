import type { Limit } from './limit.ts';

/** Size and speed of responses. */
export const answerLimits = {
  resultBytes: {
    group: 'answers',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The largest result that a call holds in memory.',
    code: 'result_too_large',
  },
  sharedPageRows: {
    group: 'answers',
    unit: 'count',
    default: 1000,
    meaning: 'A page that may hold more rows has a database connection to itself and is handed on as it comes.',
  },
  tailBytes: {
    group: 'answers',
    unit: 'bytes',
    default: 256 * 1024,
    meaning: 'From what size on the rows of a large page are handed on as they come from the database.',
  },
  tailIdleSeconds: {
    group: 'answers',
    unit: 'seconds',
    default: 30,
    meaning: 'How long a client may take less than replyBytesPerPeriod of a response before its connection is closed.',
  },
  replyBytesPerPeriod: {
    group: 'answers',
    unit: 'bytes',
    default: 64 * 1024,
    meaning: 'The least that a client must take of a response in each tailIdleSeconds, if there is so much left of it.',
  },
  slowReaderBytes: {
    group: 'answers',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning:
      'Responses that one worker holds for clients that have not read them. Above it, clients that took nothing for a second are cut off, the longest idle first; above twice as much, the longest idle in any case.',
  },
  contentLocationBytes: {
    group: 'answers',
    unit: 'bytes',
    default: 4096,
    meaning: 'The longest Content-Location of an answer; clients take no more than some 16 KiB of headers.',
  },
  explainedRows: {
    group: 'answers',
    unit: 'count',
    default: 10,
    meaning: 'Rows that the explanation of an access looks at.',
  },
  pageRows: {
    group: 'answers',
    unit: 'count',
    default: 1000,
    meaning: 'The most rows that one answer holds, on each level of embedding; what lies beyond is left out.',
    setting: 'db_max_rows',
    range: [0, 2_147_483_647],
  },
} as const satisfies Record<string, Limit>;
