import { Menu } from '@mantine/core';
import { IconCheck, IconFilter } from '@tabler/icons-react';
import type { ErrorGroup, ErrorLine } from '../../../../contract/specification.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { errorGroups } from './error-words.ts';

/** The filter of the table of errors; null for any value. */
export interface Narrowed {
  group: ErrorGroup | null;
  status: number | null;
}

export const anyError: Narrowed = { group: null, status: null };

/** Describes the filter; empty without a filter. */
const narrowedWords = ({ group, status }: Narrowed): string =>
  [group === null ? null : errorGroups[group], status].filter((part) => part !== null).join(', ');

/** Filters the errors by source and HTTP status. */
export function ErrorChoice({
  errors,
  value,
  onChange,
}: {
  errors: readonly ErrorLine[];
  value: Narrowed;
  onChange: (value: Narrowed) => void;
}) {
  const present = new Set(errors.map(({ group }) => group));
  const groups = (Object.keys(errorGroups) as ErrorGroup[]).filter((group) => present.has(group));
  const statuses = [...new Set(errors.flatMap((line) => line.statuses))].sort((a, b) => a - b);
  const words = narrowedWords(value);
  return (
    <Menu withinPortal={false} position="bottom-end" width={220} closeOnItemClick={false}>
      <Menu.Target>
        <Button
          small
          square={words === ''}
          icon={IconFilter}
          label={words === '' ? 'Filter by origin and status' : `Filtered by ${words}`}
        >
          {words}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflow: 'auto' }}>
        <Menu.Label>From</Menu.Label>
        {groups.map((group) => (
          <Choice
            key={group}
            on={value.group === group}
            words={errorGroups[group]}
            onPress={(on) => onChange({ ...value, group: on ? group : null })}
          />
        ))}
        <Menu.Divider />
        <Menu.Label>HTTP status</Menu.Label>
        {statuses.map((status) => (
          <Choice
            key={status}
            on={value.status === status}
            words={String(status)}
            onPress={(on) => onChange({ ...value, status: on ? status : null })}
          />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Choice({ on, words, onPress }: { on: boolean; words: string; onPress: (on: boolean) => void }) {
  return (
    <Menu.Item
      role="menuitemcheckbox"
      aria-checked={on}
      rightSection={on ? <Icon of={IconCheck} small /> : null}
      onClick={() => onPress(!on)}
    >
      {words}
    </Menu.Item>
  );
}
