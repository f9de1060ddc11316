import type { Entity } from '../../../../contract/specification-entities.ts';
import { Verdict } from '../../../ui/verdict.tsx';
import { bytes, count, entityName } from '../../format/format.ts';
import type { ListColumn } from '../list/list-table.tsx';

export const entityColumns: readonly ListColumn<Entity>[] = [
  { name: 'Entity', bar: 90, cell: ({ schema, name }) => <code>{entityName(schema, name)}</code> },
  { name: 'Description', look: 'words', rank: 'second', bar: 160, cell: ({ comment }) => comment },
  { name: 'Kind', rank: 'third', bar: 40, cell: ({ kind }) => kind },
  { name: 'Row-level security', rank: 'third', bar: 50, cell: (entity) => <Security entity={entity} /> },
  { name: 'Fields', look: 'figure', bar: 20, cell: ({ fields }) => count(fields.length) },
  {
    name: 'Rows, about',
    look: 'figure',
    bar: 50,
    cell: ({ kind, figures }) => figures && kind !== 'view' && count(figures.rows_estimate),
  },
  {
    name: 'Size',
    look: 'figure',
    rank: 'third',
    bar: 40,
    cell: ({ kind, figures }) =>
      figures && kind !== 'view' && <span className="soft">{bytes(figures.size_bytes)}</span>,
  },
];

/** Shows the row-level security of a table or view. */
function Security({ entity: { kind, row_level_security, security, exposed } }: { entity: Entity }) {
  if (kind === 'view' || kind === 'materialized view') {
    return <span className="soft">{security === null ? '–' : `rights of the ${security}`}</span>;
  }
  if (row_level_security) return <Verdict of="always" words="on" />;
  return <Verdict of={exposed ? 'disagrees' : 'never'} words="off" />;
}
