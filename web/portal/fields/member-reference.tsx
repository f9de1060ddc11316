import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity } from '../../../contract/portal.ts';
import type { ReferenceControlProps } from '../../fields/editor.tsx';
import { textOf } from '../../fields/format.ts';
import { ReferencePicker } from '../../fields/reference-picker.tsx';
import { inSentence, t } from '../../language/messages.ts';
import { usePortal } from '../data/client.ts';
import type { Row } from '../data/rest.ts';
import { choices, readRow } from '../data/rows.ts';
import { entityIn, useScreens } from '../data/screens.ts';
import { rowName } from './value.tsx';

/** Chooses the row that a field references. Offers only rows that the member may read. */
export function MemberReference({
  id,
  label,
  field,
  value,
  chosen,
  describedBy,
  isWrong,
  onChange,
}: ReferenceControlProps) {
  const portal = usePortal();
  const all = useScreens();
  const [search, setSearch] = useState<string | null>(null);
  const [name, setName] = useState(chosen ?? '');
  const target = field.reference && entityIn(all, field.reference.entity);
  const { data } = useQuery({
    ...choices(portal, all, field.reference?.entity ?? '', search ?? ''),
    enabled: search !== null,
  });
  const key = field.reference?.field ?? '';
  // A link or a stored draft contains only the key of the row, so this query reads the row for its label.
  const { data: given } = useQuery({
    queryKey: ['rows', field.reference?.entity, 'row', { [key]: value }],
    queryFn: () => (target ? readRow(portal, all, target, { [key]: value }) : null),
    enabled: value !== '' && name === '',
  });
  if (!target) return null;
  const found = data && {
    choices: data.rows.map((row) => ({
      value: String(row[key]),
      name: rowName(target, row),
      note: secondLine(target, row),
    })),
    total: data.total ?? 0,
  };
  return (
    <ReferencePicker
      {...{ id, label, describedBy, isWrong, search, found }}
      listLabel={field.label}
      placeholder={t('searchOf', { label: inSentence(target.label) })}
      chosen={value === '' ? '' : name || (given ? rowName(target, given) : rowNumber(target, value))}
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
