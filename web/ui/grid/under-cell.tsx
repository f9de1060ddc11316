import { type ReactNode, useEffect, useRef } from 'react';
import styles from './grid.module.css';

/** Floats over a cell and scrolls with the cell. Scrolls into view when it opens. */
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
