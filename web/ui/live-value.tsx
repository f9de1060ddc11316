import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './live-value.module.css';

/** CSS class of a figure within a sentence that links to the counted items. */
export const liveValueClass = styles.figure;
export const badFigureClass = styles.bad;

/** Returns a function that draws figures within a sentence as links to an element of the page. A link flashes when its figure changes. */
export function figureLink(id: string): (text: string, isBad?: boolean) => ReactNode {
  return (text, isBad = false) => (
    <a className={isBad ? badFigureClass : liveValueClass} href={`#${id}`}>
      <FlashOnChange value={text}>{text}</FlashOnChange>
    </a>
  );
}

/** Highlights its content for 1.2 s after `value` has changed. It does not highlight the first value. */
export function FlashOnChange({ value, children }: { value: string | number; children: ReactNode }) {
  const before = useRef(value);
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    setChanges((count) => count + 1);
  }, [value]);
  return (
    <span key={changes} className={changes > 0 ? styles.changed : undefined}>
      {children}
    </span>
  );
}
