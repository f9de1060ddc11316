import { memoize } from '../../catalog/memoize.ts';
import { certainRaise } from './certain.ts';
import { forOperation } from './for-operation.ts';
import { type Raise, raisesOf } from './raises.ts';
import { beginsStatement } from './statements.ts';
import { isSymbol, isWord, tokens } from './tokens.ts';
import type { Writes } from './writes.ts';

/** The longest body of a function whose analysis is cached. */
const REMEMBERED_CHARACTERS = 10_000;

type Operation = 'insert' | 'update' | 'delete';

/** The effects of a trigger function in PL/pgSQL on the rows of one operation. */
export interface TriggerEffects {
  /** The error of every call; null if there is none. */
  always: Raise | null;
  /** The errors of some calls. */
  sometimes: readonly Raise[];
  skips: Writes;
}

/** Reads the effects of a trigger function for one operation. */
export const triggerEffects = (source: string, operation: Operation): TriggerEffects =>
  effectsOf(`${operation}\n${source}`);

const effectsOf = memoize(
  (text): TriggerEffects => {
    const end = text.indexOf('\n');
    const operation = text.slice(0, end) as Operation;
    const source = forOperation(text.slice(end + 1), operation);
    const always = certainRaise(source);
    const sometimes = always ? [] : raisesOf(source).filter((raise) => !raise.isCaught && !raise.isAgain);
    return { always, sometimes, skips: skipsRows(source, operation) };
  },
  { maxText: REMEMBERED_CHARACTERS },
);

/**
 * Returns whether a trigger function in PL/pgSQL skips the row: in every call (`always`), in some calls (`at times`),
 * or in none that its code shows (`never`). PostgreSQL skips the row if a BEFORE trigger returns NULL. NEW is NULL in
 * DELETE, and OLD is NULL in INSERT.
 */
function skipsRows(source: string, operation: Operation): Writes {
  const all = tokens(source);
  const returned = all.flatMap((token, i) => (isWord(token, 'return') && beginsStatement(all[i - 1]) ? [i + 1] : []));
  const none = operation === 'delete' ? ['null', 'new'] : operation === 'insert' ? ['null', 'old'] : ['null'];
  const skips = (i: number, texts: readonly string[]) => isWord(all[i], ...texts) && isSymbol(all[i + 1], ';');
  if (returned.length > 0 && returned.every((i) => skips(i, none))) return 'always';
  return returned.some((i) => skips(i, ['null'])) ? 'at times' : 'never';
}
