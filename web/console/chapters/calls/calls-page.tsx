import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { StatisticsWindow } from '../../../../contract/observed.ts';
import type {
  CallEntry,
  CallSetting,
  CallsChapter,
  DefinitionEntry,
} from '../../../../contract/specification-calls.ts';
import { figureLink } from '../../../ui/live-value.tsx';
import { count, counted } from '../../format/format.ts';
import { activity } from '../../queries/apps.ts';
import { specification } from '../../queries/specification.ts';
import type { Folding } from '../list/folded-groups.tsx';
import { ListChapter, type ListDescriptor } from '../list/list-chapter.tsx';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';
import { useChapter } from '../use-chapter.ts';
import { WindowChoice } from '../window-choice.tsx';
import { callColumns, callGroups } from './call-columns.tsx';
import { CallPanel } from './call-panel.tsx';
import { FunctionTable } from './function-table.tsx';
import { JobTable } from './job-table.tsx';

const definitionColumns: readonly WordsColumn<DefinitionEntry>[] = [
  { name: 'Object', look: 'name', cell: ({ id }) => <code>{id}</code>, title: ({ id }) => id },
  { name: 'Definition', look: 'words', cell: ({ sql }) => <code>{sql}</code>, title: ({ sql }) => sql },
];

/** Table of types, operators and other objects that statements use and that no other chapter describes. */
const DefinitionTable = ({ number, definitions }: { number: string; definitions: readonly DefinitionEntry[] }) => (
  <TextTable
    number={number}
    caption="Types and other definitions"
    what={['Definitions', 'definitions']}
    columns={definitionColumns}
    rows={definitions}
    keyOf={({ id }) => id}
  />
);

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
  const { chapter } = useChapter(ref, 'calls');
  const { data } = useQuery(specification(ref));
  const [window, setWindow] = useState<StatisticsWindow>('day');
  const narrow = useMediaQuery('(max-width: 1100px)', false, { getInitialValueInEffect: false });
  const folding = useMemo(() => foldingOf(window), [window]);
  const columns = useCallback(
    (selected: CallEntry | null) => callColumns(window, narrow || selected !== null),
    [window, narrow],
  );
  return (
    <ListChapter
      appRef={ref}
      of={descriptor}
      caption="Calls of the app, relative to its URL"
      tools={<WindowChoice value={window} onChange={setWindow} />}
      columns={columns}
      folding={folding}
      panel={(call, steps) => data && <CallPanel appRef={ref} call={call} specification={data} {...steps} />}
    >
      {() => (
        <>
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
        </>
      )}
    </ListChapter>
  );
}

/**
 * Returns the number of the table that follows the first `place` tables of the list. Empty tables are not shown, so
 * they are not counted.
 */
function tableNumber({ functions, jobs, definitions }: CallsChapter, place: 1 | 2 | 3): string {
  const before = [functions, jobs, definitions].slice(0, place).filter(({ length }) => length > 0).length;
  return `Table 7.${before + 2}`;
}

/** Returns true for a call that belongs to this app: on its rows, to its functions, or to its edge functions. */
const isOfApp = ({ area }: CallEntry): boolean => area === 'rest' || area === 'rpc' || area === 'functions';

/** Puts the calls that every app has into closed groups, each with its requests within a time window. */
const foldingOf = (window: StatisticsWindow): Folding<CallEntry> => ({
  isFolded: (call) => !isOfApp(call),
  title: 'Calls that every app has',
  sentence: (calls) => `${counted(calls.length, 'call')} for sign-in, files and channels.`,
  groupOf: ({ area }) => callGroups[area],
  remarkOf: (calls) => {
    const made = calls.reduce((sum, { figures }) => sum + (figures?.[window].calls ?? 0), 0);
    return made === 0 ? '' : counted(made, 'request');
  },
});

/** Functions come first, because the app has written them. */
const areas: readonly CallEntry['area'][] = ['functions', 'rpc', 'rest', 'auth', 'storage', 'realtime'];
const rankOf = ({ area }: CallEntry): number => areas.indexOf(area);

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
  const proof = figureLink('table-7-1');
  return (
    <>
      {proof(counted(calls.length, 'call'))}: {proof(count(of('auth')))} for sign-in, {proof(count(of('rest')))} on
      rows, {of('storage') > 0 && <>{proof(count(of('storage')))} on files, </>}
      {of('realtime') > 0 && <>{proof(count(of('realtime')))} of realtime, </>}
      {of('functions') > 0 && <>{proof(count(of('functions')))} of edge functions, </>}
      {proof(count(of('rpc')))} to functions{describing && ', and one that describes these'}. Without a session{' '}
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

const descriptor: ListDescriptor<'calls', CallEntry> = {
  chapter: 'calls',
  parameter: 'call',
  number: 'Table 7.1',
  what: ['call', 'calls'],
  items: ({ calls }) => calls.toSorted((a, b) => rankOf(a) - rankOf(b)),
  textOf,
  labelOf: ({ method, path }) => `${method} ${path}`,
  groupOf: ({ area }) => callGroups[area],
  Answer,
  changes,
};

/** Columns of the table of settings. */
const settingColumns: readonly WordsColumn<CallSetting>[] = [
  { name: 'Setting', look: 'name', cell: ({ key }) => <code>{key}</code>, title: ({ key }) => key },
  { name: 'Value', look: 'name', cell: ({ value }) => <code>{value}</code>, title: ({ value }) => value },
  { name: 'Meaning', look: 'words', cell: ({ meaning }) => meaning, title: ({ meaning }) => meaning },
  { name: 'Set in', look: 'wide', cell: ({ set_in }) => (set_in === 'code' ? 'default' : set_in) },
];

/** Table of the settings that affect responses. Settings that set a number are limits and are in chapter 9. */
const SettingTable = ({ number, settings }: { number: string; settings: readonly CallSetting[] }) => (
  <TextTable
    number={number}
    caption="Settings for responses"
    what={['Settings of calls', 'settings']}
    columns={settingColumns}
    rows={settings}
    keyOf={({ key }) => key}
  />
);
