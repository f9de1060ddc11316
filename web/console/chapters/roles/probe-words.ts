import type { ProbeAttempt, ProbedCell, ProbeReport, ProbeState } from '../../../../contract/probe.ts';
import { cellKey } from './matrix.ts';

/** Returns the cells of a report by their names in the address bar; empty without a report. Pure. */
export const probedCells = (report: ProbeReport | null | undefined): ReadonlyMap<string, ProbedCell> =>
  new Map((report?.cells ?? []).map((cell) => [cellKey(cell), cell]));

/**
 * Describes a cell that the probe contradicts: "probe refused" if the cell claims more access, "probe allowed" if it
 * claims less.
 */
export function disagreement({ attempts }: ProbedCell): string {
  const against = attempts.find(({ agrees }) => !agrees);
  return against?.expected === 'allowed' ? 'probe refused' : 'probe allowed';
}

const met: Readonly<Record<ProbeAttempt['result'], string>> = {
  allowed: 'allowed',
  hidden: 'hidden',
  refused: 'refused',
  stopped: 'stopped by another error',
};

/** Returns the actual result of an attempt in one word. */
export const metWord = (attempt: ProbeAttempt): string => met[attempt.result];

/** Describes the progress of a run for its button: "Probing 12 of 40". Null without a run. */
export function progress(running: ProbeState['running'] | undefined): string | null {
  if (!running) return null;
  return running.total === 0 ? 'Probing' : `Probing ${running.done} of ${running.total}`;
}
