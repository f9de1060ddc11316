import type { RoutineFact } from '../catalog/routines.ts';
import { mapOperands } from '../sql-reader/map-tree.ts';
import type { Expression, Operand } from '../sql-reader/tree.ts';

/** Maximum length of a meaning within a sentence. Longer comments are only shown with the function. */
const LONGEST_MEANING = 100;

/**
 * Adds to each call the meaning of its function: the first sentence of the function's comment. A call gets no meaning if
 * functions of the same name have different comments, because the condition does not show which one PostgreSQL calls.
 */
export function withMeanings(expression: Expression, called: readonly RoutineFact[]): Expression {
  const meanings = meaningsOf(called);
  if (meanings.size === 0) return expression;
  return mapOperands(expression, (operand): Operand => {
    const meaning = operand.kind === 'call' ? meanings.get(operand.name) : undefined;
    return operand.kind === 'call' && meaning !== undefined ? { ...operand, meaning } : operand;
  });
}

function meaningsOf(called: readonly RoutineFact[]): Map<string, string> {
  const found = new Map<string, string | null>();
  for (const { schema, name, comment } of called) {
    const key = `${schema}.${name}`;
    const own = firstSentence(comment ?? '');
    found.set(key, found.has(key) && found.get(key) !== own ? null : own);
  }
  return new Map([...found].filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Returns the first sentence of a comment without its full stop; null if the sentence is empty or too long. */
function firstSentence(comment: string): string | null {
  const [first = ''] = comment.trim().split(/(?<=[.!?])\s|\n\s*\n/);
  const words = first.replace(/\s+/g, ' ').replace(/\.$/, '').trim();
  return words === '' || words.length > LONGEST_MEANING ? null : words;
}
