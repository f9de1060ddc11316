import { TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { passwordLimits } from '../../../../contract/limits/passwords.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import styles from '../../forms/form.module.css';
import { makePassword } from './make-password.ts';

/** Returns why a password is certainly invalid, before it is sent; null if the server may accept it. */
export const passwordFault = (password: string): string | null =>
  [...password].length < passwordLimits.passwordMinCharacters.default
    ? `A password has ${passwordLimits.passwordMinCharacters.default} characters or more.`
    : null;

/** Field of a visible password, with buttons that copy it and generate another one. */
export function PasswordField({
  label,
  value,
  fault,
  onChange,
}: {
  label: string;
  value: string;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  return (
    <TextInput
      className={styles.secret ?? ''}
      label={label}
      error={fault}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      rightSectionWidth="calc(2 * var(--control-small) + 8px)"
      rightSection={
        <span className={styles.tools}>
          <Button
            kind="quiet"
            small
            square
            icon={IconRefresh}
            label="Another password"
            onClick={() => onChange(makePassword())}
          />
          <CopyButton text={value} what="the password" />
        </span>
      }
    />
  );
}
