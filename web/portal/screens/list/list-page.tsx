import { useMemo } from 'react';
import { type Place, readableFields } from '../../queries/screens.ts';
import type { Order } from './list-search.ts';
import { LongTable } from './long-table.tsx';
import { canSelect, RowsScreen } from './rows-screen.tsx';

/** List of rows with the columns of its screen. The address contains the member's search, conditions and order. */
export function ListPage({ screen, entity }: Place) {
  const fields = useMemo(() => readableFields(entity, screen.columns), [entity, screen]);
  return (
    <RowsScreen screen={screen} entity={entity}>
      {({ list, selection, query, order, rowActions, go, onVisible }) => (
        <LongTable
          label={screen.title}
          entity={entity}
          columns={fields}
          list={list}
          group={screen.group}
          query={query}
          order={order}
          onOrder={(next: Order) => go({ order: next.text ?? undefined })}
          onVisible={onVisible}
          selection={canSelect(entity) ? selection : null}
          rowActions={rowActions}
        />
      )}
    </RowsScreen>
  );
}
