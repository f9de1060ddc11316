import type { ReactNode } from 'react';
import styles from './scroll-frame.module.css';

/**
 * Around a wide table: where it has too little room it scrolls within its own frame, heads that stick included, and an edge
 * behind which there is more is faded. Where it fits nothing is framed, and its heads stick to the page.
 */
export function ScrollFrame({ children }: { children: ReactNode }) {
  return (
    <div className={styles.edges}>
      <div className={styles.frame} ref={watch} onScroll={({ currentTarget }) => mark(currentTarget)}>
        {children}
      </div>
    </div>
  );
}

/** Marks the frame at once, so that it is one before anything in it is brought into sight, and with every change of its room. */
function watch(frame: HTMLElement | null) {
  if (!frame) return;
  mark(frame);
  const observer = new ResizeObserver(() => mark(frame));
  observer.observe(frame);
  for (const child of frame.children) observer.observe(child);
  return () => observer.disconnect();
}

function mark(frame: HTMLElement) {
  const { scrollWidth, clientWidth, scrollLeft, parentElement: edges } = frame;
  const hidden = scrollWidth - clientWidth;
  edges?.toggleAttribute('data-framed', hidden > 0);
  edges?.toggleAttribute('data-before', hidden > 0 && scrollLeft > 0);
  edges?.toggleAttribute('data-after', hidden - scrollLeft > 1);
}
