import type { RelationFact } from '../catalog/entities.ts';
import { type Token, tokenise } from '../sql-reader/tokens.ts';
import { type Refusal, refusal } from './decision.ts';
import type { WriteOperation } from './operations.ts';

/** The parts of a rewrite rule, read from its definition. */
interface RewriteRule {
  name: string;
  event: string;
  /** True if the rule is INSTEAD and has no WHERE, so it replaces the statement. */
  replaces: boolean;
  /** True if the rule is INSTEAD and has a WHERE, so it replaces the statement for some rows. */
  replacesSome: boolean;
  actions: 'none' | 'one' | 'several';
  /** True if its action returns rows. */
  returns: boolean;
}

/**
 * Returns the reason why PostgreSQL refuses each write of a call because of rewrite rules; null if it does not. A call
 * writes in WITH and counts the rows with RETURNING (rewriteHandler.c, RewriteQuery). PostgreSQL then accepts only
 * rules that replace the statement for all rows by a single statement that returns rows.
 *
 * @param hasTrigger True if an INSTEAD OF trigger of the view performs the statement.
 */
export function refusedByRules(relation: RelationFact, write: WriteOperation, hasTrigger: boolean): Refusal | null {
  const { kind, rewrite_rules } = relation;
  if (rewrite_rules === null) return null;
  const rules = rewrite_rules
    .filter(({ enabled }) => enabled)
    .map(({ name, sql }) => read(name, sql))
    .filter(({ event }) => event === write);
  const acting = rules.filter(({ actions }) => actions !== 'none');
  const [only] = acting;
  const replacing = rules.find(({ replaces }) => replaces);
  if (replacing) {
    const answers = acting.length === 1 && only?.replaces && only.actions === 'one' && only.returns;
    if (answers) return null;
    if (acting.length === 0) return refused(replacing, 'does nothing instead, and answers no rows');
    return refused(replacing, 'takes the place of the statement, and not with a single one that answers rows');
  }
  const some = rules.find(({ replacesSome }) => replacesSome);
  if (some) {
    const why = 'takes the place of the statement for some rows only';
    // The code differs for a view without such a trigger: PostgreSQL first finds that it cannot write the view's rows
    // itself.
    const isTriggers = kind !== 'v' || hasTrigger;
    return refused(some, why, isTriggers ? '0A000' : '55000');
  }
  return only ? refused(only, 'does something besides') : null;
}

/** Returns the name of a rewrite rule for the statement, which may be disabled; undefined if there is none. */
export const ruleFor = ({ rewrite_rules }: RelationFact, write: WriteOperation): string | undefined =>
  rewrite_rules?.find(({ name, sql }) => read(name, sql).event === write)?.name;

const refused = ({ name }: RewriteRule, what: string, code = '0A000'): Refusal =>
  refusal(
    `the rewrite rule ${name} ${what}; a call asks for the rows that it writes, which PostgreSQL then refuses`,
    code,
  );

/**
 * Parses `CREATE RULE name AS ON DELETE TO t WHERE … DO INSTEAD …` as pg_get_ruledef prints it. Several actions are in
 * brackets.
 */
function read(name: string, sql: string): RewriteRule {
  const tokens = tokenise(sql.replace(/;\s*$/, '')) ?? [];
  const at = (word: string, from = 0) => tokens.findIndex((token, i) => i >= from && is(token, word));
  const on = at('on');
  const does = at('do', on);
  const isConditional = at('where', on) >= 0 && at('where', on) < does;
  const isInstead = is(tokens[does + 1], 'instead');
  const action = tokens.slice(does + (isInstead ? 2 : 1));
  const [first] = action;
  const event = tokens[on + 1];
  return {
    name,
    event: event?.kind === 'word' ? event.value.toLowerCase() : '',
    replaces: isInstead && !isConditional,
    replacesSome: isInstead && isConditional,
    actions: is(first, 'nothing') ? 'none' : first?.kind === 'group' ? 'several' : 'one',
    returns: action.some((token) => is(token, 'returning')),
  };
}

const is = (token: Token | undefined, word: string): boolean =>
  token?.kind === 'word' && !token.quoted && token.value.toLowerCase() === word;
