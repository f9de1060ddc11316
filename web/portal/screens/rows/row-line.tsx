import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, memo, useMemo } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { quoted } from '../../../rows/query.ts';
import { Icon } from '../../../ui/icon.tsx';
import { FieldValue, rowName } from '../../fields/value.tsx';
import { useIsChanged } from '../../queries/changed-rows.ts';
import { keyOf } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { rowPath, useScreens } from '../../queries/screens.ts';
import type { Order } from '../list/list-search.ts';
import { RowActionButtons, type RowActions } from '../shared/actions.tsx';
import styles from './rows-table.module.css';

/** The columns of a table of rows, and the fields with a special role in it. */
export interface RowLayout {
  readonly entity: PortalEntity;
  readonly shown: readonly PortalField[];
  /** The field that links to the page of the row. On a phone, it is the first line of the row. */
  readonly leading: PortalField | undefined;
  /** The field with the most recent time of a row. */
  readonly time: PortalField | undefined;
  /** The field whose values group the rows. */
  readonly grouped: PortalField | undefined;
  /** The functions that take a row; null if there are none. */
  readonly actions: RowActions | null;
}

/** Returns the columns of a table. Leaves out ids that mean nothing to a member, and the field that groups the rows. */
export function useRowLayout(
  entity: PortalEntity,
  columns: readonly PortalField[],
  group: string | null = null,
  actions: RowActions | null = null,
): RowLayout {
  return useMemo(() => {
    const named = columns.filter((field) => field.name !== group && !isMeaninglessId(field, entity));
    const leading =
      entity.title_fields.flatMap((label) => named.find(({ name }) => name === label) ?? [])[0] ?? named[0];
    const shown = fittingColumns(entity, named);
    const times = shown.filter(({ editor }) => editor === 'date and time' || editor === 'date');
    return {
      entity,
      shown,
      leading,
      time: times.findLast(({ nullable }) => !nullable) ?? times.at(-1),
      grouped: group === null ? undefined : entity.fields.find(({ name }) => name === group),
      actions,
    };
  }, [entity, columns, group, actions]);
}

/** Maximum number of columns, and maximum number of fields in the second line of a row on a phone. */
const COLUMNS = 8;
const PHONE_FIELDS = 3;

/**
 * Returns the columns that fit into a page, in their order. The label, the state and the fields that each row requires
 * stay first, then the other fields that members fill in. The type of a field does not matter.
 */
export function fittingColumns(
  { title_fields: labels, machine }: Pick<PortalEntity, 'title_fields' | 'machine'>,
  columns: readonly PortalField[],
  max = COLUMNS,
): readonly PortalField[] {
  if (columns.length <= max) return columns;
  const placeOf = ({ name, required, filled_by }: PortalField) => {
    if (labels.includes(name) || name === machine?.field) return 0;
    return filled_by ? 3 : required ? 1 : 2;
  };
  const kept = new Set([...columns].sort((a, b) => placeOf(a) - placeOf(b)).slice(0, max));
  return columns.filter((field) => kept.has(field));
}

/**
 * Returns true for an identifier without meaning for a member: a uuid, or the account that is the key of a row with a
 * label.
 */
export const isMeaninglessId = ({ name, editor }: PortalField, { title_fields: labels }: PortalEntity): boolean =>
  /^(id|uuid)$|_uuid$/.test(name) &&
  (editor === 'text' ||
    (labels.length > 0 && !labels.includes(name) && (editor === 'member' || editor === 'reference')));

const alignOf = ({ editor, name }: PortalField, { key, opens }: PortalEntity): string | null | undefined =>
  key.includes(name) || opens?.field === name
    ? styles.key
    : editor === 'number' || editor === 'money'
      ? styles.number
      : null;

/** Place of the fields that the second line of a row on a phone never shows: long texts, and times without their label. */
const HIDDEN_PLACE = 3;

/** Returns the place of a field in the second line of a row on a phone: the state, then values of a list, then others. */
function phonePlace({ machine }: PortalEntity, { name, editor }: PortalField): number {
  if (name === machine?.field) return 0;
  switch (editor) {
    case 'enum':
      return 1;
    case 'long text':
    case 'date':
    case 'date and time':
    case 'time':
    case 'json':
      return HIDDEN_PLACE;
    default:
      return 2;
  }
}

/** Returns the key of a row as text. */
export const rowKey = (entity: PortalEntity, row: Row): string => JSON.stringify(keyOf(entity, row));

/** Tells whether a row is selected, with a function that selects it. */
export interface RowSelect {
  readonly isSelected: boolean;
  readonly onSelect: (row: Row, isSelected: boolean) => void;
}

/** Row of a table; on a phone, two lines. The label field links to the row. */
export const RowLine = memo(function RowLine({
  layout,
  row,
  index,
  isNew = false,
  isSelected,
  onSelect,
}: {
  layout: RowLayout;
  row: Row;
  /** Position of the row among all rows, if the table draws only some of them. */
  index?: number;
  /** True if the row was added while the member looks. */
  isNew?: boolean;
} & Partial<RowSelect>) {
  const all = useScreens();
  const { entity, shown, leading, time, actions } = layout;
  const onPhone = new Set(
    shown
      .filter(
        (field) =>
          !entity.title_fields.includes(field.name) &&
          field !== leading &&
          field !== time &&
          !alignOf(field, entity) &&
          row[field.name] != null,
      )
      .sort((a, b) => phonePlace(entity, a) - phonePlace(entity, b))
      .filter((field) => phonePlace(entity, field) < HIDDEN_PLACE)
      .slice(0, PHONE_FIELDS),
  );
  const path = rowPath(all, entity, row);
  const isChanged = useIsChanged(row) && !isNew;
  return (
    <tr
      onClick={openFromAnywhere}
      aria-rowindex={index === undefined ? undefined : index + 2}
      aria-selected={isSelected}
      data-new={isNew || undefined}
      data-changed={isChanged || undefined}
    >
      {onSelect && (
        <td className={styles.pick}>
          <input
            type="checkbox"
            aria-label={t('selectOne', { name: rowName(all, entity, row) })}
            checked={isSelected === true}
            onChange={({ currentTarget }) => onSelect(row, currentTarget.checked)}
          />
        </td>
      )}
      {shown.map((field) => {
        const value = <FieldValue entity={entity} field={field} row={row} isShort />;
        const part =
          field === leading ? styles.leading : field === time ? styles.when : (alignOf(field, entity) ?? styles.other);
        return (
          <td
            key={field.name}
            className={part}
            data-field={field.name}
            data-empty={row[field.name] == null || undefined}
            data-wide={(part === styles.other && !onPhone.has(field)) || undefined}
          >
            {field === leading && path ? <Link to={path}>{value}</Link> : value}
            {field === leading && <OtherNames entity={entity} leading={leading} row={row} />}
            {field === leading && isNew && <small className={styles.newWord}>{t('newRow')}</small>}
            {field === leading && isChanged && <small className={styles.newWord}>{t('changedRow')}</small>}
          </td>
        );
      })}
      {actions && (
        <td className={styles.actions}>
          <RowActionButtons {...actions} row={row} name={rowName(all, entity, row)} />
        </td>
      )}
    </tr>
  );
});

/** Opens the row when the member presses a part of it that does nothing itself, unless the member has marked a text. */
function openFromAnywhere({ target, currentTarget, ctrlKey, metaKey }: MouseEvent<HTMLTableRowElement>): void {
  const isOwn = target instanceof Element && target.closest('a, button, input, label, select, textarea') !== null;
  if (isOwn || getSelection()?.isCollapsed === false) return;
  const link = currentTarget.querySelector(`.${styles.leading} a`);
  link?.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey }));
}

/** On a phone, where the label has no further columns: the other parts of a person's name. */
function OtherNames({ entity, leading, row }: { entity: PortalEntity; leading: PortalField; row: Row }) {
  const others = entity.title_fields.flatMap((name) =>
    entity.fields.filter((field) => field.name === name && name !== leading.name && row[name] != null),
  );
  return others.map((field) => (
    <span key={field.name} className={styles.otherName}>
      {' '}
      <FieldValue entity={entity} field={field} row={row} />
    </span>
  ));
}

/** Heading of a group of rows: their common value of the field that groups the rows. */
export function GroupLine({ layout: { entity, grouped, shown, actions }, row }: { layout: RowLayout; row: Row }) {
  return (
    grouped && (
      <tr className={styles.group}>
        <th colSpan={shown.length + (actions ? 2 : 1)} scope="rowgroup">
          <FieldValue entity={entity} field={grouped} row={row} />
        </th>
      </tr>
    )
  );
}

/** Returns true if a row is the first one of a group. */
export const beginsGroup = ({ grouped }: RowLayout, row: Row, before: Row | undefined): boolean =>
  grouped !== undefined &&
  (before === undefined || JSON.stringify(before[grouped.name]) !== JSON.stringify(row[grouped.name]));

/** Placeholder for a row that is being read. */
export const LoadingLine = ({ columns }: { columns: number }) => (
  <tr className={styles.loading}>
    <td colSpan={columns}>
      <span role="progressbar" aria-label={t('loading')} />
    </td>
  </tr>
);

/** Head of a table of rows. A click on a name sorts the rows by this column. */
export function TableHead({
  layout: { entity, shown, actions },
  order,
  onOrder,
  select,
}: {
  layout: RowLayout;
  order?: Order | undefined;
  onOrder?: ((order: Order) => void) | undefined;
  /** Box that selects all rows that are shown. */
  select?: { readonly isChecked: boolean; readonly onSelect: (isSelected: boolean) => void } | undefined;
}) {
  return (
    <thead>
      <tr>
        {select && (
          <th className={styles.pick}>
            <input
              type="checkbox"
              aria-label={t('selectAll')}
              checked={select.isChecked}
              onChange={({ currentTarget }) => select.onSelect(currentTarget.checked)}
            />
          </th>
        )}
        {shown.map((field) => (
          <Head key={field.name} field={field} align={alignOf(field, entity)} order={order} onOrder={onOrder} />
        ))}
        {actions && (
          <th>
            <span className="sr">{t('actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

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
  const isOrdered = order?.field === field.name;
  const isDescending = isOrdered && order.isDescending;
  const canOrder = onOrder !== undefined && field.sortable && field.editor !== 'json' && field.editor !== 'array';
  return (
    <th
      data-field={field.name}
      className={align ?? undefined}
      aria-sort={isOrdered ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
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
