/** Number of lines of the axis of a chart, about. */
const LINES = 3;

/** Factors of the steps of an axis: 1, 2, 5, 10, 20, 50 … */
const FACTORS = [1, 2, 5, 10] as const;

/** The lowest and the highest value of an axis, and the values of its lines without that of the base line. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

/**
 * Returns an axis that contains zero and all values, with round numbers. Pure.
 * @param isWhole True if all values are whole numbers, so that the lines are too.
 */
export function scaleOf(values: readonly number[], isWhole: boolean): Scale {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const wanted = (most - least || 1) / LINES;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const round = (FACTORS.find((factor) => factor * power >= wanted) ?? 10) * power;
  const step = isWhole ? Math.max(1, round) : round;
  const [from, to] = [Math.floor(least / step), Math.max(1, Math.ceil(most / step))];
  const ticks = Array.from({ length: to - from + 1 }, (_, i) => rounded((from + i) * step)).filter(
    (tick) => tick !== 0,
  );
  return { min: rounded(from * step), max: rounded(to * step), ticks };
}

/** Removes the error of a sum of decimal fractions, such as 0.30000000000000004. */
const rounded = (value: number): number => Number(value.toPrecision(12));

/** Vertical distance in px between two labels. */
const LABEL_HEIGHT = 16;

/** Returns the places of labels in their order: each near its own place, and below the label before it. Pure. */
export function separated(places: readonly number[], max: number): number[] {
  const order = [...places.keys()].sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const moved = [...places];
  let least = Number.NEGATIVE_INFINITY;
  for (const i of order) {
    moved[i] = Math.max(places[i] ?? 0, least);
    least = (moved[i] ?? 0) + LABEL_HEIGHT;
  }
  let most = max;
  for (const i of order.toReversed()) {
    moved[i] = Math.min(moved[i] ?? 0, most);
    most = (moved[i] ?? 0) - LABEL_HEIGHT;
  }
  return moved;
}
