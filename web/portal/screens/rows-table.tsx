import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { PortalEntity, PortalField } from '../../../contract/portal.ts';
import { t } from '../../language/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import { keyOf, quoted } from '../data/query.ts';
import type { Row } from '../data/rest.ts';
import { rowPath, useScreens } from '../data/screens.ts';
import { FieldValue } from '../fields/value.tsx';
import type { Order } from './list-search.ts';
import styles from './rows-table.module.css';

/** Table of a list's rows; on a phone, two lines for each row. The label field links to the row. */
export function RowsTable({
  label,
  entity,
  columns,
  rows,
  isLoading = false,
  order,
  onOrder,
  group = null,
}: {
  label: string;
  entity: PortalEntity;
  columns: readonly PortalField[];
  rows: readonly Row[];
  isLoading?: boolean;
  order?: Order;
  onOrder?: (order: Order) => void;
  /** The field by whose values the rows are grouped. The rows are in the order of this field. */
  group?: string | null;
}) {
  const all = useScreens();
  const shown = columns.filter((field) => field.name !== group && !(field.editor === 'text' && isId(field)));
  const grouped = group === null ? undefined : entity.fields.find(({ name }) => name === group);
  const leading = shown.find(({ name }) => name === entity.title_field) ?? shown[0];
  const time = [...shown].reverse().find(({ editor }) => editor === 'date and time' || editor === 'date');
  return (
    <table className={styles.rows} aria-label={label} aria-busy={isLoading}>
      <thead>
        <tr>
          {shown.map((field) => (
            <Head key={field.name} field={field} align={alignOf(field, entity)} order={order} onOrder={onOrder} />
          ))}
        </tr>
      </thead>
      <tbody>
        {isLoading &&
          [1, 2, 3, 4].map((place) => (
            <tr key={place} className={styles.loading}>
              <td colSpan={shown.length}>
                <span role="progressbar" aria-label={t('loading')} />
              </td>
            </tr>
          ))}
        {rows.map((row, i) => {
          const path = rowPath(all, entity, row);
          const key = JSON.stringify(keyOf(entity, row));
          const before = rows[i - 1];
          const begins =
            grouped && (!before || JSON.stringify(before[grouped.name]) !== JSON.stringify(row[grouped.name]));
          return [
            begins && (
              <tr key={`group ${JSON.stringify(row[grouped.name])}`} className={styles.group}>
                <th colSpan={shown.length} scope="rowgroup">
                  <FieldValue entity={entity} field={grouped} row={row} />
                </th>
              </tr>
            ),
            <tr key={entity.key.length > 0 ? key : i}>
              {shown.map((field) => {
                const value = <FieldValue entity={entity} field={field} row={row} isShort />;
                const part =
                  field === leading
                    ? styles.leading
                    : field === time
                      ? styles.when
                      : (alignOf(field, entity) ?? styles.other);
                return (
                  <td
                    key={field.name}
                    className={part}
                    data-field={field.name}
                    data-empty={row[field.name] == null || undefined}
                  >
                    {field === leading && path ? <Link to={path}>{value}</Link> : value}
                  </td>
                );
              })}
            </tr>,
          ];
        })}
      </tbody>
    </table>
  );
}

/** Returns true for an identifier without meaning for a member. */
const isId = ({ name }: PortalField): boolean => /^(id|uuid)$|_uuid$/.test(name);

const alignOf = ({ editor, name }: PortalField, { key, opens }: PortalEntity): string | null | undefined =>
  key.includes(name) || opens?.field === name
    ? styles.key
    : editor === 'number' || editor === 'money'
      ? styles.number
      : null;

function Head({
  field,
  align,
  order,
  onOrder,
}: {
  field: PortalField;
  /** CSS class of the cells. */
  align: string | null | undefined;
  order: Order | undefined;
  onOrder: ((order: Order) => void) | undefined;
}) {
  const isOrdered = order?.field === quoted(field.name);
  const isDescending = isOrdered && order.isDescending;
  const canOrder = onOrder !== undefined && field.editor !== 'json' && field.editor !== 'array';
  return (
    <th className={align ?? undefined} aria-sort={isOrdered ? (isDescending ? 'descending' : 'ascending') : undefined}>
      {canOrder ? (
        <button
          type="button"
          onClick={() => {
            const next = isOrdered && !isDescending;
            onOrder({ text: `${quoted(field.name)}${next ? '.desc' : ''}`, field: field.name, isDescending: next });
          }}
        >
          {field.label}
          {isOrdered && <Icon of={isDescending ? IconArrowDown : IconArrowUp} small />}
        </button>
      ) : (
        field.label
      )}
    </th>
  );
}
