import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { StatisticsWindow } from '../../../../contract/observed.ts';
import type { CallEntry, CallsChapter } from '../../../../contract/specification-calls.ts';
import { FlashOnChange, liveValueClass } from '../../../ui/live-value.tsx';
import { activity } from '../../data/apps/activity.ts';
import { specification } from '../../data/specification/specification.ts';
import { count, counted } from '../../format/format.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { useSelectedId } from '../list/list-hooks.ts';
import { MainTable } from '../list/main-table.tsx';
import { useList } from '../list/use-list.ts';
import { useChapter } from '../use-chapter.ts';
import { WindowChoice } from '../window-choice.tsx';
import { callColumns, callGroups } from './call-columns.tsx';
import { CallPanel } from './call-panel.tsx';
import { DefinitionTable } from './definition-table.tsx';
import { FunctionTable } from './function-table.tsx';
import { JobTable } from './job-table.tsx';
import { SettingTable } from './setting-table.tsx';

const changes = [
  'A table, view or function in an exposed schema gets its calls as soon as you create it',
  <span key="grant">
    Remove a call from a role with <code>revoke</code>: see chapter 6
  </span>,
  <span key="comment">
    Change the description of a call with <code>comment on</code> its table or function
  </span>,
];

/** Chapter 7: the calls of the app, their callers and their responses. */
export function CallsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/calls' });
  const { chapter, stale } = useChapter(ref, 'calls');
  const { data } = useQuery(specification(ref));
  const [window, setWindow] = useState<StatisticsWindow>('day');
  const [chosen, choose] = useSelectedId('call');
  const list = useList({ items: chapter?.calls, chosen, choose, textOf });
  const { selected, close, previous, next } = list;
  const narrow = useMediaQuery('(max-width: 1100px)', false, { getInitialValueInEffect: false });
  const fewer = narrow || selected !== null;
  const columns = useMemo(() => callColumns(window, fewer), [window, fewer]);
  return (
    <ChapterPage
      appRef={ref}
      chapter="calls"
      answer={chapter && <Answer appRef={ref} chapter={chapter} />}
      sources={chapter?.sources ?? []}
      changes={changes}
      panel={
        selected &&
        data && (
          <CallPanel
            appRef={ref}
            call={selected}
            chapters={data.chapters}
            onClose={close}
            onPrevious={previous}
            onNext={next}
          />
        )
      }
    >
      <MainTable
        number="Table 7.1"
        caption="All calls, relative to the app’s URL"
        what={['call', 'calls']}
        list={list}
        columns={columns}
        tools={<WindowChoice value={window} onChange={setWindow} />}
        labelOf={({ method, path }) => `${method} ${path}`}
        groupOf={({ area }) => callGroups[area]}
        stale={stale}
      />
      {chapter?.extension_functions.map(({ extension, schema, functions }) => (
        <p key={extension} className="soft">
          {counted(functions, 'function')} of the extension <code>{extension}</code> in <code>{schema}</code>{' '}
          {functions === 1 ? 'is' : 'are'} available too, but not listed.
        </p>
      ))}
      {chapter && chapter.functions.length > 0 && <FunctionTable appRef={ref} functions={chapter.functions} />}
      {chapter && chapter.jobs.length > 0 && <JobTable number={tableNumber(chapter, 1)} jobs={chapter.jobs} />}
      {chapter && chapter.definitions.length > 0 && (
        <DefinitionTable number={tableNumber(chapter, 2)} definitions={chapter.definitions} />
      )}
      {chapter && <SettingTable number={tableNumber(chapter, 3)} settings={chapter.settings} />}
    </ChapterPage>
  );
}

/** Returns the number of the table behind the first `place` tables of the list. Empty tables are omitted and not counted. */
function tableNumber({ functions, jobs, definitions }: CallsChapter, place: 1 | 2 | 3): string {
  const before = [functions, jobs, definitions].slice(0, place).filter(({ length }) => length > 0).length;
  return `Table 7.${before + 2}`;
}

const textOf = ({ method, path, summary }: CallEntry): string => `${method} ${path} ${summary}`;

/**
 * Answers the question of the chapter: "37 calls: 4 for sign-in, 32 on rows, 1 to functions. Without a session 3 are
 * available; 214,380 requests today."
 */
function Answer({ appRef, chapter: { calls } }: { appRef: string; chapter: CallsChapter }) {
  const { data } = useQuery(activity(appRef));
  const of = (area: CallEntry['area']) => calls.filter((call) => call.area === area && call !== describing).length;
  const describing = calls.find(({ id }) => id === 'rest.describe');
  const open = calls.filter(({ roles }) => roles.includes('anon')).length;
  const proof = (text: string) => (
    <a className={liveValueClass} href="#table-7-1">
      <FlashOnChange value={text}>{text}</FlashOnChange>
    </a>
  );
  return (
    <>
      {proof(counted(calls.length, 'call'))}: {proof(count(of('auth')))} for sign-in, {proof(count(of('rest')))} on
      rows, {proof(count(of('rpc')))} to functions{describing && ', and one that describes these'}. Without a session{' '}
      {proof(count(open))} {open === 1 ? 'is' : 'are'} available
      {data && (
        <>
          ; {proof(data.today.calls === 0 ? 'no' : count(data.today.calls))}{' '}
          {data.today.calls === 1 ? 'request' : 'requests'} today
        </>
      )}
      .
    </>
  );
}
