import { CONNECTIONS, median, number, quartiles } from './figures.ts';
import { load } from './load.ts';
import type { BenchNode } from './node.ts';

/** What calls reached: a second, and for each second of processor time that the node had, which hangs less on who else works. */
export interface Reached {
  perSecond: number;
  perProcessorSecond: number;
}

/** Keeps every connection busy with one call for some milliseconds. */
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

/** What was measured without and with something, one right after the other. */
export type Turn = Readonly<Record<'without' | 'beside', Reached>>;

/**
 * Measures without and with something in many short turns. A machine differs by more from one minute to the next than what is looked
 * for, but little from one second to the next: so each turn is compared with its neighbour, and which comes first changes.
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

/** Lines of a table: medians, and the changes with the interval in which their median lies at 95 % (McGill, Tukey, Larsen 1978). */
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
