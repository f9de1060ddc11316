import { type AttemptResult, tryAll } from '../../access/attempts.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Try } from './evaluate-attempts.ts';
import { withRollback } from './probe.ts';

/** A cell with its attempts, or with the reason why it is not tried. */
export type PlannedCell = { readonly why: string } | { readonly tries: readonly Try[] };

/** How the cells of one kind are tried. */
interface GroupParts<Cell, Probed> {
  readonly searchPath: readonly string[];
  /** Most groups that are tried. */
  readonly maxGroups: number;
  /** Note of the cells of the other groups. */
  readonly notReached: string;
  readonly plan: (cell: Cell) => PlannedCell;
  readonly evaluate: (cell: Cell, tries: readonly Try[], answers: readonly AttemptResult[]) => Probed;
  readonly notProbed: (cell: Cell, note: string) => Probed;
  readonly isStopped: () => boolean;
}

/**
 * Tries cells, those of one group in one transaction, and rolls each transaction back.
 * @throws ConnectionError, PoolTimeoutError
 */
export async function probeGroups<Cell, Probed>(
  database: Database,
  groups: readonly (readonly Cell[])[],
  { searchPath, maxGroups, notReached, plan, evaluate, notProbed, isStopped }: GroupParts<Cell, Probed>,
): Promise<Probed[]> {
  const found: Probed[] = [];
  for (const [i, group] of groups.entries()) {
    if (i >= maxGroups || isStopped()) {
      found.push(...group.map((cell) => notProbed(cell, notReached)));
      continue;
    }
    const planned = group.map((cell) => ({ cell, why: null, tries: [], ...plan(cell) }));
    const attempts = planned.flatMap(({ tries }) => tries.map(({ attempt }) => attempt));
    const answers = await withRollback(database, searchPath, (tx, deadline) => tryAll(tx, attempts, deadline)).catch(
      (error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error;
        return error;
      },
    );
    let next = 0;
    for (const { cell, why, tries } of planned) {
      if (answers instanceof DatabaseError)
        found.push(notProbed(cell, `PostgreSQL refused the transaction: ${answers.message}`));
      else if (why !== null) found.push(notProbed(cell, why));
      else found.push(evaluate(cell, tries, answers.slice(next, next + tries.length)));
      next += tries.length;
    }
  }
  return found;
}
