import { Textarea } from '@mantine/core';

/** Returns the addresses in a text, one on each line. */
export const addressesIn = (text: string): string[] => text.split(/\s+/).filter((line) => line !== '');

/** Field for redirect addresses, one on each line. */
export function AddressesField({
  value,
  readOnly = false,
  onChange,
}: {
  value: string;
  readOnly?: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <Textarea
      label="Redirect addresses, one a line"
      placeholder="https://photos.example.org/callback"
      autosize
      minRows={2}
      spellCheck={false}
      readOnly={readOnly}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
