import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { LimitLine, LimitsChapter } from '../../../../contract/specification.ts';
import { figureLink, liveValueClass } from '../../../ui/live-value.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { count, counted } from '../../format/format.ts';
import { ListChapter, type ListDescriptor } from '../list/list-chapter.tsx';
import { useChapter } from '../use-chapter.ts';
import { limitColumns } from './limit-columns.tsx';
import { LimitPanel } from './limit-panel.tsx';
import { groupName, isChanged, setIn } from './limit-words.ts';

const changes = [
  'Choose a limit. If an app setting stores it, you can change it in its panel',
  'The operator sets environment variables and restarts the node',
  <span key="sql">
    Change database limits with <code>alter database</code>, <code>alter role</code> and <code>alter function</code>
  </span>,
];

type Which = 'all' | 'changeable' | 'changed' | 'hit';

const keeps: Readonly<Record<Which, (line: LimitLine) => boolean>> = {
  all: () => true,
  changeable: ({ change }) => change?.by === 'setting',
  changed: isChanged,
  hit: ({ figures }) => figures !== undefined,
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
            ['changeable', `Changeable ${number('changeable')}`],
            ['changed', `Changed ${number('changed')}`],
            ['hit', `Hit ${number('hit')}`],
          ]}
          onChange={setWhich}
        />
      }
      columns={limitColumns}
      keep={keeps[which]}
      noneKept={which === 'hit' ? 'No limit was hit within 7 days.' : 'Every limit is at its default.'}
      panel={(line, steps) => <LimitPanel key={line.id} appRef={ref} line={line} {...steps} />}
    />
  );
}

const textOf = (line: LimitLine): string =>
  [line.id, line.meaning, line.code, setIn(line), line.change?.key].join('\n');

/** Returns the subject of a limit within a sentence: "the largest request body". */
const boundOf = ({ meaning }: LimitLine): string =>
  meaning.slice(0, 1).toLowerCase() + meaning.slice(1).replace(/[;.].*$/s, '');

/**
 * Answers the question of the chapter: "104 limits apply to the app; 12 of them can be changed here, 2 have been. 1 was
 * hit in 24 hours, at last …"
 */
function Answer({ appRef, chapter: { limits } }: { appRef: string; chapter: LimitsChapter }) {
  const changeable = limits.filter(keeps.changeable).length;
  const changed = limits.filter(keeps.changed).length;
  const hit = limits
    .filter(({ figures }) => (figures?.day ?? 0) > 0)
    .toSorted((a, b) => (b.figures?.last_at ?? '').localeCompare(a.figures?.last_at ?? ''));
  const [last] = hit;
  const proof = figureLink('table-9-1');
  return (
    <>
      {proof(counted(limits.length, 'limit'))} {limits.length === 1 ? 'applies' : 'apply'} to the app;{' '}
      {proof(count(changeable))} of them can be changed here, {changed === 0 ? 'none' : proof(count(changed))}{' '}
      {changed === 1 ? 'has been' : 'have been'}.{' '}
      {last ? (
        <>
          {proof(count(hit.length))} {hit.length === 1 ? 'was' : 'were'} hit in 24 hours, at last{' '}
          <Link to="/app/$ref/limits" params={{ ref: appRef }} search={{ limit: last.id }} className={liveValueClass}>
            {boundOf(last)}
          </Link>
          .
        </>
      ) : (
        'None was hit in 24 hours.'
      )}
    </>
  );
}

const descriptor: ListDescriptor<'limits', LimitLine> = {
  chapter: 'limits',
  parameter: 'limit',
  number: 'Table 9.1',
  what: ['limit', 'limits'],
  items: ({ limits }) => limits,
  textOf,
  labelOf: ({ meaning }) => meaning,
  groupOf: ({ group }) => groupName(group),
  Answer,
  changes,
};
