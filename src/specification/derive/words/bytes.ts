const units: readonly (readonly [name: string, bytes: number])[] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
];
const binaryUnits: readonly (readonly [name: string, bytes: number])[] = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
];

/** Returns a number of bytes exactly, with the largest unit that gives a whole number: "5 MiB", "500 KB", "1,001 bytes". */
export function bytesWords(bytes: number): string {
  for (const [name, size] of [...binaryUnits, ...units]) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${name}`;
  }
  return `${String(bytes).replace(/\B(?=(\d{3})+(?!\d))/g, ',')} ${bytes === 1 ? 'byte' : 'bytes'}`;
}
