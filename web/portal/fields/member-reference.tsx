import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity, PortalField, PortalScreens } from '../../../contract/portal.ts';
import editorStyles from '../../fields/editor.module.css';
import type { ReferenceControlProps } from '../../fields/editor.tsx';
import { textOf } from '../../fields/format.ts';
import { ReferencePicker } from '../../fields/reference-picker.tsx';
import { inSentence, t } from '../../language/messages.ts';
import { usePortal } from '../queries/client.ts';
import { people } from '../queries/member-names.ts';
import { pointedTo } from '../queries/query.ts';
import type { Row } from '../queries/rest.ts';
import { choices, ownerField, readRow } from '../queries/rows.ts';
import { entityIn, useScreens } from '../queries/screens.ts';
import { useCaller } from '../screens/shell/gate.tsx';
import { rowName } from './value.tsx';

/** Max number of rows that a select offers. More rows are searched on the server. */
const SELECTED = 12;

/**
 * Chooses the row or the member that a field references. Offers only rows that the member may read; without a table of
 * members, the member alone.
 */
export function MemberReference({ actsAtOnce = false, ...control }: ReferenceControlProps) {
  const portal = usePortal();
  const all = useScreens();
  const [named] = control.field.editor === 'member' ? people(all) : [];
  const target = named ?? (control.field.reference && entityIn(all, control.field.reference.entity));
  const first = useQuery({
    ...choices(portal, all, target?.id ?? '', '', SELECTED + 1),
    enabled: target != null && !actsAtOnce,
  });
  if (!target) return control.field.editor === 'member' ? <OneselfSelect {...control} /> : null;
  if (!actsAtOnce && first.isLoading) return <input id={control.id} className={editorStyles.control} disabled />;
  const rows = first.data?.rows ?? [];
  return first.isSuccess && rows.length <= SELECTED ? (
    <ReferenceSelect {...{ ...control, target, rows }} />
  ) : (
    <SearchedReference {...{ ...control, target }} />
  );
}

/** Chooses between nobody, the member, and the account that the field has. */
function OneselfSelect({ id, label, field, value, describedBy, isWrong, onChange }: ReferenceControlProps) {
  const callerId = useCaller()?.user.id ?? '';
  return (
    <select
      {...{ id, value }}
      className={editorStyles.control}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isWrong || undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">{field.nullable ? t('nobody') : '–'}</option>
      {callerId !== '' && <option value={callerId}>{t('you')}</option>}
      {value !== '' && value !== callerId && <option value={value}>{t('anotherMember')}</option>}
    </select>
  );
}

/** Returns the field of a row that a reference contains: the one that the foreign key names, or the key of a member's row. */
const pointedField = ({ reference }: PortalField, { key }: PortalEntity): string => reference?.field ?? key[0] ?? '';

type TargetProps = Omit<ReferenceControlProps, 'actsAtOnce'> & { target: PortalEntity };

/** Chooses among all rows of a short list. */
function ReferenceSelect(props: TargetProps & { rows: readonly Row[] }) {
  const { id, label, field, value, describedBy, isWrong, target, rows, onChange } = props;
  const all = useScreens();
  const key = pointedField(field, target);
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
          {[one.name, isAlone(one.name) ? '' : secondLine(all, target, one.row)].filter(Boolean).join(' · ')}
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
      value: String(row[pointedField(field, target)]),
      name: rowName(all, target, row),
      note: secondLine(all, target, row),
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
  const key = { [pointedField(field, target)]: value };
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

/** Returns the row to which a row belongs, or else the value of a second field, by which the member distinguishes rows with the same label. */
function secondLine(all: PortalScreens, entity: PortalEntity, row: Row): string {
  const owner = ownerField(entity);
  const of = owner?.reference && entityIn(all, owner.reference.entity);
  const pointed = owner && pointedTo(row, owner.name);
  if (of && pointed) return rowName(all, of, pointed);
  const field = entity.fields.find(
    ({ name, editor }) =>
      !entity.title_fields.includes(name) && !entity.key.includes(name) && editor === 'text' && row[name],
  );
  return field ? textOf(field, row[field.name]) : '';
}
