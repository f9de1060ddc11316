import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { Icon } from '../../ui/icon.tsx';
import { Mark } from '../../ui/mark.tsx';
import { VerdictMark } from '../../ui/verdict.tsx';
import { count } from '../format/format.ts';
import { chapterPages } from '../navigation/chapter-pages.ts';
import { nodePages } from '../navigation/node-pages.ts';
import { toolPages } from '../navigation/tool-pages.ts';
import { isOutdated } from '../queries/api-failure.ts';
import { builder } from '../queries/session.ts';
import { specification } from '../queries/specification.ts';
import { versionList } from '../queries/versions.ts';
import { AppSwitcher } from './app-switcher.tsx';
import styles from './sidebar.module.css';
import { useChapterNumber } from './use-chapter-number.ts';
import { UserMenu } from './user-menu.tsx';

/** Sidebar with the chapters and tools. The entry of the current page is joined to the page. */
export function Sidebar() {
  const { ref } = useParams({ strict: false });
  const chapter = useChapterNumber();
  return (
    <aside className={styles.rail} aria-label="Apps and chapters">
      <Link to="/" className={styles.brand} aria-label="Ninefold, all apps">
        <Mark chapter={chapter} />
        Ninefold
      </Link>
      {ref === undefined ? <NodeRail /> : <AppRail appRef={ref} here={chapter} />}
      <UserMenu />
    </aside>
  );
}

/** Sidebar of the pages that belong to no app. */
function NodeRail() {
  const { data } = useQuery(builder());
  return (
    <nav className={styles.nav} aria-label="Node">
      {nodePages(data).map(({ name, to, icon }) => (
        <Link key={to} to={to} className={styles.item} activeOptions={{ exact: true, includeSearch: false }}>
          <Icon of={icon} />
          <span>{name}</span>
        </Link>
      ))}
    </nav>
  );
}

/**
 * Options for the links to chapters. The trace of a request has an address below Calls but may belong to Errors, so
 * `here` decides which chapter is current.
 */
const chapterActive = { exact: true, includeSearch: false };

/** Sidebar within an app. */
function AppRail({ appRef, here }: { appRef: string; here: number | undefined }) {
  const { data, error } = useQuery(specification(appRef));
  const latest = useInfiniteQuery(versionList(appRef)).data?.pages[0]?.versions[0];
  const params = { ref: appRef };
  const { pathname } = useLocation();
  const isHere = (to: string) => pathname === to.replace('$ref', appRef);
  return (
    <>
      <AppSwitcher appRef={appRef} />
      <nav className={styles.nav} aria-label="App">
        <h2 className={styles.heading}>
          Specification
          {latest && (
            <Link
              to="/app/$ref/changes"
              params={params}
              className={styles.version}
              aria-label={`Changes, v${latest.number}`}
            >
              v{latest.number}
            </Link>
          )}
        </h2>
        {chapterPages(data).map((page) => (
          <Link
            key={page.key}
            to={page.to}
            params={params}
            className={styles.item}
            title={page.name}
            activeOptions={chapterActive}
            aria-current={page.number === here ? 'page' : undefined}
          >
            <span className={styles.numeral}>{page.number}</span>
            <span>{page.name}</span>
            {page.number === 1 && isOutdated(error) ? (
              <span className={styles.broken}>
                <VerdictMark of="disagrees" />
                <span>not served</span>
              </span>
            ) : page.broken > 0 ? (
              <span className={styles.broken}>
                <VerdictMark of="disagrees" />
                {count(page.broken)}
                <span className="sr">broken</span>
              </span>
            ) : (
              page.count !== null && <span className={styles.count}>{count(page.count)}</span>
            )}
          </Link>
        ))}
        <h2 className={styles.heading}>Tools</h2>
        {toolPages.map((page) => (
          <Link
            key={page.to}
            to={page.to}
            params={params}
            className={styles.item}
            title={page.name}
            aria-current={'holds' in page && page.holds.some(isHere) ? 'page' : undefined}
          >
            <Icon of={page.icon} />
            <span>{page.name}</span>
          </Link>
        ))}
      </nav>
    </>
  );
}

/** Navigation along the lower edge of a phone, with the chapters. The tools are in the menu of the header. */
export function BottomNav({ appRef }: { appRef: string }) {
  const { data, error } = useQuery(specification(appRef));
  const here = useChapterNumber();
  const params = { ref: appRef };
  return (
    <nav className={styles.thumbs} aria-label="Chapters">
      {chapterPages(data).map((page) => {
        const isMissing = page.number === 1 && isOutdated(error);
        const remark = isMissing ? ', not served' : page.broken > 0 ? `, ${page.broken} broken` : '';
        return (
          <Link
            key={page.key}
            to={page.to}
            params={params}
            activeOptions={chapterActive}
            aria-current={page.number === here ? 'page' : undefined}
            aria-label={`${page.number} ${page.name}${remark}`}
            data-broken={remark !== '' || undefined}
          >
            {page.number}
          </Link>
        );
      })}
    </nav>
  );
}
