import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { StatisticsWindow } from '../../../../contract/observed.ts';
import type { ErrorLine, ErrorsChapter } from '../../../../contract/specification.ts';
import { figureLink, liveValueClass } from '../../../ui/live-value.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { count, counted } from '../../format/format.ts';
import { activity } from '../../queries/apps.ts';
import type { Folding } from '../list/folded-groups.tsx';
import { ListChapter, type ListDescriptor } from '../list/list-chapter.tsx';
import { useChapter } from '../use-chapter.ts';
import { WindowChoice } from '../window-choice.tsx';
import { anyError, ErrorChoice, type Narrowed } from './error-choice.tsx';
import { errorColumns } from './error-columns.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { decidedBy, decisions, errorFrom, errorName, times, windowWords } from './error-words.ts';
import { FailedCalls } from './failed-calls.tsx';

const changes = [
  <span key="comment">
    Describe a rule with <code>comment on constraint</code>
  </span>,
  <span key="raise">
    Raise your own code: <code>raise … using errcode, hint</code>
  </span>,
];

type Met = 'met' | 'all';

/** Chapter 8: every possible error, its meaning, the action, and its frequency. */
export function ErrorsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/errors' });
  const { chapter } = useChapter(ref, 'errors');
  const [window, setWindow] = useState<StatisticsWindow>('day');
  const [which, setWhich] = useState<Met>('met');
  const [narrowed, setNarrowed] = useState<Narrowed>(anyError);

  const fitting = useMemo(() => chapter?.errors.filter(fits(narrowed)) ?? [], [chapter, narrowed]);
  const met = fitting.filter((line) => times(line, window) > 0).length;
  const keep = useMemo(() => fits(narrowed), [narrowed]);
  const folding = useMemo(() => (which === 'met' ? foldingOf(window) : undefined), [which, window]);
  const columns = useCallback((selected: ErrorLine | null) => errorColumns(ref, window, selected), [ref, window]);

  return (
    <ListChapter
      appRef={ref}
      of={descriptor}
      caption={
        <Segmented
          label="Which errors"
          value={which}
          options={[
            ['met', `Occurred ${count(met)}`],
            ['all', `All ${count(fitting.length)}`],
          ]}
          onChange={setWhich}
        />
      }
      tools={
        <>
          <WindowChoice value={window} onChange={setWindow} />
          <ErrorChoice errors={chapter?.errors ?? none} value={narrowed} onChange={setNarrowed} />
        </>
      }
      columns={columns}
      keep={keep}
      folding={folding}
      noneKept={`No error occurred ${windowWords[window]}.`}
      panel={(line, steps) => <ErrorPanel key={line.id} appRef={ref} line={line} {...steps} />}
    >
      {() => chapter && <FailedCalls appRef={ref} errors={chapter.errors} />}
    </ListChapter>
  );
}

const none: readonly ErrorLine[] = [];

/** Puts errors that did not occur within a time window into closed groups. */
const foldingOf = (window: StatisticsWindow): Folding<ErrorLine> => ({
  isFolded: (line) => times(line, window) === 0,
  title: `Did not occur ${windowWords[window]}`,
  sentence: (lines) => `${counted(lines.length, 'error')}. An error that occurs moves to the top.`,
  groupOf: decidedBy,
});

const fits =
  ({ group, status }: Narrowed) =>
  (line: ErrorLine): boolean =>
    (group === null || line.group === group) && (status === null || line.statuses.includes(status));

const textOf = (line: ErrorLine): string =>
  [errorName(line), line.code, line.statuses.join(' '), line.meaning, errorFrom(line), line.message].join('\n');

/**
 * Answers the question of the chapter: "94 errors are possible; 17 occurred in 24 hours, 450 times in 214,380 calls.
 * The most frequent is PGRST303."
 */
function Answer({ appRef, chapter: { errors } }: { appRef: string; chapter: ErrorsChapter }) {
  const { data } = useQuery(activity(appRef));
  const met = errors.filter((line) => times(line, 'day') > 0);
  const often = met.reduce((sum, line) => sum + times(line, 'day'), 0);
  const calls = data?.hours.reduce((sum, hour) => sum + hour.calls, 0);
  const max = met.toSorted((a, b) => times(b, 'day') - times(a, 'day'))[0];
  const proof = figureLink('table-8-1');
  return (
    <>
      {proof(counted(errors.length, 'error'))} {errors.length === 1 ? 'is' : 'are'} possible;{' '}
      {met.length === 0 ? (
        'none occurred in 24 hours.'
      ) : (
        <>
          {proof(count(met.length))} occurred in 24 hours, {proof(counted(often, 'time'))}
          {calls !== undefined && calls >= often && ` in ${counted(calls, 'call')}`}.
          {max && (
            <>
              {' '}
              The most frequent is{' '}
              <Link
                to="/app/$ref/errors"
                params={{ ref: appRef }}
                search={{ error: max.id }}
                className={liveValueClass}
              >
                {errorName(max)}
              </Link>
              .
            </>
          )}
        </>
      )}
    </>
  );
}

const rankOf = (line: ErrorLine): number => decisions.indexOf(decidedBy(line));

const descriptor: ListDescriptor<'errors', ErrorLine> = {
  chapter: 'errors',
  parameter: 'error',
  number: 'Table 8.1',
  what: ['error', 'errors'],
  items: ({ errors }) => errors.toSorted((a, b) => rankOf(a) - rankOf(b)),
  textOf,
  labelOf: (line) => `${errorName(line)}, ${errorFrom(line)}`,
  groupOf: decidedBy,
  Answer,
  changes,
};
