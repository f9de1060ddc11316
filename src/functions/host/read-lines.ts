import { setTimeout as pause } from 'node:timers/promises';

/** Bounds and handlers of a reader of lines. */
export interface LineReader {
  /** The longest line in bytes. The rest of a longer one is left out. */
  readonly maxBytes: number;
  /** Returns true while further lines are not wanted: they are counted, and read slowly. */
  readonly isFull: () => boolean;
  readonly onLine: (text: string) => void;
  /** Called with a number of lines that were not wanted. */
  readonly onSkipped: (count: number) => void;
}

/** The byte that ends a line. */
const LINE_FEED = 10;
/** Bytes that are read in a second while lines are not wanted. The writer waits, so that it does not occupy this process. */
const SLOW_BYTES_PER_SECOND = 1024 * 1024;
/** Milliseconds of a second. */
const MILLISECONDS = 1000;

/** Reads lines of a process that does not deserve trust: no line fills the memory, and no flood of lines delays other work. */
export async function readLines(stream: NodeJS.ReadableStream, reader: LineReader): Promise<void> {
  const { maxBytes, isFull, onLine, onSkipped } = reader;
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    const room = maxBytes - bytes;
    if (room > 0 && part.length > 0) parts.push(part.subarray(0, room));
    bytes += part.length;
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    let skipped = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      if (isFull()) skipped++;
      else {
        add(chunk.subarray(start, end));
        onLine(Buffer.concat(parts).toString('utf8'));
      }
      start = end + 1;
      parts = [];
      bytes = 0;
    }
    add(chunk.subarray(start));
    if (skipped > 0) onSkipped(skipped);
    if (isFull()) await pause((chunk.length / SLOW_BYTES_PER_SECOND) * MILLISECONDS, undefined, { ref: false });
  }
}
