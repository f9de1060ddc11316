import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity } from '../../../contract/portal.ts';
import editorStyles from '../../fields/editor.module.css';
import type { ReferenceControlProps } from '../../fields/editor.tsx';
import { textOf } from '../../fields/format.ts';
import { ReferencePicker } from '../../fields/reference-picker.tsx';
import { inSentence, t } from '../../language/messages.ts';
import { usePortal } from '../queries/client.ts';
import type { Row } from '../queries/rest.ts';
import { choices, readRow } from '../queries/rows.ts';
import { entityIn, useScreens } from '../queries/screens.ts';
import { rowName } from './value.tsx';

/** Max number of rows that a select offers. More rows are searched on the server. */
const SELECTED = 12;

/** Chooses the row that a field references. Offers only rows that the member may read. */
export function MemberReference({ actsAtOnce = false, ...control }: ReferenceControlProps) {
  const portal = usePortal();
  const all = useScreens();
  const target = control.field.reference && entityIn(all, control.field.reference.entity);
  const first = useQuery({
    ...choices(portal, all, target?.id ?? '', '', SELECTED + 1),
    enabled: target != null && !actsAtOnce,
  });
  if (!target) return null;
  if (!actsAtOnce && first.isLoading) return <input id={control.id} className={editorStyles.control} disabled />;
  const rows = first.data?.rows ?? [];
  return first.isSuccess && rows.length <= SELECTED ? (
    <ReferenceSelect {...{ ...control, target, rows }} />
  ) : (
    <SearchedReference {...{ ...control, target }} />
  );
}

type TargetProps = Omit<ReferenceControlProps, 'actsAtOnce'> & { target: PortalEntity };

/** Chooses among all rows of a short list. */
function ReferenceSelect(props: TargetProps & { rows: readonly Row[] }) {
  const { id, label, field, value, describedBy, isWrong, target, rows, onChange } = props;
  const all = useScreens();
  const key = field.reference?.field ?? '';
  const names = rows.map((row) => ({ row, value: String(row[key]), name: rowName(all, target, row) }));
  const offered = names.find((one) => one.value === value);
  const present = useChosenName(props, offered?.name ?? props.chosen ?? '');
  const isAlone = (name: string) => names.filter((one) => one.name === name).length === 1;
  return (
    <select
      {...{ id, value }}
      className={editorStyles.control}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isWrong || undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">–</option>
      {value !== '' && !offered && <option value={value}>{present}</option>}
      {names.map((one) => (
        <option key={one.value} value={one.value}>
          {[one.name, isAlone(one.name) ? '' : secondLine(target, one.row)].filter(Boolean).join(' · ')}
        </option>
      ))}
    </select>
  );
}

/** Chooses among many rows, which the server searches. */
function SearchedReference(props: TargetProps) {
  const { id, label, field, value, describedBy, isWrong, target, onChange } = props;
  const portal = usePortal();
  const all = useScreens();
  const [search, setSearch] = useState<string | null>(null);
  const [name, setName] = useState(props.chosen ?? '');
  const present = useChosenName(props, name);
  const { data } = useQuery({ ...choices(portal, all, target.id, search ?? ''), enabled: search !== null });
  const found = data && {
    choices: data.rows.map((row) => ({
      value: String(row[field.reference?.field ?? '']),
      name: rowName(all, target, row),
      note: secondLine(target, row),
    })),
    total: data.total ?? 0,
  };
  return (
    <ReferencePicker
      {...{ id, label, describedBy, isWrong, search, found }}
      listLabel={field.label}
      placeholder={t('searchOf', { label: inSentence(target.label) })}
      chosen={present}
      value={value === '' ? null : value}
      none={field.nullable && value !== '' ? <span className="soft">{t('none')}</span> : null}
      nothingFound={t('nothingCalledSo', { one: target.one })}
      onSearch={setSearch}
      onChoose={(choice) => {
        onChange(choice?.value ?? '');
        setName(choice?.name ?? '');
      }}
    />
  );
}

/**
 * Returns the label of the chosen row; an empty text without a row. A link or a stored draft contains only the key of the
 * row, so the row is then read for its label.
 * @param name The label, if it is known.
 */
function useChosenName({ field, value, target }: TargetProps, name: string): string {
  const portal = usePortal();
  const all = useScreens();
  const key = { [field.reference?.field ?? '']: value };
  const { data: row } = useQuery({
    queryKey: ['rows', target.id, 'row', key],
    queryFn: () => readRow(portal, all, target, key),
    enabled: value !== '' && name === '',
  });
  if (value === '') return '';
  return name || (row ? rowName(all, target, row) : rowNumber(target, value));
}

/** Returns a name for a chosen row that has no label. */
const rowNumber = ({ one }: PortalEntity, value: string): string =>
  /^\d+$/.test(value) ? `${one} ${value}` : t('aRow', { one });

/** Returns the value of a second field, by which the member distinguishes rows with the same label. */
function secondLine(entity: PortalEntity, row: Row): string {
  const field = entity.fields.find(
    ({ name, editor }) =>
      !entity.title_fields.includes(name) && !entity.key.includes(name) && editor === 'text' && row[name],
  );
  return field ? textOf(field, row[field.name]) : '';
}
