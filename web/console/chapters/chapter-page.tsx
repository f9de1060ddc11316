import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Specification } from '../../../contract/specification.ts';
import type { Source } from '../../../contract/specification-source.ts';
import { Icon } from '../../ui/icon.tsx';
import { AsOf, PageHeader } from '../../ui/page-header.tsx';
import { Page } from '../layout/page.tsx';
import { QueryFailure } from '../layout/query-failure.tsx';
import { SpecificationVersion } from '../layout/specification-version.tsx';
import { type BuiltChapter, chapterPage, chapterPages } from '../navigation/chapter-pages.ts';
import { figuresAt, specification } from '../queries/specification.ts';
import styles from './chapter-page.module.css';

/**
 * Layout of every chapter: the answer, figures and tables, sources, ways to change them, neighbouring chapters. The
 * chapter itself supplies the answer, the figures and the panel.
 */
export function ChapterPage({
  appRef,
  chapter,
  question: asked,
  answer,
  sources,
  changes,
  panel,
  narrowPanel = false,
  children,
}: {
  appRef: string;
  chapter: BuiltChapter;
  /** By default, the question of the chapter. */
  question?: string;
  /** Undefined until the answer is known. */
  answer: ReactNode | undefined;
  sources: readonly Source[];
  /** Sentences that describe how to change the chapter's content. */
  changes: readonly ReactNode[];
  panel?: ReactNode;
  /** True if the panel is narrow. */
  narrowPanel?: boolean;
  children: ReactNode;
}) {
  const query = useQuery(specification(appRef));
  const { number, name, question: usual } = chapterPage(chapter);
  const question = asked ?? usual;
  return (
    <Page
      appRef={appRef}
      crumbs={[{ text: `${number} ${name}` }]}
      question={question}
      tools={<SpecificationVersion appRef={appRef} />}
      panel={panel}
      narrowPanel={narrowPanel}
      fetching={query.isLoading}
    >
      <PageHeader numeral={number} name={name} question={question}>
        {answer ? (
          <>
            {answer} <AsOf at={figuresAt(query)} live={!query.isError} />
          </>
        ) : (
          query.isError && 'Currently unavailable.'
        )}
      </PageHeader>
      <QueryFailure query={query} />
      {(query.data || query.isPending) && children}
      {query.data && <Feet appRef={appRef} sources={sources} changes={changes} />}
      {!query.isPending && <Turn appRef={appRef} chapter={chapter} specification={query.data} />}
    </Page>
  );
}

/** Lists the sources of a page and the ways to change its content. */
export function Feet({
  appRef,
  sources,
  changes,
}: {
  appRef: string;
  sources: readonly Source[];
  changes: readonly ReactNode[];
}) {
  const numbered = useMemo(() => changes.map((words, place) => ({ number: place + 1, words })), [changes]);
  return (
    <div className={styles.feet}>
      <section>
        <h2>Sources</h2>
        <ol>
          {sources.map(({ label, sql }, place) => (
            <li key={label}>
              <span>{String.fromCharCode(97 + place)}</span>
              <span>
                {label}
                {sql !== undefined && (
                  <>
                    {' '}
                    <Link
                      to="/app/$ref/sql"
                      params={{ ref: appRef }}
                      search={{ sql }}
                      aria-label={`${label}: open in SQL`}
                    >
                      SQL
                    </Link>
                  </>
                )}
              </span>
            </li>
          ))}
        </ol>
      </section>
      <section>
        <h2>How to change it</h2>
        <ol>
          {numbered.map(({ number, words }) => (
            <li key={number}>
              <span>{number}</span>
              <span>{words}</span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function Turn({
  appRef,
  chapter,
  specification: known,
}: {
  appRef: string;
  chapter: BuiltChapter;
  specification: Specification | undefined;
}) {
  const pages = chapterPages(known);
  const here = pages.findIndex(({ key }) => key === chapter);
  const previous = pages[here - 1];
  const next = pages[here + 1];
  const params = { ref: appRef };
  return (
    <nav className={styles.turn} aria-label="Previous and next chapter">
      {previous && (
        <Link to={previous.to} params={params}>
          <Icon of={IconArrowLeft} />
          <span>{previous.number}</span>
          {previous.name}
        </Link>
      )}
      {next && (
        <Link to={next.to} params={params} className={styles.next}>
          {next.name}
          <span>{next.number}</span>
          <Icon of={IconArrowRight} />
        </Link>
      )}
    </nav>
  );
}
