import type { ReactNode } from 'react';
import styles from './scroll-frame.module.css';

/**
 * Frame around a table that may be too wide. If it is, the table scrolls within the frame, together with its sticky
 * heads, and an edge behind which content is hidden is faded. If the table fits, there is no frame, and its heads stick
 * to the page.
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

/**
 * Updates the marks for hidden content: before an element in the frame is scrolled into view, and after every change of
 * the frame's width.
 */
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
  // The keyboard can scroll the frame only if something in it can get the focus. If nothing can, the frame itself gets a tab stop.
  if (hidden > 0 && frame.querySelector(focusable) === null) frame.tabIndex = 0;
  else frame.removeAttribute('tabindex');
}

const focusable = 'a[href], button, input, select, textarea, [tabindex]';
