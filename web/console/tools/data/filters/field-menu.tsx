import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { shortType } from '../../../values/field-kind.ts';
import styles from './filters.module.css';

/** Menu of an entity's fields with their types. */
export function FieldMenu({
  fields,
  opened,
  onOpened,
  onChoose,
  children,
}: {
  fields: readonly Field[];
  opened?: boolean;
  onOpened?: (opened: boolean) => void;
  onChoose: (field: Field) => void;
  children: ReactElement;
}) {
  return (
    <Menu
      position="bottom-start"
      returnFocus
      {...(opened !== undefined && { opened })}
      {...(onOpened !== undefined && { onChange: onOpened })}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown className={styles.fields}>
        {fields.map((field) => (
          <Menu.Item
            key={field.name}
            rightSection={<code className={styles.type}>{shortType(field.type)}</code>}
            onClick={() => onChoose(field)}
          >
            {field.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
