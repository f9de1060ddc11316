import { IconArrowNarrowRight } from '@tabler/icons-react';
import type { Machine } from '../../../../contract/states.ts';
import { Icon } from '../../../ui/icon.tsx';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { count } from '../../format/format.ts';
import { plainSql } from '../../format/plain-sql.ts';
import type { ListColumn } from '../list/list-table.tsx';
import type { TransitionEdge } from './machine-words.ts';
import { StateName } from './state-name.tsx';
import styles from './states.module.css';

const none = <span className="soft">–</span>;

/**
 * Returns the columns of the transitions.
 * @param max State changes of the most frequent transition.
 */
export const transitionColumns = (
  machine: Machine,
  max: number,
  chosen: string | null,
): readonly ListColumn<TransitionEdge>[] => [
  { name: 'Transition', bar: 80, cell: ({ transition }) => transition.name },
  {
    name: 'From and to',
    bar: 130,
    cell: ({ from, to }) => (
      <span className={styles.way}>
        <StateName machine={machine} name={from} />
        <Icon of={IconArrowNarrowRight} small />
        <span className="sr">to</span>
        <StateName machine={machine} name={to} />
      </span>
    ),
  },
  {
    name: 'Who',
    look: 'words',
    share: 40,
    rank: 'second',
    bar: 80,
    cell: ({ transition }) => <Who roles={transition.roles} />,
  },
  {
    name: 'When',
    look: 'words',
    share: 60,
    rank: 'second',
    bar: 90,
    cell: ({ transition }) =>
      (transition.when && plainSql(transition.when.words)) ?? <span className="soft">always</span>,
  },
  {
    name: 'Requires',
    rank: 'third',
    bar: 60,
    cell: ({ transition }) => (transition.requires.length > 0 ? <code>{transition.requires.join(', ')}</code> : none),
  },
  {
    name: 'Sets',
    rank: 'third',
    bar: 60,
    cell: ({ transition }) =>
      transition.sets.length > 0 ? <code>{transition.sets.map(({ field }) => field).join(', ')}</code> : none,
  },
  {
    name: '30 days',
    look: 'figure',
    bar: 40,
    cell: ({ id, stateChanges }) =>
      stateChanges !== null && (
        <span className={styles.passed}>
          <FlashOnChange value={stateChanges}>{count(stateChanges)}</FlashOnChange>
          <svg width="98" height="8" aria-hidden="true" data-chosen={id === chosen || undefined}>
            <rect width="98" height="8" />
            <rect width={(98 * stateChanges) / max} height="8" />
          </svg>
        </span>
      ),
  },
];

/** Shows the roles that may make a transition; null for every caller who may change the row. */
export const Who = ({ roles }: { roles: readonly string[] | null }) =>
  roles === null ? (
    <span className="soft" title="Every caller that may change the row">
      any writer
    </span>
  ) : (
    <code>{roles.join(', ')}</code>
  );
