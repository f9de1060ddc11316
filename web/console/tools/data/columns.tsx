import { Popover } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { Field } from '../../../../contract/specification-entities.ts';
import { Button } from '../../../ui/button.tsx';
import { wideOnlyClass } from '../../../ui/workbench.tsx';
import { shortType } from '../../values/field-kind.ts';
import styles from './data.module.css';

/** Chooses the fields that are columns of the sheet. The panel always shows all fields. */
export function Columns({
  fields,
  hidden,
  fixed,
  onHidden,
}: {
  fields: readonly Field[];
  hidden: ReadonlySet<string>;
  /** Columns that cannot be hidden: the fields of the key. */
  fixed: readonly string[];
  onHidden: (hidden: ReadonlySet<string>) => void;
}) {
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    onHidden(next);
  };
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button small kind="quiet" icon={IconColumns3} className={wideOnlyClass} aria-label="Choose columns">
          {fields.length - hidden.size} of {fields.length}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <fieldset className={styles.columns} aria-label="Columns">
          {fields.map(({ name, type }) => (
            <label key={name} className={styles.column}>
              <input
                type="checkbox"
                checked={!hidden.has(name)}
                disabled={fixed.includes(name)}
                onChange={() => toggle(name)}
              />
              <span className="cut">{name}</span>
              <code>{shortType(type)}</code>
            </label>
          ))}
        </fieldset>
        <div className={styles.columnsButtons}>
          <Button small kind="quiet" onClick={() => onHidden(new Set())}>
            Show all
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
