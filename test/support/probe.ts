import type { ProbedCell, ProbeReport, ProbeState } from '../../contract/probe.ts';
import { admin } from './apps.ts';
import type { NodeAddress } from './node.ts';

const PAUSE_MILLISECONDS = 30;

/** Returns true for a cell whose result depends on the code of a function. The probe cannot test such a cell, because it runs no code. */
export const dependsOnCode = ({ operation, verdict, outcome }: ProbedCell): boolean =>
  operation === 'execute' && verdict === 'when' && outcome === 'not probed';

/** Probes an app and returns the report of the run. */
export async function probeOf(node: NodeAddress, ref: string): Promise<ProbeReport> {
  const path = `/apps/${ref}/probe`;
  let state = await admin<ProbeState>(node, 'POST', path);
  while (state.running !== null) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
    state = await admin<ProbeState>(node, 'GET', path);
  }
  if (state.last === null) throw new Error('the probe came to no end');
  return state.last;
}
