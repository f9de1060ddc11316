import type { ProbedCell, ProbeReport, ProbeState, ProbeTry } from '../../../../contract/probe.ts';
import { cellKey } from './matrix.ts';

/** The cells of a report, by how they are named in the address bar; empty where none was probed. Pure. */
export const probedCells = (report: ProbeReport | null | undefined): ReadonlyMap<string, ProbedCell> =>
  new Map((report?.cells ?? []).map((cell) => [cellKey(cell), cell]));

/** What a cell says whose claim the probe did not meet: "probe refused" where more was claimed, "probe allowed" where less was. */
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

/** What a try met, in a word. */
export const metWord = (attempt: ProbeTry): string => met[attempt.met];

/** How far a run is, for its button: "Probing 12 of 40". Null where none is under way. */
export function progress(running: ProbeState['running'] | undefined): string | null {
  if (!running) return null;
  return running.total === 0 ? 'Probing' : `Probing ${running.done} of ${running.total}`;
}
