/** A line of a file; `bytes` is null if it is longer than the maximum. */
export interface Line {
  /** The number of the line in the file. The first line has number 1. */
  readonly number: number;
  readonly bytes: Buffer | null;
}

const END_OF_LINE = 0x0a;

/** Splits a file into lines without their line ends. Holds at most one line of up to `maxBytes` in memory. */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const line = (): Line => {
    const bytes = length > maxBytes ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { number: number++, bytes };
  };
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(END_OF_LINE); end >= 0; end = chunk.indexOf(END_OF_LINE, start)) {
      add(chunk.subarray(start, end));
      yield line();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield line();
}
