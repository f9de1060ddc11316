import { IconSearch } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Mark } from '../../ui/mark.tsx';
import { caps } from '../keys/bindings.ts';
import { isMac } from '../keys/keyboard.tsx';
import styles from './page.module.css';
import { PhoneMenu } from './phone-menu.tsx';
import { useAppName } from './use-app-name.ts';
import { useChapterNumber } from './use-chapter-number.ts';
import { useCommands } from './use-commands.ts';

/** A step of the way to a page. */
export interface Crumb {
  text: string;
  link?: LinkProps;
}

/**
 * One page: running head, body, and the panel beside it. On arrival the focus is on the body, so that arrows scroll
 * and the next Tab is the first thing of the page.
 */
export function Page({
  appRef,
  crumbs,
  question,
  tools,
  panel,
  narrowPanel = false,
  fetching = false,
  bare = false,
  children,
}: {
  /** The app that the page is about. */
  appRef?: string;
  /** The way to this page, from below the app; the last one is the page. The browser's tab has all names. */
  crumbs: readonly Crumb[];
  /** Appears in the running head once the title has scrolled off. */
  question?: string;
  /** At the right of the running head. */
  tools?: ReactNode;
  panel?: ReactNode;
  /** Of a row: narrower than others. */
  narrowPanel?: boolean;
  /** A hairline under the head: the page is waiting for an answer. */
  fetching?: boolean;
  /** The page lays itself out, up to the edges, and scrolls by itself. */
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

/** The crumbs with the app in front of them. */
function usePath(appRef: string | undefined, crumbs: readonly Crumb[]): readonly Crumb[] {
  const name = useAppName(appRef ?? '');
  return appRef === undefined
    ? crumbs
    : [{ text: name, link: { to: '/app/$ref', params: { ref: appRef } } }, ...crumbs];
}

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

/** Names the tab, and takes the focus unless something in the page asked for it first. */
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
