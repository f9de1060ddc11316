import { CONNECTIONS, median, number, quartiles } from './figures.ts';
import { load } from './load.ts';
import type { BenchNode } from './node.ts';

/**
 * Number of completed calls per second, and per second of the node's processor time. The second number depends less on
 * other load of the machine.
 */
export interface Reached {
  perSecond: number;
  perProcessorSecond: number;
}

/** Repeats one call on every connection for the given time in milliseconds, and returns the rates. */
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

/** Two measurements made directly one after the other, without and with an additional load. */
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
 * Returns lines of a table: medians, and the changes with the 95 % interval of their median (McGill, Tukey, Larsen
 * 1978).
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
