import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { KeyValues, PanelSection } from '../../../../ui/panel.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { counted, entityName } from '../../../format/format.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { rowCount } from '../../../queries/rows/row-count.ts';
import type { Reference } from '../references.ts';

/** Lists the entities that reference a row, with the number of referencing rows and links to them. */
export function ReferencingRows({ table, pointers }: { table: Table; pointers: readonly Reference[] }) {
  const counts = useQueries({
    queries: pointers.map(({ entity, where }) => rowCount({ ...table, entity }, where)),
  });
  if (pointers.length === 0) return <p className="soft">No entity references this one.</p>;
  const entities = new Set(pointers.map(({ entity }) => entity.id)).size;
  const several = new Set(
    pointers
      .filter(({ entity }, index) => pointers.findIndex((other) => other.entity === entity) !== index)
      .map(({ entity }) => entity),
  );
  const pairs = pointers.map((pointer, index): readonly [string, ReactNode] => {
    const { entity, fields } = pointer;
    const name = entityName(entity.schema, entity.name);
    const { data, isError = false } = counts[index] ?? {};
    return [
      several.has(entity) ? `${name}.${fields.join(', ')}` : name,
      <PointerCount key={entity.id} table={table} pointer={pointer} rows={data} failed={isError} />,
    ];
  });
  return (
    <PanelSection title="Points here" aside={counted(entities, 'entity', 'entities')}>
      <KeyValues pairs={pairs} />
    </PanelSection>
  );
}

/** Counts the referencing rows and links to them. */
function PointerCount({
  table,
  pointer: { entity, where },
  rows,
  failed,
}: {
  table: Table;
  pointer: Reference;
  rows: number | undefined;
  failed: boolean;
}) {
  if (rows === undefined && !failed) return <Skeleton width={44} />;
  return (
    <Link
      to="/app/$ref/data"
      params={{ ref: table.ref }}
      search={{
        table: entity.id,
        where: [...where],
        ...(table.requestRole !== 'service' && { as: table.requestRole }),
      }}
    >
      {rows === undefined ? 'not counted' : counted(rows, 'row')}
    </Link>
  );
}
