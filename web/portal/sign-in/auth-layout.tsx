import { type ReactNode, useEffect } from 'react';
import { t } from '../../language/messages.ts';
import { usePortal } from '../queries/client.ts';
import { LanguageChoice } from '../screens/shell/language-choice.tsx';
import styles from './auth-layout.module.css';

/** Layout of a page before sign-in: the form at the left, the name and the purpose of the app at the right. */
export function AuthLayout({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  const { app } = usePortal();
  useEffect(() => {
    document.title = `${title} · ${app.name}`;
  }, [title, app.name]);
  return (
    <div className={styles.cover}>
      <main className={styles.left}>
        <header className={styles.app}>
          <AppMark name={app.name} />
          <b>{app.name}</b>
        </header>
        <div className={styles.form}>
          <div>
            <h1 className={styles.title}>{title}</h1>
            {lead !== undefined && <p className={styles.lead}>{lead}</p>}
          </div>
          {children}
        </div>
        <footer className={styles.foot}>
          <LanguageChoice isMember={false} />
        </footer>
      </main>
      <aside className={styles.right} aria-label={t('aboutApp')}>
        <div className={styles.titlePage}>
          <p className={styles.big}>
            <bdi>{app.name}</bdi>
          </p>
          {app.purpose !== null && (
            <p className={styles.why}>
              <bdi>{app.purpose}</bdi>
            </p>
          )}
          {app.audience !== null && (
            <p className={styles.audience}>
              <bdi>{app.audience}</bdi>
            </p>
          )}
        </div>
      </aside>
    </div>
  );
}

/** Shows the first letter of the app on its accent colour. */
export function AppMark({ name }: { name: string }) {
  const { logo } = usePortal().app;
  return logo !== null ? (
    <img className={styles.logo} src={logo} alt="" />
  ) : (
    <span className={styles.mark} aria-hidden="true">
      {[...name][0]?.toUpperCase() ?? ''}
    </span>
  );
}

/** Shows the message of an error, below a field or above the button of a form. */
export function Wrong({ children }: { children: ReactNode }) {
  return children === null ? null : (
    <p className={styles.wrong} role="alert">
      {children}
    </p>
  );
}

/** Note with a line at its left. */
export function Note({ children }: { children: ReactNode }) {
  return <div className={styles.note}>{children}</div>;
}

/** Separator between the first sign-in method and the other methods. */
export function Or() {
  return <div className={styles.or}>{t('or')}</div>;
}

/** Button that looks like a link in a sentence. */
export function TextButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={styles.text} onClick={onClick}>
      {children}
    </button>
  );
}

/** Class of a field with a link at the right of its label. */
export const asideClass = styles.aside ?? '';
export const stackClass = styles.stack ?? '';
export const softClass = styles.soft ?? '';
