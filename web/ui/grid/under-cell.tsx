import { type ReactNode, useEffect, useRef } from 'react';
import styles from './grid.module.css';

/** Element that floats below a cell and scrolls together with it. When it opens, it is scrolled into view. */
export function UnderCell({ left, top, children }: { left: number; top: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  return (
    <div ref={box} className={styles.under} style={{ left, top }}>
      {children}
    </div>
  );
}
