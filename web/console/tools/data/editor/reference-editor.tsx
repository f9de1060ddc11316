import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import { givenName } from '../../../../fields/format.ts';
import { type Choice, type Choices, ReferencePicker } from '../../../../fields/reference-picker.tsx';
import { listed } from '../../../format/format.ts';
import { choices } from '../../../queries/rows/choices.ts';
import { searchedFields } from '../../../queries/rows/labels.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { userList } from '../../../queries/users.ts';
import { nameOf } from '../../users/user-words.ts';
import { Null } from '../value.tsx';

export interface ReferenceProps {
  table: Table;
  field: Field;
  /** Null for a reference to the accounts of members. */
  target: Entity | null;
  value: string | null;
  /** Label of the row that the stored value references. */
  label: string | undefined;
  /**
   * The characters that opened the editor of a cell. Null for a field of a form, which opens its list of options when
   * it gets the focus.
   */
  typed: string | null;
  isWrong: boolean;
  className?: string | undefined;
  children?: ReactNode;
  onChoose: (choice: Choice | null) => void;
}

/** Chooses the row that a field references. The options show the labels of the rows, and the server searches the fields of the labels. */
export function ReferenceEditor({ target, table, ...props }: ReferenceProps) {
  return target ? (
    <EntityPicker {...props} table={{ ...table, entity: target }} />
  ) : (
    <AccountPicker {...props} appRef={table.ref} />
  );
}

type PickerProps = Omit<ReferenceProps, 'table' | 'target'>;

function EntityPicker({ table, ...props }: PickerProps & { table: Table }) {
  const [search, setSearch] = useState(props.typed);
  const [asked] = useDebouncedValue(search ?? '', 150);
  const key = props.field.references?.field ?? '';
  const { data } = useQuery({ ...choices(table, key, asked.trim()), enabled: search !== null });
  const fields = searchedFields(table.entity);
  return (
    <Picker
      {...props}
      search={search}
      onSearch={setSearch}
      found={data}
      one={table.entity.name}
      searched={fields.length > 0 && search ? `match ${listed(fields)}` : undefined}
    />
  );
}

function AccountPicker({ appRef, ...props }: PickerProps & { appRef: string }) {
  const [search, setSearch] = useState(props.typed);
  const [asked] = useDebouncedValue(search ?? '', 150);
  const { data } = useInfiniteQuery({ ...userList(appRef, asked.trim()), enabled: search !== null });
  const found = data && {
    choices: data.users
      .slice(0, 20)
      .map((user) => ({ value: user.id, name: nameOf(user), note: givenName(user.user_metadata) ?? '' })),
    total: data.total,
  };
  return <Picker {...props} search={search} onSearch={setSearch} found={found} one="members" searched={undefined} />;
}

function Picker({
  field,
  value,
  label,
  typed,
  isWrong,
  className,
  children,
  search,
  found,
  one,
  searched,
  onSearch,
  onChoose,
}: PickerProps & {
  search: string | null;
  found: Choices | undefined;
  /** Name of the referenced entity. */
  one: string;
  searched: string | undefined;
  onSearch: (search: string | null) => void;
}) {
  const id = useId();
  const isInCell = typed !== null;
  return (
    <ReferencePicker
      id={id}
      label={field.name}
      listLabel={`Rows of ${one}`}
      placeholder={label ?? `Search ${one}`}
      value={value}
      chosen={label ?? ''}
      none={field.nullable ? <Null /> : null}
      {...{ search, found, searched, isWrong, isInCell, className }}
      nothingFound={`No row of ${one} contains this text.`}
      onSearch={(text) => onSearch(isInCell ? (text ?? '') : text)}
      onChoose={onChoose}
    >
      {children}
    </ReferencePicker>
  );
}
