import type { ProbedCell, ProbeReport, ProbeState, ProbeTry } from '../../../../contract/probe.ts';
import { cellKey } from './matrix.ts';

/** Returns the cells of a report by their names in the address bar; empty without a report. Pure. */
export const probedCells = (report: ProbeReport | null | undefined): ReadonlyMap<string, ProbedCell> =>
  new Map((report?.cells ?? []).map((cell) => [cellKey(cell), cell]));

/**
 * Describes a cell that the probe contradicts: "probe refused" if the cell claims more access, "probe allowed" if it
 * claims less.
 */
export function disagreement({ tries }: ProbedCell): string {
  const against = tries.find(({ agrees }) => !agrees);
  return against?.claimed === 'allowed' ? 'probe refused' : 'probe allowed';
}

const met: Readonly<Record<ProbeTry['met'], string>> = {
  allowed: 'allowed',
  hidden: 'hidden',
  refused: 'refused',
  stopped: 'stopped by another error',
};

/** Returns the actual result of an attempt in one word. */
export const metWord = (attempt: ProbeTry): string => met[attempt.met];

/** Describes the progress of a run for its button: "Probing 12 of 40". Null without a run. */
export function progress(running: ProbeState['running'] | undefined): string | null {
  if (!running) return null;
  return running.total === 0 ? 'Probing' : `Probing ${running.done} of ${running.total}`;
}
