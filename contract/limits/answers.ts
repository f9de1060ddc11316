import { limitsOf } from './limit.ts';

/** Limits of the size and speed of responses. */
export const answerLimits = limitsOf('answers', {
  resultBytes: {
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The largest result that a request holds in memory.',
    code: 'result_too_large',
  },
  bufferedPageRows: {
    unit: 'count',
    default: 1000,
    meaning: 'A page that may contain more rows gets its own database connection and is streamed to the client.',
  },
  streamedBodyBytes: {
    unit: 'bytes',
    default: 256 * 1024,
    meaning: 'Size from which the rows of a large page are streamed to the client.',
  },
  streamIdleSeconds: {
    unit: 'seconds',
    default: 30,
    meaning:
      'How long a client may read less than replyBytesPerPeriod of a response before the server closes its connection.',
  },
  replyBytesPerPeriod: {
    unit: 'bytes',
    default: 64 * 1024,
    meaning: 'Bytes of a response that a client must read in each streamIdleSeconds, unless less is left.',
  },
  uploadBytesPerPeriod: {
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'Bytes of an upload to /storage/v1 that a client must send in each streamIdleSeconds.',
    code: 'request_timeout',
  },
  slowReaderBytes: {
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning:
      'Responses that one worker holds for clients that have not read them. Above this, the worker disconnects clients that have read nothing for a second, the longest idle first; above twice this size, the longest idle client in any case.',
  },
  contentLocationBytes: {
    unit: 'bytes',
    default: 4096,
    meaning: 'The longest Content-Location of a response. Clients accept headers of about 16 KiB.',
  },
  explainedRows: {
    unit: 'count',
    default: 10,
    meaning: 'Rows that the explanation of an access reads.',
  },
  pageFigureMilliseconds: {
    unit: 'milliseconds',
    default: 3000,
    meaning: 'How long PostgreSQL may compute one number, bars or line of a page for members.',
    code: '57014',
  },
  pageFiguresMilliseconds: {
    unit: 'milliseconds',
    default: 8000,
    meaning: 'How long PostgreSQL may compute all figures of a page for members. Those that are left fail.',
    code: '57014',
  },
  pageParts: {
    unit: 'count',
    default: 20,
    meaning: 'Parts of a page for members.',
  },
  pageListRows: {
    unit: 'count',
    noun: 'rows',
    default: 20,
    meaning: 'Rows of one list in a page for members.',
  },
  pageBars: {
    unit: 'count',
    default: 10,
    meaning: 'Bars of one part of a page for members. The page counts the further values.',
  },
  pageLines: {
    unit: 'count',
    default: 5,
    meaning: 'Lines of one part of a page for members. The page counts the further values.',
  },
  pageRows: {
    unit: 'count',
    noun: 'rows',
    default: 1000,
    meaning: 'Maximum rows of one response, on each level of embedding. Further rows are left out.',
    setting: 'db_max_rows',
    range: [0, 2_147_483_647],
    isNullable: true,
  },
});
