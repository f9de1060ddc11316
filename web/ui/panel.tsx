import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { type ReactNode, useLayoutEffect } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { distinctKeys } from './distinct-keys.ts';
import styles from './panel.module.css';
import { useFocusBack } from './use-focus-back.ts';

/** The functions of a panel that goes through the items of a list. */
export interface PanelSteps {
  readonly onClose: () => void;
  /** Opens the previous item; undefined at the first item. */
  readonly onPrevious: (() => void) | undefined;
  /** Opens the next item; undefined at the last item. */
  readonly onNext: (() => void) | undefined;
}

/** A name and its value. A falsy pair is not shown. */
export type Pair = readonly [name: string, value: ReactNode] | false | null | undefined | '';

/**
 * Panel beside the page with the details of a cell, row or error. On a phone it is a sheet over the page. Esc closes
 * the panel and returns the focus to the element that had it before.
 */
export function Panel({
  label,
  title,
  tools,
  tall = false,
  onClose,
  onPrevious,
  onNext,
  children,
}: {
  label: string;
  /** Null for a panel whose content begins with its own head, such as tabs. */
  title: ReactNode;
  tools?: ReactNode;
  /** True if the panel covers more than half of a phone. */
  tall?: boolean;
  children: ReactNode;
} & Partial<PanelSteps>) {
  useFocusBack();

  // A layout effect, so that Esc works as soon as the panel is visible.
  useLayoutEffect(() => {
    if (!onClose) return;
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isAbove(event.target)) onClose();
    };
    window.addEventListener('keydown', close);
    return () => window.removeEventListener('keydown', close);
  }, [onClose]);

  return (
    <aside className={classNames(styles.panel, tall && styles.tall)} aria-label={label}>
      {title !== null && (
        <div className={styles.top}>
          <h2 className={styles.title}>{title}</h2>
          <span className={styles.tools}>
            {tools}
            {onPrevious && (
              <Button kind="quiet" small square icon={IconArrowUp} label="Previous (K)" onClick={onPrevious} />
            )}
            {onNext && <Button kind="quiet" small square icon={IconArrowDown} label="Next (J)" onClick={onNext} />}
            {onClose && <Button kind="quiet" small square icon={IconX} label="Close" onClick={onClose} />}
          </span>
        </div>
      )}
      {children}
    </aside>
  );
}

/** Returns true if the key was pressed in a dialog or menu over the page. Esc then closes the dialog or menu, and not the panel. */
const isAbove = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null;

/** Section of a panel with a small heading. Tools or a remark are at the right of the heading. */
export function PanelSection({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <h3 className={styles.heading}>
        {title}
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </h3>
      {children}
    </section>
  );
}

/** Verdict in words at the top of a panel. */
export function VerdictLine({ children }: { children: ReactNode }) {
  return <p className={styles.verdict}>{children}</p>;
}

/** List of names and values. A name may repeat. */
export function KeyValues({ pairs }: { pairs: readonly Pair[] }) {
  const shown = pairs.flatMap((pair) => (pair ? [pair] : []));
  const keys = distinctKeys(shown.map(([name]) => name));
  return (
    <dl className={styles.pairs}>
      {shown.map(([name, value], place) => (
        <div key={keys[place]} className={styles.pair}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
