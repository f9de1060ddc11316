import { CONNECTIONS, median, number, quartiles } from './figures.ts';
import { load } from './load.ts';
import type { BenchNode } from './node.ts';

/**
 * Number of calls that were completed per second, and per second of the node's processor time. Other load on the
 * machine affects the second number less.
 */
export interface Reached {
  perSecond: number;
  perProcessorSecond: number;
}

/** Repeats one call on every connection for some milliseconds, and returns how many calls were completed per second. */
export async function reached(node: BenchNode, call: Buffer, milliseconds: number): Promise<Reached> {
  const before = node.processorTimes();
  const { perSecond, requests } = await load({
    port: node.port,
    connections: CONNECTIONS,
    milliseconds,
    next: () => call,
  });
  let spent = 0;
  for (const [pid, time] of node.processorTimes()) spent += time - (before.get(pid) ?? 0);
  return { perSecond, perProcessorSecond: (requests / spent) * 1000 };
}

/** Two measurements, one made directly after the other: without and with an additional load. */
export type Turn = Readonly<Record<'without' | 'beside', Reached>>;

/**
 * Measures without and with an additional load in many short turns. The speed of a machine varies more from minute to
 * minute than the effect that is measured, but little from second to second. Each turn is therefore compared with its
 * neighbour, and the order alternates.
 */
export async function inTurns(
  turns: number,
  without: () => Promise<Reached>,
  beside: () => Promise<Reached>,
): Promise<Turn[]> {
  const found: Turn[] = [];
  for (let i = 0; i < turns; i++) {
    if (i % 2 === 0) {
      const first = await without();
      found.push({ without: first, beside: await beside() });
    } else {
      const first = await beside();
      found.push({ beside: first, without: await without() });
    }
  }
  return found;
}

/**
 * Returns the lines of a table with the medians, and with the changes and the 95 % interval of their median (McGill,
 * Tukey, Larsen 1978).
 */
export function turnRows(what: string, turns: readonly Turn[]): string[][] {
  const calls = (side: keyof Turn): string => number(median(turns.map((turn) => turn[side].perSecond)));
  const change = (figure: keyof Reached): string => {
    const [low, middle, high] = quartiles(turns.map(({ without, beside }) => beside[figure] / without[figure] - 1));
    const error = (1.57 * (high - low)) / Math.sqrt(turns.length);
    return `${percent(middle)} ± ${percent(error)} (quartiles ${percent(low)} and ${percent(high)})`;
  };
  return [
    [`calls a second without ${what}`, calls('without')],
    [`calls a second beside ${what}`, calls('beside')],
    [`change of calls a second, median of ${turns.length} turns`, change('perSecond')],
    ['change of calls for a second of processor time', change('perProcessorSecond')],
  ];
}

const percent = (share: number): string => `${(share * 100).toFixed(1).replace('-', '−')} %`;
