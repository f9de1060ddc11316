import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { PurposeChapter } from '../../../../contract/description.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Figure } from '../../../ui/figure.tsx';
import { FlashOnChange, figureLink } from '../../../ui/live-value.tsx';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { Skeleton, Table } from '../../../ui/table.tsx';
import { count, counted } from '../../format/format.ts';
import { activity } from '../../queries/apps.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { useChapter } from '../use-chapter.ts';
import { DescriptionForm } from './description-form.tsx';
import styles from './purpose.module.css';

const changes = [
  'Edit it here',
  <span key="sql">
    Or call <code>ninefold.describe_app(name =&gt; …, purpose =&gt; …, audience =&gt; …, owner =&gt; …)</code> in a
    migration, to keep the description with the code
  </span>,
  'Arguments that you leave out are reset to null',
];

/** Chapter 1: the purpose of the app, its audience, its owner and its size. */
export function PurposePage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/purpose' });
  const { chapter, stale } = useChapter(ref, 'purpose');
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const done = useCallback(() => {
    flushSync(() => setEditing(false));
    edit.current?.focus();
  }, []);
  useKeys(
    useMemo(() => [{ keys: 'e', group: 'This page', does: 'Edit description', run: () => setEditing(true) }], []),
  );
  return (
    <ChapterPage
      appRef={ref}
      chapter="purpose"
      answer={chapter && <Answer appRef={ref} chapter={chapter} />}
      sources={chapter?.sources ?? []}
      changes={changes}
    >
      <Figure
        number="Figure 1.1"
        caption="Description"
        tools={
          chapter &&
          !editing && (
            <Button ref={edit} small icon={IconPencil} onClick={() => setEditing(true)}>
              Edit
            </Button>
          )
        }
      >
        {chapter && editing ? (
          <DescriptionForm appRef={ref} chapter={chapter} onDone={done} />
        ) : (
          <Written chapter={chapter} />
        )}
      </Figure>
      <InFigures appRef={ref} chapter={chapter} stale={stale} />
    </ChapterPage>
  );
}

function Written({ chapter }: { chapter: PurposeChapter | undefined }) {
  const lines = [
    ['Name', chapter?.name],
    ['Purpose', chapter?.purpose],
    ['Audience', chapter?.audience],
    ['Owner', chapter?.owner],
  ] as const;
  return (
    <dl className={styles.written}>
      {lines.map(([name, said]) => (
        <div key={name} className={styles.line}>
          <dt>{name}</dt>
          <dd>
            {said === undefined ? (
              <Skeleton width={320} />
            ) : (
              (said ?? <span className={styles.unsaid}>Not described yet</span>)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows the size of the app. Each figure links to the page that lists the counted items. */
function InFigures({
  appRef,
  chapter,
  stale,
}: {
  appRef: string;
  chapter: PurposeChapter | undefined;
  stale: boolean;
}) {
  const { data: today } = useQuery(activity(appRef));
  const { figures } = chapter ?? {};
  const rows = [
    ['Entities', figures?.entities, 'tables and views that clients reach', '/app/$ref/entities', 'Chapter 3'],
    ['Members', today?.members ?? figures?.members, 'accounts', '/app/$ref/users', 'Users'],
    ['Sessions', today?.sessions, 'active sessions', '/app/$ref/sessions', 'Sessions'],
    [
      'Calls',
      today?.today.calls ?? figures?.calls_today,
      'requests since midnight, UTC',
      '/app/$ref/calls',
      'Chapter 7',
    ],
  ] as const;
  return (
    <Figure number="Table 1.2" caption="In figures">
      <div className={styles.figures}>
        <Table label="The app in figures" stale={stale}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" className="num">
                Count
              </th>
              <th scope="col" className={styles.what}>
                What is counted
              </th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, value, what, to, page]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="num">
                  {value === undefined ? (
                    <Skeleton width={32} />
                  ) : (
                    <FlashOnChange value={value}>{count(value)}</FlashOnChange>
                  )}
                </td>
                <td className={classNames(styles.what, 'soft')}>{what}</td>
                <td>
                  <Link to={to} params={{ ref: appRef }}>
                    {page}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Figure>
  );
}

/**
 * Answers the question of the chapter: "Customers write to us here. 8 entities and 1,946 members; 412 calls were
 * answered today."
 */
function Answer({ appRef, chapter: { purpose, figures } }: { appRef: string; chapter: PurposeChapter }) {
  const { data: today } = useQuery(activity(appRef));
  const members = today?.members ?? figures?.members;
  const calls = today?.today.calls ?? figures?.calls_today;
  const proof = figureLink('table-1-2');
  return (
    <>
      {purpose === null ? 'No purpose defined yet.' : shortened(purpose)}
      {figures && members !== undefined && calls !== undefined && (
        <>
          {' '}
          The app has {proof(counted(figures.entities, 'entity', 'entities'))} for {proof(counted(members, 'member'))};{' '}
          {proof(calls === 0 ? 'no call' : counted(calls, 'call'))} {calls < 2 ? 'was' : 'were'} answered today.
        </>
      )}
    </>
  );
}

/** Returns the first sentence, so that the answer stays short. The figure shows the complete text. */
function shortened(purpose: string): string {
  const first = /^[\s\S]*?[.!?](?=\s|$)/.exec(purpose)?.[0] ?? purpose;
  if (first.length <= 160) return /[.!?]$/.test(first) ? first : `${first}.`;
  return `${first.slice(0, first.lastIndexOf(' ', 158))} …`;
}
