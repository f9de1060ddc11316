import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { memberName } from '../../fields/format.ts';
import { usePortal } from '../queries/client.ts';
import { AppMark } from '../sign-in/auth-layout.tsx';
import { useSession } from '../sign-in/signed-in.tsx';
import styles from './account.module.css';

/** Layout of a page for a member who is signed in. */
export function AccountLayout({
  title,
  sentence,
  children,
}: {
  title: string;
  sentence?: ReactNode;
  children: ReactNode;
}) {
  const { app } = usePortal();
  const { user } = useSession();
  const name = memberName(user);
  useEffect(() => {
    document.title = `${title} · ${app.name}`;
  }, [title, app.name]);
  return (
    <div className={styles.frame}>
      <header className={styles.bar}>
        <Link to="/" className={styles.brand}>
          <AppMark name={app.name} />
          {app.name}
        </Link>
        <Link to="/account" className={styles.me}>
          {name}
        </Link>
      </header>
      <main className={styles.page}>
        <h1 className={styles.title}>{title}</h1>
        {sentence !== undefined && <p className={styles.sentence}>{sentence}</p>}
        {children}
      </main>
    </div>
  );
}

/** Section of the account: name and description at the left, controls at the right. */
export function Section({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <div>
        <h2 className={styles.heading}>{title}</h2>
        <p className={styles.about}>{about}</p>
      </div>
      <div className={styles.controls}>{children}</div>
    </section>
  );
}

/** Row of a list: title, description and actions. */
export function Row({ name, about, children }: { name: ReactNode; about?: ReactNode; children?: ReactNode }) {
  return (
    <li className={styles.row}>
      <div>
        {name}
        {about !== undefined && <p className={styles.about}>{about}</p>}
      </div>
      <div className={styles.buttons}>{children}</div>
    </li>
  );
}

export const rowsClass = styles.rows ?? '';
export const buttonsClass = styles.buttons ?? '';
export const aboutClass = styles.about ?? '';
