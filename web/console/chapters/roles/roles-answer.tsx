import type { ProbeReport } from '../../../../contract/probe.ts';
import type { RolesChapter } from '../../../../contract/specification-roles.ts';
import { figureLink } from '../../../ui/live-value.tsx';
import { count, counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { tally } from './matrix.ts';

/**
 * Answers the question of the chapter: "5 roles have 150 cells: 68 always, 20 when a condition holds, 62 never. Every
 * cell was tried 4 minutes ago; 1 disagrees."
 */
export function RolesAnswer({
  chapter: { roles, cells },
  report,
  current,
}: {
  chapter: RolesChapter;
  report: ProbeReport | null;
  /** True if the report belongs to the specification that the page shows. */
  current: boolean;
}) {
  const { always, when, never } = tally(cells);
  const open = cells.filter(({ role, verdict }) => role === 'anon' && verdict !== 'never').length;
  const proof = figureLink('table-6-1');
  return (
    <>
      {proof(counted(roles.length, 'role'))} {roles.length === 1 ? 'has' : 'have'}{' '}
      {proof(counted(cells.length, 'cell'))}
      {cells.length > 0 && (
        <>
          : {proof(`${count(always)} always`)}, {proof(`${count(when)} when`)} a condition holds,{' '}
          {proof(`${count(never)} never`)}
        </>
      )}
      . Without a session, {open === 0 ? 'nothing is' : proof(`${count(open)} ${open === 1 ? 'is' : 'are'}`)} open.
      {report !== null && (
        <>
          {' '}
          {report.not_probed === 0 ? 'Every cell was' : proof(`${count(report.agree + report.disagree)} were`)} tried{' '}
          <TimeAgo iso={report.finished_at} />
          {!current && ', before the last change'};{' '}
          {report.disagree === 0
            ? 'none disagrees'
            : proof(`${count(report.disagree)} ${report.disagree === 1 ? 'disagrees' : 'disagree'}`, true)}
          .
        </>
      )}
    </>
  );
}
