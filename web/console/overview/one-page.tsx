import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { OnePage, OnePageSection } from '../../../contract/one-page.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { count } from '../format/format.ts';
import { Page } from '../layout/page.tsx';
import { QueryFailure } from '../layout/query-failure.tsx';
import { SpecificationVersion } from '../layout/specification-version.tsx';
import { useAppName } from '../layout/use-app-name.ts';
import { specification } from '../queries/specification.ts';
import { onePage } from '../queries/specification-export.ts';
import { ExportMenu } from './export-menu.tsx';
import styles from './one-page.module.css';

/** One page that explains the app to a reader without technical knowledge, for reading, printing and sharing. */
export function OnePagePage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/one-page' });
  const name = useAppName(ref);
  const { data: hash } = useQuery({ ...specification(ref), select: (known) => known.hash });
  const query = useQuery({ ...onePage(ref, hash ?? ''), enabled: hash !== undefined });
  const question = `What does ${name} do?`;
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'In one page' }]}
      question={question}
      tools={<SpecificationVersion appRef={ref} />}
      fetching={query.isLoading}
    >
      <PageHeader name={`${name} in one page`} question={question}>
        {query.data?.purpose ?? (query.data ? 'No purpose defined yet.' : null)}
      </PageHeader>
      <div className={styles.tools}>
        <Button icon={IconPrinter} onClick={() => window.print()}>
          Print or save as PDF
        </Button>
        <ExportMenu appRef={ref} />
        <CopyButton text={() => location.href} what="the link to this page" word="Copy link" />
      </div>
      <QueryFailure query={query} />
      {query.data ? <Written page={query.data} /> : query.isPending && <Skeleton width={480} />}
    </Page>
  );
}

function Written({ page }: { page: OnePage }) {
  const about = [
    ['For', page.audience],
    ['Owner', page.owner],
  ].filter(([, text]) => text !== null);
  return (
    <article className={styles.page} aria-label={`${page.name} in one page`}>
      {about.length > 0 && (
        <dl className={styles.lines}>
          {about.map(([term, text]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      {page.sections.map((section) => (
        <Section key={section.title} section={section} />
      ))}
      <p className={styles.origin}>
        Derived from the running app {page.ref}, version <code>{page.version}</code> of its specification.
      </p>
    </article>
  );
}

const Section = ({ section: { title, lines, more } }: { section: OnePageSection }) => (
  <section>
    <h2>{title}</h2>
    <dl className={styles.lines}>
      {lines.map(({ term, words }) => (
        <div key={`${term} ${words}`}>
          <dt>{term}</dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
    {more > 0 && <p className="soft">{count(more)} more in the specification.</p>}
  </section>
);
