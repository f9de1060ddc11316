import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { Icon } from '../../../../ui/icon.tsx';
import styles from './editor.module.css';

/** A group of controls that can be closed. A closed option says its value, and an option with a fault says the fault. */
export function Option({
  name,
  value,
  faults,
  isOpenAtFirst = false,
  children,
}: {
  name: string;
  value: ReactNode;
  faults: readonly string[];
  isOpenAtFirst?: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  return (
    <section className={styles.option} aria-labelledby={id}>
      <h2 className={styles.optionHead}>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon of={isOpen ? IconChevronDown : IconChevronRight} small />
          <b id={id}>{name}</b>
          <span className={styles.optionValue}>{value}</span>
        </button>
      </h2>
      {faults.length > 0 && (
        <ul className={styles.faults}>
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {isOpen && <div className={styles.optionBody}>{children}</div>}
    </section>
  );
}

/** A control with its label at the left. */
export const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  // The control is inside of the label, which names it.
  // biome-ignore lint/a11y/noLabelWithoutControl: the children are the control.
  <label className={styles.row}>
    <span>{label}</span>
    {children}
  </label>
);
