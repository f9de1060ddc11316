import { t } from '../../language/messages.ts';
/** A rule of new passwords, and whether a password meets it. */
export interface PasswordRule {
  words: string;
  isMet: boolean;
}

/** Minimum length with which a part of the member's address must not occur in the password. */
const LEAST_PART = 4;

/** Returns those rules for passwords that the page can check while a password is typed. */
export function passwordRules(password: string, email: string, min: number): PasswordRule[] {
  const length = [...password].length;
  const missing = min - length;
  const lower = password.toLowerCase();
  const part = email
    .toLowerCase()
    .split(/[@.]/)
    .find((each) => each.length >= LEAST_PART && lower.includes(each));
  return [
    {
      words: t(password !== '' && missing > 0 ? 'passwordLengthMissing' : 'passwordLength', { min, missing }),
      isMet: missing <= 0,
    },
    { words: part ? t('passwordHasAddress', { part }) : t('passwordNotAddress'), isMet: part === undefined },
  ];
}
