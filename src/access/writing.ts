import type { CallEntry } from '../../contract/specification-calls.ts';
import { idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { NamedFunctions } from '../sql-reader/body/named-functions.ts';
import { runsDynamicSql, writesOf } from '../sql-reader/body/writes.ts';

/**
 * Finds out which functions of an app write: directly, through functions that they call, or in SQL that they build at
 * run time.
 */
export class Writing {
  readonly #functions: NamedFunctions;
  /** The result of each function's own text. */
  readonly #own: ReadonlyMap<string, CallEntry['writes']>;

  constructor(routines: readonly RoutineFact[]) {
    this.#functions = new NamedFunctions(routines.map((routine) => ({ id: idOf(routine), body: routine.body })));
    this.#own = new Map(routines.map((routine) => [idOf(routine), ownWrites(routine)]));
  }

  /**
   * Returns `always` if each call writes or fails, `may` if a call may write, and undefined if there is no sign of a
   * write.
   */
  of(routine: RoutineFact): CallEntry['writes'] {
    const own = this.#own.get(idOf(routine));
    if (own === 'always') return own;
    const reached = this.#functions.reached([idOf(routine)], []);
    return [...reached].some((id) => this.#own.get(id) !== undefined) ? 'may' : undefined;
  }
}

function ownWrites({ schema, language, body }: RoutineFact): CallEntry['writes'] {
  const writes = writesOf(language, body);
  if (writes === 'always') return 'always';
  // The SQL that Ninefold's own functions build only reads.
  const isDynamic = language === 'plpgsql' && schema !== 'ninefold' && runsDynamicSql(body);
  return writes === 'at times' || isDynamic ? 'may' : undefined;
}
