import { setTimeout as pause } from 'node:timers/promises';
import type { ProbeAttempt, ProbedCell, ProbeReport, ProbeState } from '../../contract/probe.ts';
import { CliError, type Client } from './client.ts';

/** Interval between two requests for the progress. */
const ASK_MILLISECONDS = 200;

/**
 * Probes an app and waits for the report.
 * @throws CliError if the run does not complete.
 */
export async function probeNow(client: Client, ref: string): Promise<ProbeReport> {
  const path = `/apps/${encodeURIComponent(ref)}/probe`;
  let state = await client.post<ProbeState>(path, {});
  // If the report is still older than the probe that was running before, that probe did not finish.
  const before = state.running?.started_at;
  while (state.running !== null) {
    await pause(ASK_MILLISECONDS);
    state = await client.get<ProbeState>(path);
  }
  if (state.last === null || (before !== undefined && state.last.started_at < before)) {
    throw new CliError(`The probe of ${ref} did not finish. See the log of the node.`);
  }
  return state.last;
}

const verbs = { select: 'read', insert: 'add to', update: 'change', delete: 'delete from', execute: 'call' } as const;

/**
 * Returns a report as text: the number of matching cells, and the cells whose result differs from the specification.
 */
export function probeWords(report: ProbeReport): string {
  const cells = report.cells.filter((cell) => cell.outcome === 'disagrees');
  const seconds = ((Date.parse(report.finished_at) - Date.parse(report.started_at)) / 1000).toFixed(1);
  const head = `Ran and rolled back ${report.attempts} statements in ${seconds} s: ${report.agree} cells match, ${report.disagree} ${report.disagree === 1 ? 'differs' : 'differ'}, ${report.not_probed} could not be probed.\n`;
  return `${head}${cells.map(cellWords).join('')}`;
}

function cellWords(cell: ProbedCell): string {
  const claim = cell.verdict === 'when' ? 'when a condition holds' : cell.verdict;
  const wrong = cell.attempts.filter((one) => !one.agrees).map(tryWords);
  return `\n${cell.role} may ${verbs[cell.operation]} ${cell.entity} ${claim}: this is wrong.\n${wrong.join('')}`;
}

const tryWords = (one: ProbeAttempt): string =>
  `  ${one.as}, ${one.row}: ${one.result}, claimed: ${one.expected}\n    ${one.sql ?? ''}\n    ${one.answer ?? ''}\n`;
