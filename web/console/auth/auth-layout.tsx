import type { ReactNode } from 'react';
import { Mark } from '../../ui/mark.tsx';
import styles from './auth-layout.module.css';

/** Layout of a page before sign-in: the form on the left, a description of Ninefold on the right. */
export function AuthLayout({ children, right, foot }: { children: ReactNode; right: ReactNode; foot?: ReactNode }) {
  return (
    <div className={styles.cover}>
      <div className={styles.left}>
        <header className={styles.brand}>
          <Mark />
          <b>Ninefold</b>
        </header>
        <main className={styles.main}>{children}</main>
        <footer className={styles.foot}>
          <span>{location.host}</span>
          {foot}
        </footer>
      </div>
      <aside className={styles.right}>{right}</aside>
    </div>
  );
}

export const coverForm = styles.form;
export const coverTitle = styles.title;
