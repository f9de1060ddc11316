const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
export type SizeUnit = (typeof units)[number];
export const sizeUnits: readonly SizeUnit[] = units;

/** Returns the number of bytes of a figure with its unit, which counts in steps of 1,024; null if it is no size. Pure. */
export function readSize(text: string, unit: SizeUnit): number | null {
  if (!/^\d{1,15}(\.\d{1,3})?$/.test(text.trim())) return null;
  const value = Math.round(Number(text) * 1024 ** units.indexOf(unit));
  return Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Returns the figure and the largest unit that say a size exactly. Pure. */
export function sizeText(bytes: number): { text: string; unit: SizeUnit } {
  const step = units.findLastIndex((_, index) => bytes % 1024 ** index === 0);
  return { text: String(bytes / 1024 ** step), unit: units[step] ?? 'bytes' };
}
