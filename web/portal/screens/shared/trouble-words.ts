import { plainWords } from '../../../../contract/plain-words.ts';
import { t } from '../../../language/messages.ts';
import { Refusal } from '../../queries/rest.ts';

/** Returns the advice that the app has written for an error; null if there is none. */
export const hintOf = (error: Error): string | null =>
  error instanceof Refusal && error.hint !== null && !(error.code !== null && isOfServer(error.code))
    ? plainWords(error.hint)
    : null;

/**
 * Matches the codes of errors whose message PostgreSQL, PostgREST's protocol or a state machine has written: it names
 * types, tables and functions. All other errors are raised by the app, in its own words (PostgreSQL manual, "PostgreSQL
 * Error Codes").
 */
const OF_SERVER = /^(?:0[0-9A-Z]|2[0-9A-Z]|3[0-9A-Z]|4[0-9]|5[0-9]|72|F0|HV|XX|PGRST|NF)/;

/** Returns true for the code of an error that the app's own code did not raise. */
export const isOfServer = (code: string): boolean => OF_SERVER.test(code) && !code.startsWith('23') && code !== '42501';

/** Matches the messages of PostgreSQL itself for a broken constraint. An app can raise an error with the same code. */
const OF_CONSTRAINT = /constraint|^no partition of relation|^null value|^column .* contains null/;

/** Matches the message of PostgreSQL for rows that other rows still reference. The group is the table of those. */
const STILL_USED = /^update or delete on table .* on table "(.+)"$/;

/**
 * Describes an error in a sentence for a member. The sentence contains neither SQL nor names of tables.
 * @param labelOf Returns the label of the entity with a name; null for one that the member does not know.
 */
export function troubleWords(error: Error, labelOf: (name: string) => string | null = () => null): string {
  if (!(error instanceof Refusal)) return t('unreachable');
  if (error.status === 401) return t('authEnded');
  // PostgreSQL names row-level security if a policy refuses a row; otherwise a privilege is missing.
  if (error.code === '42501') return /^permission denied/.test(error.message) ? t('notAllowed') : t('policyRefuses');
  if (error.code?.startsWith('23')) {
    if (error.hint !== null) return plainWords(error.hint);
    const label = labelOf(STILL_USED.exec(error.message)?.[1] ?? '');
    if (label !== null) return t('stillUsed', { label });
    return OF_CONSTRAINT.test(error.message) ? constraintWords(error.code) : plainWords(error.message);
  }
  if (error.code === 'NF001') return t('transitionRefused');
  if (error.status >= 500) return t('appDown');
  if (error.code?.startsWith('22')) return t('valueRefused');
  if (error.code !== null && isOfServer(error.code)) return t('appRefuses');
  return plainWords(error.message);
}

function constraintWords(code: string): string {
  switch (code) {
    case '23505':
      return t('ruleExists');
    case '23503':
      return t('ruleReference');
    case '23502':
      return t('ruleMissing');
    default:
      return t('ruleRefuses');
  }
}
