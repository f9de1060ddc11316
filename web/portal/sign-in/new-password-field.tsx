import { PasswordInput } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { Icon } from '../../ui/icon.tsx';
import { usePortal } from '../queries/client.ts';
import styles from './new-password-field.module.css';
import { type PasswordRule, passwordRules } from './password-rules.ts';

/**
 * Field for a new password, with the rules that the page can check while the member types. The server checks more
 * rules.
 */
export function NewPasswordField({
  label,
  email,
  value,
  onChange,
}: {
  label: string;
  email: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { app } = usePortal();
  const rules = passwordRules(value, email, app.password_min_length);
  return (
    <div>
      <PasswordInput
        label={label}
        autoComplete="new-password"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <ul className={styles.rules} aria-live="polite">
        {rules.map((rule) => (
          <Rule key={rule.words} rule={rule} isTyped={value !== ''} />
        ))}
      </ul>
    </div>
  );
}

function Rule({ rule: { words, isMet }, isTyped }: { rule: PasswordRule; isTyped: boolean }) {
  return (
    <li className={isTyped ? (isMet ? styles.met : styles.broken) : undefined}>
      {isTyped && <Icon of={isMet ? IconCheck : IconX} small />}
      {words}
    </li>
  );
}
