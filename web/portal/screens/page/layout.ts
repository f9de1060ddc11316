import type { PortalPart } from '../../../../contract/portal.ts';

/** Number of columns of a page. */
const COLUMNS = 12;

/** Max number of numbers in one row. */
const NUMBERS = 4;

/** Columns of a part beside another one. Bars need less room than a list. */
const BARS = 5;

/** A part of a page with the number of columns that it takes. */
export interface PlacedPart {
  readonly part: PortalPart;
  readonly columns: number;
}

/**
 * Places the parts of a page in rows of 12 columns: numbers that follow each other share a row, and so do two bars or
 * lists. All other parts are as wide as the page. Pure.
 */
export function placeParts(parts: readonly PortalPart[]): PlacedPart[] {
  const placed: PlacedPart[] = [];
  for (let at = 0; at < parts.length; ) {
    const first = parts[at];
    if (!first) break;
    const isPaired = first.kind === 'bars' || first.kind === 'list';
    const run =
      first.kind === 'number' ? runOf(parts, at, isNumber, NUMBERS) : runOf(parts, at, isSide, isPaired ? 2 : 1);
    const widths = isPaired && run.length === 2 ? pairWidths(run) : run.map(() => COLUMNS / run.length);
    for (const [i, part] of run.entries()) placed.push({ part, columns: widths[i] ?? COLUMNS });
    at += run.length;
  }
  return placed;
}

const isNumber = ({ kind }: PortalPart): boolean => kind === 'number';
const isSide = ({ kind }: PortalPart): boolean => kind === 'bars' || kind === 'list';

/** Returns the part at a position and the parts after it that pass a test, at most `max`. */
function runOf(
  parts: readonly PortalPart[],
  at: number,
  test: (part: PortalPart) => boolean,
  max: number,
): PortalPart[] {
  const rest = parts.slice(at + 1, at + max);
  const end = rest.findIndex((part) => !test(part));
  return [...parts.slice(at, at + 1), ...(end === -1 ? rest : rest.slice(0, end))];
}

function pairWidths([first, second]: readonly PortalPart[]): number[] {
  if (first?.kind === second?.kind) return [COLUMNS / 2, COLUMNS / 2];
  return first?.kind === 'bars' ? [BARS, COLUMNS - BARS] : [COLUMNS - BARS, BARS];
}
