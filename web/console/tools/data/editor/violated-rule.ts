import type { Rule } from '../../../../../contract/specification.ts';
import { ApiFailure } from '../../../data/api-failure.ts';

/**
 * Returns the rule that an error of a write names. PostgreSQL's message contains the constraint in quotes, or the field
 * of a missing value. Pure.
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
