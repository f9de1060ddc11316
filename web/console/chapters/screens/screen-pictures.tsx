import { useMediaQuery } from '@mantine/hooks';
import { IconArrowsDiagonal, IconListDetails, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ScreensChapter } from '../../../../contract/description.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FlashOnChange, figureLink, liveValueClass } from '../../../ui/live-value.tsx';
import { count, counted } from '../../format/format.ts';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { type PreviewCaller, screensOfCaller } from '../../queries/preview.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { useChapter } from '../use-chapter.ts';
import { CallerChoiceFields, useScreenCounts } from './caller-choice.tsx';
import { MenuPanel } from './menu-panel.tsx';
import styles from './pictures.module.css';
import { PreviewQueue, PreviewQueueContext } from './preview/preview-queue.ts';
import { brokenScreens, HOME } from './screen-groups.ts';
import { noScreens, screenChanges } from './screen-list.tsx';
import { Pictures } from './screen-picture.tsx';
import { type CallerChoice, type MemberKind, useCallerChoice } from './use-caller-choice.ts';

/** Width from which the panel of the menu has room beside the pictures. */
const WIDE = '(min-width: 1180px)';

/** The screens of one kind of member as pictures: each is the real page with rows of a member. */
export function ScreenPictures({ appRef, tabs }: { appRef: string; tabs: ReactNode }) {
  const { chapter } = useChapter(appRef, 'screens');
  const choice = useCallerChoice(appRef);
  const { caller, member, kind } = choice;
  const all = useQuery({ ...screensOfCaller(appRef, caller ?? 'anon'), enabled: caller !== undefined });
  const [queue] = useState(() => new PreviewQueue());
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) ?? true;
  const [asked, setAsked] = useState<boolean | null>(null);
  const isMenuOpen = asked ?? isWide;
  const opened = member?.name ?? kind.one;
  return (
    <ChapterPage
      appRef={appRef}
      chapter="screens"
      question="What does each member see?"
      answer={chapter && <Answer appRef={appRef} chapter={chapter} choice={choice} />}
      sources={chapter?.sources ?? []}
      changes={screenChanges}
      narrowPanel
      panel={
        isMenuOpen &&
        all.data &&
        caller && (
          <MenuPanel
            appRef={appRef}
            caller={caller}
            one={kind.one}
            all={all.data}
            role={roleOf(kind.caller)}
            {...(!isWide && { onClose: () => setAsked(false) })}
          />
        )
      }
    >
      <div className={styles.bar}>
        <CallerChoiceFields appRef={appRef} choice={choice} />
        <span className={styles.tools}>
          {!isMenuOpen && (
            <Button icon={IconListDetails} onClick={() => setAsked(true)}>
              Menu
            </Button>
          )}
          <Link
            className={buttonClass()}
            to="/app/$ref/screens"
            params={{ ref: appRef }}
            search={{ open: HOME, as: kind.id, ...(member && { member: member.id }) }}
          >
            <Icon of={IconArrowsDiagonal} />
            Open as {opened}
          </Link>
          <Link
            className={buttonClass({ kind: 'first' })}
            to="/app/$ref/screens"
            params={{ ref: appRef }}
            search={{ edit: 'new' }}
          >
            <Icon of={IconPlus} />
            New screen
          </Link>
          {tabs}
        </span>
      </div>
      <QueryFailure query={all} />
      {chapter?.screens.length === 0 ? noScreens : all.data?.screens.length === 0 && <NoScreen kind={kind} />}
      <PreviewQueueContext value={queue}>
        {all.data && caller && chapter?.screens.length !== 0 && (
          <Pictures appRef={appRef} all={all.data} choice={choice} broken={brokenScreens(chapter ?? { screens: [] })} />
        )}
      </PreviewQueueContext>
    </ChapterPage>
  );
}

/** Returns the role of a kind of member, as ninefold.define_menu names it. */
const roleOf = (caller: PreviewCaller): string =>
  caller === 'anon' ? caller : (('role' in caller ? caller.role : null) ?? 'authenticated');

const NoScreen = ({ kind }: { kind: MemberKind }) => (
  <Empty title={`No screen for ${kind.one}`}>
    <p>
      {kind.caller === 'anon'
        ? 'Visitors get the page to sign in. Grant anon the right to read a table, and they see its screens.'
        : 'Grant the role a right on a table, or define a screen for it.'}
    </p>
  </Empty>
);

/** Answers the question of the chapter: "23 screens. An agent has 14, a lead 18, a visitor 2. None is broken." */
function Answer({ appRef, chapter, choice }: { appRef: string; chapter: ScreensChapter; choice: CallerChoice }) {
  const counts = useScreenCounts(appRef, choice);
  const screens = chapter.screens.length + (chapter.pages?.length ?? 0);
  if (screens === 0) return <>This app has no screens.</>;
  const broken = brokenScreens(chapter).length;
  const known = choice.kinds.flatMap((kind, i) => (counts[i] === undefined ? [] : [{ kind, screens: counts[i] }]));
  return (
    <>
      <Link className={liveValueClass} to="/app/$ref/screens" params={{ ref: appRef }} search={{ view: 'list' }}>
        {counted(screens, 'screen')}
      </Link>
      .{' '}
      {known.toReversed().map(({ kind, screens: many }, i) => (
        <span key={kind.id}>
          {i === 0 ? `${kind.one.charAt(0).toUpperCase()}${kind.one.slice(1)} has ` : `${kind.one} `}
          <button type="button" className={styles.figure} onClick={() => choice.choose(kind)}>
            <FlashOnChange value={many}>{count(many)}</FlashOnChange>
          </button>
          {i === known.length - 1 ? '. ' : ', '}
        </span>
      ))}
      {broken === 0 ? (
        'None is broken.'
      ) : (
        <>{figureLink('broken')(`${count(broken)} ${broken === 1 ? 'is' : 'are'} broken`, true)}.</>
      )}
    </>
  );
}
