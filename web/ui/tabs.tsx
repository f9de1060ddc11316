import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import styles from './tabs.module.css';

/** Tabs as in the WAI-ARIA tabs pattern. The arrow keys, Home and End move to another tab and show its panel at once. */
export function Tabs({
  label,
  tabs,
  initial = 0,
  onChoose,
}: {
  label: string;
  /** The tabs. `mark` is shown before the name of a tab. */
  tabs: readonly { name: string; mark?: ReactNode; content: ReactNode }[];
  /** Index of the tab that is open at first. */
  initial?: number;
  /** Called with the index of a tab when the reader opens it. */
  onChoose?: (index: number) => void;
}) {
  const [chosen, setChosen] = useState(initial);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  const choose = (index: number) => {
    setChosen(index);
    onChoose?.(index);
  };
  const move = (event: KeyboardEvent) => {
    const to =
      event.key === 'ArrowRight'
        ? (chosen + 1) % tabs.length
        : event.key === 'ArrowLeft'
          ? (chosen + tabs.length - 1) % tabs.length
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? tabs.length - 1
              : null;
    if (to === null) return;
    event.preventDefault();
    choose(to);
    list.current?.querySelectorAll('button')[to]?.focus();
  };

  return (
    <>
      <div className={styles.tabs} role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name, mark }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => choose(index)}
          >
            {mark}
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${chosen}`}>
        {tabs[chosen]?.content}
      </div>
    </>
  );
}
