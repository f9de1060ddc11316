import { useState } from 'react';
import type { PortalField } from '../../contract/portal.ts';
import { t } from '../language/messages.ts';
import { Combo } from './combo.tsx';

const NONE = ' none';

/** Chooses one of many values of an enum. Typed text searches the labels of the values. */
export function EnumCombo({
  field,
  value,
  onChange,
  onLeave,
  ...combo
}: {
  id: string;
  className?: string | undefined;
  describedBy: string | undefined;
  isWrong: boolean;
  field: PortalField;
  value: string;
  onChange: (value: string) => void;
  onLeave?: (() => void) | undefined;
}) {
  const [search, setSearch] = useState<string | null>(null);
  const values = field.values ?? [];
  const sought = (search ?? '').trim().toLocaleLowerCase();
  const found = values.filter(({ label }) => label.toLocaleLowerCase().includes(sought));
  return (
    <Combo
      {...combo}
      listLabel={field.label}
      text={values.find((one) => one.value === value)?.label ?? value}
      search={search}
      onSearch={(next) => {
        setSearch(next);
        if (next === null) onLeave?.();
      }}
      options={[
        ...found.map((one) => ({ key: one.value, name: one.label, isCurrent: one.value === value })),
        ...(field.nullable && value !== '' && sought === '' ? [{ key: NONE, name: t('none') }] : []),
      ]}
      remark={found.length === 0 ? t('nothingFound') : t('count', { count: found.length, max: values.length })}
      onChoose={(key) => onChange(key === NONE ? '' : key)}
    />
  );
}
