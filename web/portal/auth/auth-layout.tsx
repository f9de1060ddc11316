import { type ReactNode, useEffect } from 'react';
import { usePortal } from '../data/client.ts';
import styles from './auth-layout.module.css';

/** A page in front of the app, such as sign-in: the form at the left, the name and the purpose of the app at the right. */
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
      </main>
      <aside className={styles.right} aria-label="About this app">
        <div className={styles.titlePage}>
          <p className={styles.big}>{app.name}</p>
          {app.purpose !== null && <p className={styles.why}>{app.purpose}</p>}
          {app.audience !== null && <p className={styles.audience}>{app.audience}</p>}
        </div>
      </aside>
    </div>
  );
}

/** The first letter of the app on its accent. */
export function AppMark({ name }: { name: string }) {
  return (
    <span className={styles.mark} aria-hidden="true">
      {[...name][0]?.toUpperCase() ?? ''}
    </span>
  );
}

/** The sentence of an error, under the field or above the button. */
export function Wrong({ children }: { children: ReactNode }) {
  return children === null ? null : (
    <p className={styles.wrong} role="alert">
      {children}
    </p>
  );
}

/** A note with a line at its left. */
export function Note({ children }: { children: ReactNode }) {
  return <div className={styles.note}>{children}</div>;
}

/** Between the first way in and the others. */
export function Or() {
  return <div className={styles.or}>or</div>;
}

/** A button that reads as a link in a sentence. */
export function TextButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={styles.text} onClick={onClick}>
      {children}
    </button>
  );
}

/** A field with a link at the right of its label. */
export const asideClass = styles.aside ?? '';
export const stackClass = styles.stack ?? '';
export const softClass = styles.soft ?? '';
