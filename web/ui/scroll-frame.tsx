import type { ReactNode } from 'react';
import styles from './scroll-frame.module.css';

/**
 * Frame of a wide table. If the table is too wide, it scrolls within the frame, including sticky heads, and an edge
 * with hidden content is faded. If the table fits, there is no frame and its heads stick to the page.
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

/** Marks the frame before an element in it is scrolled into view, and after every change of its width. */
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
  // A keyboard can scroll the frame only if something in it has the focus. Without such an element, the frame itself
  // can get it.
  if (hidden > 0 && frame.querySelector(focusable) === null) frame.tabIndex = 0;
  else frame.removeAttribute('tabindex');
}

const focusable = 'a[href], button, input, select, textarea, [tabindex]';
