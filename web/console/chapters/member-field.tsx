import { type ComboboxParsedItem, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type Ref, useState } from 'react';
import { failureFacts } from '../queries/api-failure.ts';
import { userList } from '../queries/users.ts';
import { nameOf } from '../tools/users/user-words.ts';

/** Maximum number of members in the list of options. */
const offered = 50;

/** Finds a member of an app by address, name or id. */
export function MemberField({
  appRef,
  member,
  onMember,
  field,
}: {
  appRef: string;
  member: string | null;
  onMember: (id: string) => void;
  field?: Ref<HTMLInputElement>;
}) {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 200);
  const { data, error, isPlaceholderData } = useInfiniteQuery({
    ...userList(appRef, asked),
    placeholderData: keepPreviousData,
  });
  const searching = isPlaceholderData || search.trim() !== asked;
  const users = data?.users.slice(0, offered) ?? [];
  const known = users.map((user) => ({ value: user.id, label: nameOf(user) }));
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const options = chosen && !known.some(({ value }) => value === chosen.value) ? [chosen, ...known] : known;
  return (
    <Select
      ref={field ?? null}
      label="Member"
      placeholder="ines@example.com"
      searchable
      data={options}
      // The server's result is the list of options. Until the server responds, the matching options of the previous
      // list remain, so that keys pressed directly after typing select a member.
      filter={({ options: found, search: text }) => (searching ? found.filter((one) => fits(one, text)) : found)}
      nothingFoundMessage={nobody(searching, asked)}
      error={error && failureFacts(error).message}
      value={member}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(id, option) => {
        if (id === null) return;
        setChosen(option);
        onMember(id);
      }}
    />
  );
}

const fits = (option: ComboboxParsedItem, text: string) =>
  'label' in option && option.label.toLowerCase().includes(text.trim().toLowerCase());

function nobody(searching: boolean, asked: string): string {
  if (searching) return 'Searching …';
  return asked === '' ? 'This app has no members yet' : 'No member with that name';
}
