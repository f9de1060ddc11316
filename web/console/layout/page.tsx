import { IconSearch } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Mark } from '../../ui/mark.tsx';
import { caps } from '../../ui/shortcuts/bindings.ts';
import { isMac } from '../../ui/shortcuts/keyboard.tsx';
import styles from './page.module.css';
import { PhoneMenu } from './phone-menu.tsx';
import { useAppName } from './use-app-name.ts';
import { useChapterNumber } from './use-chapter-number.ts';
import { useCommands } from './use-commands.ts';

/** A link of a page's breadcrumbs. */
export interface Crumb {
  text: string;
  link?: LinkProps;
}

/**
 * Layout of a page: its header, its body, and a panel beside the body. After navigation, the body gets the focus, so
 * that arrow keys scroll and Tab moves to the first control.
 */
export function Page({
  appRef,
  crumbs,
  question,
  tools,
  panel,
  narrowPanel = false,
  widePanel = false,
  fetching = false,
  bare = false,
  children,
}: {
  /** Ref of the app that the page is about; absent for a page of the node. */
  appRef?: string;
  /** The breadcrumbs that follow the app. The last one names the page itself. The title of the browser's tab contains all of them. */
  crumbs: readonly Crumb[];
  /** The question that the page answers. The header shows it after the title of the page has scrolled out of view. */
  question?: string;
  /** Controls at the right of the header. */
  tools?: ReactNode;
  panel?: ReactNode;
  /** True if the panel is narrow, for example because it shows one row. */
  narrowPanel?: boolean;
  /** True if the panel is wide, for example because it shows code. */
  widePanel?: boolean;
  /** True while a request is pending: shows a line under the header. */
  fetching?: boolean;
  /** True if the page has its own layout without margins and scrolls by itself. */
  bare?: boolean;
  children: ReactNode;
}) {
  const body = useRef<HTMLElement>(null);
  const [scrolled, setScrolled] = useState(false);
  const { openPalette } = useCommands();
  const chapter = useChapterNumber();
  const path = usePath(appRef, crumbs);
  useArrival(body, path);

  return (
    <div className={styles.main} data-scrolled={scrolled || undefined}>
      <header className={styles.head}>
        <Link to="/" className={styles.phoneMark} aria-label="All apps">
          <Mark chapter={chapter} />
        </Link>
        <Crumbs crumbs={path} question={question} />
        <span className={styles.tools}>{tools}</span>
        <button type="button" className={styles.jump} onClick={openPalette}>
          <Icon of={IconSearch} />
          Search or jump
          <Kbd keys={caps('mod+k', isMac)} />
        </button>
        <span className={styles.phone}>
          <Button kind="quiet" square icon={IconSearch} label="Search or jump" onClick={openPalette} />
          <PhoneMenu />
        </span>
        {fetching && <span className={styles.progress} role="progressbar" aria-label="Fetching" />}
      </header>
      <div
        className={classNames(
          styles.body,
          panel !== undefined && panel !== null && panel !== false && styles.withPanel,
          narrowPanel && styles.narrow,
          widePanel && styles.wide,
        )}
      >
        <main
          id="page"
          ref={body}
          tabIndex={-1}
          className={classNames(styles.page, bare && styles.bare)}
          onScroll={(event) => setScrolled(event.currentTarget.scrollTop > 72)}
        >
          {children}
        </main>
        {panel}
      </div>
    </div>
  );
}

/** Returns the breadcrumbs of a page, with the app before them. */
function usePath(appRef: string | undefined, crumbs: readonly Crumb[]): readonly Crumb[] {
  const name = useAppName(appRef ?? '');
  return appRef === undefined
    ? crumbs
    : [{ text: name, link: { to: '/app/$ref', params: { ref: appRef } } }, ...crumbs];
}

/** Breadcrumbs of the header. */
function Crumbs({ crumbs, question }: { crumbs: readonly Crumb[]; question: string | undefined }) {
  return (
    <nav className={styles.crumbs} aria-label="Where this is">
      {crumbs.map(({ text, link }, index) => (
        <span key={`${link?.to} ${text}`} className={styles.crumb}>
          {index > 0 && (
            <span className={styles.separator} aria-hidden="true">
              /
            </span>
          )}
          {index === crumbs.length - 1 ? <b>{text}</b> : link ? <Link {...link}>{text}</Link> : text}
        </span>
      ))}
      {question !== undefined && (
        <span className={styles.question} aria-hidden="true">
          {question}
        </span>
      )}
    </nav>
  );
}

/** Sets the title of the browser's tab, and focuses the body of the page unless another element has already got the focus. */
function useArrival(body: { current: HTMLElement | null }, crumbs: readonly Crumb[]) {
  const title = crumbs
    .map(({ text }) => text)
    .toReversed()
    .join(', ');
  useEffect(() => {
    document.title = `${title} · Ninefold`;
  }, [title]);
  useEffect(() => {
    if (!body.current?.contains(document.activeElement)) body.current?.focus({ preventScroll: true });
  }, [body]);
}
