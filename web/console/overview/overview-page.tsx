import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Activity } from '../../../contract/admin.ts';
import { exampleOf } from '../../../contract/connect-snippets.ts';
import { Dot } from '../../ui/dot.tsx';
import { EmptyChoices } from '../../ui/empty.tsx';
import { badFigureClass, FlashOnChange, liveValueClass } from '../../ui/live-value.tsx';
import { AsOf } from '../../ui/page-header.tsx';
import { KeyValues } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { ChapterPage } from '../chapters/chapter-page.tsx';
import { count, counted, share } from '../format/format.ts';
import { QueryFailure } from '../layout/query-failure.tsx';
import { useAppName } from '../layout/use-app-name.ts';
import { activity } from '../queries/apps.ts';
import { specification } from '../queries/specification.ts';
import { Attention, LastChange } from './attention.tsx';
import { CallsOfTheDay } from './calls-of-the-day.tsx';
import { ChapterList } from './chapter-list.tsx';
import { Connect } from './connect.tsx';
import { DescriptionFigure } from './description.tsx';
import { SpecificationActions } from './export-menu.tsx';
import { FirstMigrations, FirstTable } from './first-steps.tsx';
import { Largest } from './largest.tsx';
import styles from './overview.module.css';
import { SideSection } from './side-section.tsx';

const changes = [
  'Edit the description here',
  <span key="sql">
    Or call <code>ninefold.describe_app(name =&gt; …, purpose =&gt; …, audience =&gt; …, owner =&gt; …)</code> in a
    migration, to keep the description with the code
  </span>,
  'Arguments that you leave out are reset to null',
];

/**
 * Chapter 1 and the overview of an app: its purpose, its last change, what needs attention, its chapters, how to connect
 * to it, and its activity. The specification as a whole is exported and compared from here.
 */
export function OverviewPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/' });
  const name = useAppName(ref);
  const spec = useQuery(specification(ref));
  const today = useQuery(activity(ref));
  const entities = spec.data?.chapters.entities?.entities;
  const chapter = spec.data?.chapters.purpose;
  return (
    <ChapterPage
      appRef={ref}
      chapter="purpose"
      question={`What does ${name} do?`}
      answer={
        spec.data && (
          <>
            {chapter?.purpose ? `${asSentence(chapter.purpose)} ` : 'No purpose defined yet: edit the description. '}
            {today.data && <Answer appRef={ref} activity={today.data} />}
          </>
        )
      }
      sources={chapter?.sources ?? []}
      changes={changes}
    >
      <QueryFailure query={today} />
      <LastChange appRef={ref} />
      <SpecificationActions appRef={ref} />
      <div className={styles.columns}>
        <div>
          <Attention appRef={ref} specification={spec.data} activity={today.data} />
          {entities?.length === 0 && (
            <div className={styles.first}>
              <EmptyChoices>
                <FirstTable appRef={ref} />
                <FirstMigrations appRef={ref} />
              </EmptyChoices>
            </div>
          )}
          <ChapterList appRef={ref} specification={spec.data} activity={today.data} stale={spec.isError} />
          <div className={styles.description}>
            <DescriptionFigure appRef={ref} chapter={chapter} />
          </div>
          <Largest appRef={ref} entities={entities} />
        </div>
        <div>
          <Connect appRef={ref} example={entities ? exampleOf(entities) : null} />
          <CallsOfTheDay activity={today.data} />
          <Health activity={today.data} at={today.dataUpdatedAt} />
        </div>
      </div>
    </ChapterPage>
  );
}

/** Returns a text with a full stop at its end. */
const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * Describes the activity of the app: "1,946 members hold 311 sessions and made 214,380 calls today; 0.21% of them
 * failed."
 */
function Answer({ appRef, activity: { members, sessions, today } }: { appRef: string; activity: Activity }) {
  const params = { ref: appRef };
  const memberCount = members === 0 ? 'No member' : counted(members, 'member');
  return (
    <>
      <Link to="/app/$ref/users" params={params} className={liveValueClass}>
        <FlashOnChange value={members}>{memberCount}</FlashOnChange>
      </Link>{' '}
      {members === 0 ? 'yet' : members === 1 ? 'has' : 'have'}
      {members > 0 && (
        <>
          {' '}
          <Link to="/app/$ref/sessions" params={params} className={liveValueClass}>
            <FlashOnChange value={sessions}>{counted(sessions, 'session')}</FlashOnChange>
          </Link>
        </>
      )}
      {today.calls === 0 ? (
        '; no requests today.'
      ) : (
        <>
          ;{' '}
          <Link to="/app/$ref/calls" params={params} className={liveValueClass}>
            <FlashOnChange value={today.calls}>{count(today.calls)}</FlashOnChange>{' '}
            {today.calls === 1 ? 'request' : 'requests'}
          </Link>{' '}
          today,{' '}
          {today.calls === 1 ? (
            today.failed === 0 ? (
              'it did not fail.'
            ) : (
              'it failed.'
            )
          ) : today.failed === 0 ? (
            'none of them failed.'
          ) : (
            <>
              <Link
                to="/app/$ref/calls"
                params={params}
                className={today.failed * 20 > today.calls ? badFigureClass : liveValueClass}
              >
                {share(today.failed, today.calls)}
              </Link>{' '}
              failed.
            </>
          )}
        </>
      )}
    </>
  );
}

/** Shows the server and database of the app and their health. */
function Health({ activity, at }: { activity: Activity | undefined; at: number }) {
  return (
    <SideSection
      title="Health"
      least={activity ? undefined : 124}
      aside={activity && <AsOf at={at} live={false} verb="checked" />}
    >
      {activity ? (
        <KeyValues
          pairs={activity.health.map(({ name, ok, text }) => [
            name,
            <span key={name} className={ok ? styles.well : styles.unwell}>
              <Dot kind={ok ? 'ok' : 'bad'} />
              {text}
            </span>,
          ])}
        />
      ) : (
        <Skeleton width={336} />
      )}
    </SideSection>
  );
}
