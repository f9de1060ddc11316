import { type ReactNode, useState } from 'react';
import type { Screen, ScreenKind, ScreensChapter } from '../../../../contract/description.ts';
import { Empty } from '../../../ui/empty.tsx';
import { figureLink } from '../../../ui/live-value.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { count, counted, listed, shortId } from '../../format/format.ts';
import { ListChapter, type ListDescriptor } from '../list/list-chapter.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { ScreenPanel } from './screen-panel.tsx';

const screenColumns: readonly ListColumn<ListedScreen>[] = [
  { name: 'Route', bar: 110, cell: ({ route }) => <code>{route}</code> },
  { name: 'Title', look: 'words', share: 35, rank: 'second', bar: 90, cell: ({ title }) => title },
  { name: 'Kind', bar: 40, cell: ({ kind }) => kind },
  { name: 'Shows', rank: 'third', bar: 70, cell: ({ entity }) => <code>{shortId(entity)}</code> },
  {
    name: 'For',
    look: 'words',
    share: 65,
    rank: 'third',
    bar: 120,
    cell: ({ roles }) => (roles.length > 0 ? roles.join(', ') : <span className="soft">no role</span>),
  },
  { name: 'Origin', bar: 60, cell: (screen) => <Origin screen={screen} /> },
];

/** Shows the source of a screen, and whether the screen can be shown. */
function Origin({ screen: { origin, broken } }: { screen: Screen }) {
  if (broken.length > 0) return <Verdict of="disagrees" words="broken" />;
  if (origin === 'derived') return <span className="soft">the entity</span>;
  return <Tag>{origin === 'defined' ? 'defined' : 'overridden'}</Tag>;
}
/** A screen with its route as `id`, which the list components require. */
type ListedScreen = Screen & { id: string };

/** Sentences that describe how to change the screens. */
export const screenChanges = [
  'Edit it beside its preview; the editor writes the migration',
  <span key="define">
    Or define one with <code>ninefold.define_screen(route, title, kind, entity, …)</code>; the route of a derived screen
    replaces that screen
  </span>,
  <span key="drop">
    <code>ninefold.drop_screen(route)</code> deletes it; the screen that is derived from the entity returns
  </span>,
  'A table or view in an exposed schema gets its screens as soon as you create it',
];

/** The text of a page of an app without screens. */
export const noScreens = (
  <Empty title="No screens yet">
    <p>Create a table in an exposed schema to get a list, a detail and a form.</p>
  </Empty>
);

type Choice = 'all' | 'defined' | 'broken';
const keeps: Readonly<Record<Choice, (screen: Screen) => boolean>> = {
  all: () => true,
  defined: ({ origin }) => origin !== 'derived',
  broken: ({ broken }) => broken.length > 0,
};

/** The list of all screens as a table, with a panel for each. */
export function ScreenList({ appRef: ref, tabs }: { appRef: string; tabs: ReactNode }) {
  const [choice, setChoice] = useState<Choice>('all');
  return (
    <ListChapter
      appRef={ref}
      of={descriptor}
      caption="All screens, by route"
      tools={
        <>
          <Segmented
            label="Which screens"
            value={choice}
            options={[
              ['all', 'All'],
              ['defined', 'Defined'],
              ['broken', 'Broken'],
            ]}
            onChange={setChoice}
          />
          {tabs}
        </>
      }
      columns={screenColumns}
      keep={keeps[choice]}
      none={noScreens}
      panel={(screen, steps) => <ScreenPanel appRef={ref} screen={screen} {...steps} />}
    />
  );
}

/** Returns the searchable text of a screen: route, title, content and roles. */
const textOf = ({ route, title, entity, columns, roles }: Screen): string =>
  [route, title, entity, ...columns, ...roles].join('\n');

const kinds: readonly (readonly [ScreenKind, string])[] = [
  ['list', 'list'],
  ['detail', 'detail'],
  ['form', 'form'],
  ['board', 'board'],
  ['calendar', 'calendar'],
  ['gallery', 'gallery'],
  ['figures', 'page of figures'],
];

/**
 * Answers the question of the chapter: "25 screens: 9 lists, 7 details, 8 forms and 1 board. 3 are defined; 1 is
 * broken."
 */
function Answer({ chapter: { screens } }: { chapter: ScreensChapter }) {
  if (screens.length === 0) return <>This app has no screens.</>;
  const defined = screens.filter(keeps.defined).length;
  const broken = screens.filter(keeps.broken).length;
  const proof = figureLink('table-2-1');
  const parts = kinds.flatMap(([kind, word]) => {
    const many = screens.filter((screen) => screen.kind === kind).length;
    return many === 0 ? [] : [counted(many, word)];
  });
  return (
    <>
      {proof(counted(screens.length, 'screen'))}: {listed(parts)}.{' '}
      {defined === 0 ? (
        'All are derived from the entities.'
      ) : (
        <>
          {proof(count(defined))} {defined === 1 ? 'is' : 'are'} defined, the others are derived from the entities.
        </>
      )}
      {broken > 0 && <> {proof(`${count(broken)} ${broken === 1 ? 'is' : 'are'} broken`, true)}.</>}
    </>
  );
}

const descriptor: ListDescriptor<'screens', Screen & { readonly id: string }> = {
  chapter: 'screens',
  parameter: 'screen',
  number: 'Table 2.1',
  what: ['screen', 'screens'],
  items: ({ screens }) => screens.map((screen) => ({ ...screen, id: screen.route })),
  textOf,
  Answer,
  changes: screenChanges,
};
