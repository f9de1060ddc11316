import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../../contract/states.ts';
import { Combo } from '../../../../fields/combo.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { StateName } from '../../../chapters/states/state-name.tsx';
import { listed } from '../../../format/format.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { rowStates } from '../../../queries/rows/row-states.ts';
import styles from './editor.module.css';
import { RequiredFields } from './required-fields.tsx';
import { ServerError } from './server-error.tsx';
import { useTransition } from './use-transition.ts';
import { type RowWay, waysOf } from './ways.ts';

/** Lists the transitions of a row, because a state can only be changed by a transition. A transition that is not open shows the reason. */
export function StateEditor({
  table,
  entities,
  machine,
  row,
  rowKey,
  typed,
  onFailed,
  onClose,
}: {
  table: Table;
  entities: readonly Entity[];
  machine: Machine;
  row: Row;
  rowKey: readonly string[];
  typed: string;
  onFailed?: ((failed: boolean) => void) | undefined;
  onClose: (saved: boolean) => void;
}) {
  const id = useId();
  const [search, setSearch] = useState(typed);
  const [asked, setAsked] = useState<string | null>(null);
  const states = useQuery(rowStates(table, rowKey));
  const { take, isPending, error } = useTransition({
    ...{ table, machine, row, rowKey },
    onTaken: () => onClose(true),
    onFailed: () => onFailed?.(true),
  });
  const ways = waysOf(machine, row, states.data ?? null);
  const asking = ways.find(({ transition, isOpen }) => isOpen && transition.name === asked);
  const state = row[machine.field] ?? null;
  if (asking) {
    return (
      <div className={styles.pop}>
        <RequiredFields
          {...{ table, entities, error, way: asking, isBusy: isPending }}
          onCancel={() => onClose(false)}
          onTake={(values) => take(asking.transition, values)}
        />
      </div>
    );
  }
  const found = ways.filter(({ transition: { name, to } }) =>
    `${name} ${to}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  return (
    <Combo
      id={id}
      isInCell
      className={styles.input}
      label={machine.field}
      listLabel={`State changes of ${machine.field}`}
      placeholder={state ?? 'null'}
      text=""
      search={search}
      isWrong={error !== null}
      options={found.map((way) => optionOf(machine, way))}
      onSearch={(text) => setSearch(text ?? '')}
      onChoose={(name) => {
        const way = ways.find(({ transition }) => transition.name === name);
        if (!way || isPending) return;
        if (way.missing.length > 0) setAsked(name);
        else take(way.transition, {});
      }}
    >
      {(error ?? states.error) && (
        <div className={styles.foot}>
          <ServerError error={(error ?? states.error) as Error} />
        </div>
      )}
      <p className={styles.hint}>
        {states.isPending ? 'Reading which state changes are open …' : `State changes open to ${callerWords(table)}.`}{' '}
        <Link to="/app/$ref/states" params={{ ref: table.ref }} search={{ machine: machine.id }}>
          Chapter 4
        </Link>
      </p>
    </Combo>
  );
}

const optionOf = (machine: Machine, { transition: { name, to, roles }, isOpen, note }: RowWay) => ({
  key: name,
  name,
  note: isOpen ? `to ${to}${note === null ? '' : `; ${note}`}` : (note ?? ''),
  isOff: !isOpen,
  sign: isOpen ? <StateName machine={machine} name={to} isBare /> : <Icon of={IconLock} small />,
  ...(isOpen && roles !== null && { aside: listed(roles, 'or') }),
});

/** Describes the caller as whom the page reads and writes the rows. */
const callerWords = ({ requestRole }: Table): string =>
  requestRole === 'service' ? 'the service key' : requestRole === 'anon' ? 'anonymous callers' : 'this member';
