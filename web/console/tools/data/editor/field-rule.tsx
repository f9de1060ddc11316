import { IconAlertCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Rule } from '../../../../../contract/specification.ts';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { ApiFailure } from '../../../queries/api-failure.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { typeInWords } from '../../../values/type-words.ts';
import styles from './editor.module.css';
import { ServerError } from './server-error.tsx';
import { sentence, validWords } from './value-rules.ts';

/**
 * Shows the valid values of a field and its rule in the app's own words, with a link to chapter 5. If a write failed,
 * shows the rule that it broke.
 */
export function FieldRule({
  table,
  field,
  rules,
  error,
}: {
  table: Table;
  field: Field;
  rules: readonly Rule[];
  error: Error | null;
}) {
  const broken = violatedRule(error, rules);
  const shown = broken ?? rules.find(({ comment }) => comment !== null) ?? rules.find(({ kind }) => kind === 'check');
  const link = shown && (
    <Link to="/app/$ref/rules" params={{ ref: table.ref }} search={{ rule: shown.id }}>
      Chapter 5
    </Link>
  );
  // A value that PostgreSQL cannot read breaks no rule of the app, so the type says what fits.
  const isUnread = error instanceof ApiFailure && /^22/.test(error.code);
  const words =
    broken?.comment ?? broken?.words ?? (isUnread ? `This does not fit ${field.name}. ${typeInWords(field)}` : null);
  if (error && words !== null) {
    return (
      <div className={styles.rule} role="alert">
        <p className={styles.wrong}>
          <Icon of={IconAlertCircle} small /> {sentence(words)}
        </p>{' '}
        {broken && link}
        <details>
          <summary>Details</summary>
          <ServerError error={error} />
        </details>
      </div>
    );
  }
  if (error) return <ServerError error={error} />;
  return (
    <p className={styles.rule}>
      {validWords(field, rules)} {link}
      {field.comment && <span> {field.comment}</span>}
    </p>
  );
}

/**
 * Returns the rule that a write broke according to its error. PostgreSQL's message contains the name of the constraint
 * in quotes, or the name of the field without a value. Pure.
 */
export function violatedRule(error: Error | null, rules: readonly Rule[]): Rule | null {
  if (!(error instanceof ApiFailure) || !/^(23|22)/.test(error.code)) return null;
  const named = new Set([...error.message.matchAll(/"((?:[^"]|"")+)"/g)].map(([, name]) => name));
  return (
    rules.find(({ name, sqlstate }) => sqlstate === error.code && named.has(name)) ??
    rules.find(
      ({ kind, fields }) => error.code === '23502' && kind === 'required' && fields.some((name) => named.has(name)),
    ) ??
    null
  );
}
