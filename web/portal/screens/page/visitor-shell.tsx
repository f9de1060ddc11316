import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../../language/messages.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { KeyboardProvider } from '../../../ui/shortcuts/keyboard.tsx';
import { usePortal } from '../../queries/client.ts';
import { titleAt, useScreens } from '../../queries/screens.ts';
import { AppMark } from '../../sign-in/auth-layout.tsx';
import { LanguageChoice } from '../shell/language-choice.tsx';
import styles from './visitor-shell.module.css';

/** Layout of a page before sign-in: the name of the app, links to what visitors may open, and the sign-in. */
export function VisitorShell({ title, children }: { title: string; children: ReactNode }) {
  const { app } = usePortal();
  const all = useScreens();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = title === app.name ? title : `${title} · ${app.name}`;
  }, [title, app.name]);
  useEffect(() => {
    if (pathname) main.current?.focus({ preventScroll: true });
  }, [pathname]);
  const routes = all.navigation.flatMap((group) => group.routes).filter((route) => route !== all.home);
  return (
    <KeyboardProvider>
      <div className={styles.page}>
        <header className={styles.head}>
          <Link to="/" className={styles.brand}>
            <AppMark name={app.name} />
            <b>{app.name}</b>
          </Link>
          <nav aria-label={t('screens')}>
            {routes.map((route) => (
              <Link key={route} to={route} activeOptions={{ exact: true, includeSearch: false }}>
                {titleAt(all, route)}
              </Link>
            ))}
          </nav>
          <span className={styles.doors}>
            <Link to="/account/sign-in" search={pathname === '/' ? {} : { next: pathname }} className={buttonClass()}>
              {t('signIn')}
            </Link>
            {app.sign_up && (
              <Link to="/account/sign-up" className={buttonClass({ kind: 'first' })}>
                {t('makeAnAccount')}
              </Link>
            )}
          </span>
        </header>
        <main ref={main} tabIndex={-1}>
          {children}
        </main>
        <footer className={styles.foot}>
          {app.purpose !== null && (
            <p>
              <bdi>{app.purpose}</bdi>
            </p>
          )}
          <LanguageChoice isMember={false} />
        </footer>
      </div>
    </KeyboardProvider>
  );
}
