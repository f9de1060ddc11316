import type { DatabaseFacts, Replacement } from './replacement.ts';
import { type ScriptStatement, splitStatements, tokensOf } from './statements.ts';

/** A statement in the body of a DO statement, with its replacement. */
export interface BlockStatement {
  source: ScriptStatement;
  replacement: Replacement;
}

/** Words of PL/pgSQL after which a new statement begins. */
const beforeStatements: ReadonlySet<string> = new Set(['BEGIN', 'THEN', 'ELSE', 'LOOP']);

/** Commands that have replacements. PL/pgSQL has no statements of its own that begin with these words. */
const commands: ReadonlySet<string> = new Set('CREATE ALTER DROP COMMENT GRANT REVOKE SET EXECUTE'.split(' '));

/**
 * Returns the SQL statements of a DO statement that may have replacements. Their offsets are relative to the script,
 * like the offset of the DO statement. EXECUTE is included with its expression.
 */
export function statementsOfBlock({ text, command, at }: ScriptStatement): ScriptStatement[] {
  if (command !== 'DO') return [];
  const found: ScriptStatement[] = [];
  for (const body of tokensOf(text)) {
    if (body.kind !== 'dollar') continue;
    const quote = body.text.indexOf('$', 1) + 1;
    const inner = body.text.slice(quote, -quote);
    let begin = -1;
    let first = '';
    let isBetween = true;
    for (const { text: token, kind, at: offset } of tokensOf(inner)) {
      const word = kind === 'word' ? token.toUpperCase() : '';
      if (isBetween && commands.has(word)) [begin, first] = [offset, word];
      if (begin >= 0 && token === ';') {
        const source = { text: inner.slice(begin, offset).trimEnd(), command: first, at: at + body.at + quote + begin };
        found.push(source);
        begin = -1;
      }
      isBetween = token === ';' || beforeStatements.has(word);
    }
  }
  return found;
}

/**
 * Returns the replacements within a DO statement. Leaves out replacements that try a statement and skip it on failure
 * (`isAttempt`), because DO returns no result that could show whether the statement was skipped.
 */
export function replacementsWithin(
  statement: ScriptStatement,
  facts: DatabaseFacts,
  replacementOf: (statement: ScriptStatement, facts: DatabaseFacts) => Replacement | null,
): BlockStatement[] {
  const changesRoles = facts.hasDatabaseRoles && /\b(role|user|group|grant|revoke)\b/i.test(statement.text);
  return statementsOfBlock(statement).flatMap((source) => {
    if (source.command === 'EXECUTE') return changesRoles ? [{ source, replacement: executeOnRoles(source) }] : [];
    const replacement = replacementOf(source, facts);
    return replacement === null || replacement.isAttempt ? [] : [{ source, replacement }];
  });
}

/** Returns EXECUTE with an expression that rewrites statements about roles when it runs (`src/schema/0027_roles.sql`). */
function executeOnRoles({ text }: ScriptStatement): Replacement {
  const tokens = [...tokensOf(text)];
  let depth = 0;
  const end = tokens.find(({ kind, text: token }) => {
    if (token === '(') depth++;
    if (token === ')') depth--;
    return depth === 0 && kind === 'word' && /^(into|using)$/i.test(token);
  });
  const from = 'execute'.length;
  const to = end?.at ?? text.length;
  const run = `${text.slice(0, from)} ninefold.statement_on_roles(${text.slice(from, to).trim()}) ${text.slice(to)}`;
  return { run: run.trimEnd(), warning: null, tag: 'EXECUTE' };
}

/** Returns the replacement as statements of PL/pgSQL, with as many lines as the original. */
export function asBlockStatement({ source, replacement }: BlockStatement): string {
  const statements = splitStatements(replacement.run ?? '').map(({ text }) => text.replace(/^select\b/i, 'perform'));
  const text = statements.length === 0 ? 'null' : statements.join('; ');
  return text + '\n'.repeat(Math.max(0, lines(source.text) - lines(text)));
}

const lines = (text: string): number => text.split('\n').length;

/** Returns the text of a DO statement with the replacements within it. */
export function blockText({ text, at }: ScriptStatement, within: readonly BlockStatement[]): string {
  return within.reduceRight((before, each) => {
    const from = each.source.at - at;
    return before.slice(0, from) + asBlockStatement(each) + before.slice(from + each.source.text.length);
  }, text);
}
