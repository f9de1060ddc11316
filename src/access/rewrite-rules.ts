import type { RelationFact, RewriteRuleFact } from '../catalog/entities.ts';
import { nodesOf, ownFields } from '../catalog/node-tree.ts';
import { type Refusal, refusal } from './decision.ts';
import type { WriteOperation } from './operations.ts';

/**
 * Returns the reason why PostgreSQL refuses each write of a call because of rewrite rules; null if it does not. A call
 * writes in WITH and counts the rows with RETURNING (rewriteHandler.c, RewriteQuery). PostgreSQL then accepts only
 * rules that replace the statement for all rows by a single statement that returns rows.
 *
 * @param all The rules of the relation.
 * @param hasTrigger True if an INSTEAD OF trigger of the view performs the statement.
 */
export function refusedByRules(
  all: readonly RewriteRuleFact[],
  { kind }: RelationFact,
  write: WriteOperation,
  hasTrigger: boolean,
): Refusal | null {
  const rules = all.filter(({ enabled, event }) => enabled && event === write);
  const acting = rules.filter((rule) => statementsOf(rule).length > 0);
  const [only] = acting;
  const replacing = rules.find(({ instead, conditional }) => instead && !conditional);
  if (replacing) {
    const isReplaced = acting.length === 1 && only?.instead && !only.conditional;
    if (isReplaced && statementsOf(only).length === 1 && returnsRows(only)) return null;
    if (acting.length === 0) return refused(replacing, 'does nothing instead, and answers no rows');
    return refused(replacing, 'takes the place of the statement, and not with a single one that answers rows');
  }
  const some = rules.find(({ instead, conditional }) => instead && conditional);
  if (some) {
    const why = 'takes the place of the statement for some rows only';
    // PostgreSQL reports another code for a view without an INSTEAD OF trigger, because it first finds that it cannot
    // write the rows of the view.
    const isTriggers = kind !== 'v' || hasTrigger;
    return refused(some, why, isTriggers ? '0A000' : '55000');
  }
  return only ? refused(only, 'does something besides') : null;
}

const refused = ({ name }: RewriteRuleFact, what: string, code = '0A000'): Refusal =>
  refusal(
    `the rewrite rule ${name} ${what}; a call asks for the rows that it writes, which PostgreSQL then refuses`,
    code,
  );

/** Returns the statements of a rule; none for NOTHING, which PostgreSQL stores as a command of its own (CMD_NOTHING). */
const statementsOf = ({ actions }: RewriteRuleFact): string[] =>
  nodesOf(actions).filter((query) => !/:commandType 7\b/.test(ownFields(query)));

/** Returns true if the first statement of a rule has RETURNING. */
const returnsRows = (rule: RewriteRuleFact): boolean =>
  statementsOf(rule)
    .slice(0, 1)
    .some((query) => ownFields(query).includes(':returningList ('));
