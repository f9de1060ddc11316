import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { BackupFigures } from '../../../../contract/backup.ts';
import { serverRights } from '../../../../contract/server-rights.ts';
import type { LimitLine, LimitsChapter } from '../../../../contract/specification.ts';
import { figureLink, liveValueClass } from '../../../ui/live-value.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { ago, count, counted, duration } from '../../format/format.ts';
import type { Folding } from '../list/folded-groups.tsx';
import { ListChapter, type ListDescriptor } from '../list/list-chapter.tsx';
import { useChapter } from '../use-chapter.ts';
import { limitColumns } from './limit-columns.tsx';
import { LimitPanel } from './limit-panel.tsx';
import { isChanged, isReached, setIn, subjectOf, subjectRank } from './limit-words.ts';

const changes = [
  'Choose a limit. If an app setting stores it, you can change it in its panel',
  'The operator sets environment variables and restarts the node',
  <span key="sql">
    Change database limits with <code>alter database</code>, <code>alter role</code> and <code>alter function</code>
  </span>,
];

type Which = 'all' | 'changed' | 'hit';

const keeps: Readonly<Record<Which, (line: LimitLine) => boolean>> = {
  all: () => true,
  changed: isChanged,
  hit: isReached,
};

/** Chapter 9: every number that limits the app, who hit it, and a control for each limit that builders may change. */
export function LimitsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/limits' });
  const { chapter } = useChapter(ref, 'limits');
  const [which, setWhich] = useState<Which>('all');
  const number = (each: Which) => count(chapter?.limits.filter(keeps[each]).length ?? 0);

  return (
    <ListChapter
      appRef={ref}
      of={descriptor}
      caption={
        <Segmented
          label="Which limits"
          value={which}
          options={[
            ['all', `All ${number('all')}`],
            ['changed', `Changed ${number('changed')}`],
            ['hit', `Reached ${number('hit')}`],
          ]}
          onChange={setWhich}
        />
      }
      columns={limitColumns}
      keep={keeps[which]}
      folding={which === 'all' ? fixed : undefined}
      noneKept={which === 'hit' ? 'No limit was reached within 7 days.' : 'Every limit is at its default.'}
      panel={(line, steps) => <LimitPanel key={line.id} appRef={ref} line={line} {...steps} />}
    />
  );
}

const isOwn = ({ change }: LimitLine): boolean => change?.by === 'setting' || change?.by === 'sql';

/** Returns the heading of a limit: reached ones have their own, all others that of their subject. */
function headingOf(line: LimitLine): string {
  return isReached(line) ? 'Reached in 7 days, or near' : subjectOf(line);
}

const fixed: Folding<LimitLine> = {
  isFolded: (line) => !isReached(line) && !isOwn(line),
  title: 'Fixed numbers',
  sentence: (lines) =>
    `${counted(lines.length, 'number')} that no setting of the app changes. A limit that is reached moves to the top.`,
  groupOf: headingOf,
  remarkOf: (lines) => {
    const byOperator = lines.filter(({ change }) => change !== null).length;
    return byOperator === 0 ? '' : `${count(byOperator)} set by the operator`;
  },
};

/** Position of a limit in the list: reached limits, then those that a builder can change, then fixed limits. */
const rankOf = (line: LimitLine): number => (isReached(line) ? 0 : isOwn(line) ? 1 : 2) * RANKS + subjectRank(line);

/** More than the number of subjects. */
const RANKS = 100;

const textOf = (line: LimitLine): string =>
  [line.id, line.meaning, line.code, setIn(line), line.change?.key].join('\n');

/** Returns the subject of a limit within a sentence: "the largest request body". */
const boundOf = ({ meaning }: LimitLine): string =>
  meaning.slice(0, 1).toLowerCase() + meaning.slice(1).replace(/[;.].*$/s, '');

/**
 * Answers the question of the chapter: "1 limit was reached in 24 hours, at last …. You can change 12 limits; 2 of them
 * are not at their default. 90 more are fixed."
 */
function Answer({
  appRef,
  chapter: { limits, figures, missing_rights: missing },
}: {
  appRef: string;
  chapter: LimitsChapter;
}) {
  const own = limits.filter(isOwn).length;
  const changed = limits.filter(keeps.changed).length;
  const hit = limits
    .filter(({ figures }) => (figures?.day ?? 0) > 0)
    .toSorted((a, b) => (b.figures?.last_at ?? '').localeCompare(a.figures?.last_at ?? ''));
  const [last] = hit;
  const proof = figureLink('table-9-1');
  return (
    <>
      {last ? (
        <>
          {proof(counted(hit.length, 'limit'))} {hit.length === 1 ? 'was' : 'were'} reached in 24 hours, at last{' '}
          <Link to="/app/$ref/limits" params={{ ref: appRef }} search={{ limit: last.id }} className={liveValueClass}>
            {boundOf(last)}
          </Link>
          .
        </>
      ) : (
        'No limit was reached in 24 hours.'
      )}{' '}
      You can change {proof(counted(own, 'limit'))};{' '}
      {changed === 0 ? (
        'each is'
      ) : (
        <>
          {proof(count(changed))} {changed === 1 ? 'is not' : 'are not'}
        </>
      )}{' '}
      at {changed > 1 ? 'their' : 'its'} default. {proof(count(limits.length - own))} more are fixed.
      {figures && <Backup {...figures} />}
      {missing?.map((right) => ` The node cannot ${serverRights[right].lacks}. ${serverRights[right].effect}`)}
    </>
  );
}

/** Says what a loss of the machine would cost, and whether a restore was proven. */
function Backup({ backup_at, complete_at, drill }: BackupFigures) {
  const now = Date.now();
  if (complete_at === null || backup_at === null) return ' The node has no backup yet.';
  return (
    <>
      {' '}
      A loss of the machine would cost the last {duration(Math.max(1000, now - Date.parse(complete_at)))}; the last base
      backup is {duration(now - Date.parse(backup_at))} old,{' '}
      {drill === null ? (
        'and no restore was tried yet.'
      ) : (
        <>
          and the restore that was tried {ago(drill.at, now)} {drill.is_passed ? 'agreed with the node' : 'failed'}.
        </>
      )}
    </>
  );
}

const descriptor: ListDescriptor<'limits', LimitLine> = {
  chapter: 'limits',
  parameter: 'limit',
  number: 'Table 9.1',
  what: ['limit', 'limits'],
  items: ({ limits }) => limits.toSorted((a, b) => rankOf(a) - rankOf(b)),
  textOf,
  labelOf: ({ meaning }) => meaning,
  groupOf: headingOf,
  Answer,
  changes,
};
