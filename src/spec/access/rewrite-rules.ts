import type { RelationFact } from '../../catalog/entities.ts';
import { type Token, tokenise } from '../../sql-reader/tokens.ts';

type Write = 'insert' | 'update' | 'delete';

/** A rewrite rule, as its definition has it. */
interface RewriteRule {
  name: string;
  event: string;
  /** It has no WHERE, and takes the place of the statement. */
  replaces: boolean;
  /** It takes the place of the statement for some rows. */
  replacesSome: boolean;
  actions: 'none' | 'one' | 'several';
  /** Its action answers rows. */
  returns: boolean;
}

/**
 * Why PostgreSQL refuses each write that a call makes, for rewrite rules; null where it does not. A call writes in WITH, and asks for a row
 * for each that is written, to count them (rewriteHandler.c, RewriteQuery): then the one thing that rules may do is to replace the
 * statement, whatever its rows, with a single one that answers rows.
 */
export function refusedByRules({ kind, rewrite_rules }: RelationFact, write: Write): string | null {
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
    return kind === 'v' ? refused(some, why, '55000 or 0A000') : refused(some, why);
  }
  return only ? refused(only, 'does something besides') : null;
}

const refused = ({ name }: RewriteRule, what: string, code = '0A000'): string =>
  `the rewrite rule ${name} ${what}; a call asks for the rows that it writes, which PostgreSQL then refuses (${code}), so nothing is written`;

/** `CREATE RULE name AS ON DELETE TO t WHERE … DO INSTEAD …`, as pg_get_ruledef prints it; several actions stand in brackets. */
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
