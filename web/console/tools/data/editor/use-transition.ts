import { useMutation } from '@tanstack/react-query';
import type { Machine, Transition } from '../../../../../contract/states.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { rowKeys } from '../../../queries/rows/keys.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { keyText, type Row } from '../../../queries/rows/row.ts';
import { recordChange } from '../../../queries/rows/session-changes.ts';
import { keyWords } from '../../../queries/rows/undo-change.ts';
import { updateRow } from '../../../queries/rows/update-row.ts';

/** Returns a function that makes a transition of a row, and the progress of the last transition. */
export function useTransition({
  table,
  machine,
  row,
  rowKey,
  onTaken,
  onFailed,
}: {
  table: Table;
  machine: Machine;
  row: Row;
  rowKey: readonly string[];
  onTaken: () => void;
  onFailed?: () => void;
}) {
  const { mutate, isPending, error, reset } = useMutation(updateRow(table));
  const take = (transition: Transition, values: Row) => {
    const state = row[machine.field] ?? null;
    const changed = { ...values, [machine.field]: transition.to };
    mutate(
      { key: rowKey, values: changed },
      {
        onSuccess: (saved) => {
          const of = (from: Row): Row =>
            Object.fromEntries(Object.keys(changed).map((name) => [name, from[name] ?? null]));
          recordChange({
            table,
            rows: [{ key: rowKey, before: of(row), after: of(saved) }],
            kind: 'state',
            what: `${keyWords(rowKey)}: ${transition.name}`,
            how: `${state ?? 'null'} to ${transition.to}`,
          });
          const { ref, entity, requestRole } = table;
          void queryClient.invalidateQueries({
            queryKey: rowKeys.states(ref, entity.id, requestRole, keyText(rowKey)),
          });
          onTaken();
        },
        onError: () => onFailed?.(),
      },
    );
  };
  return { take, isPending, error, reset };
}
