import type { CallEntry } from '../../contract/specification-calls.ts';
import { idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import type { NamedFunctions } from '../sql-reader/body/named-functions.ts';
import { runsDynamicSql, writesOf } from '../sql-reader/body/writes.ts';

/**
 * Finds out which functions of an app write: directly, through functions that they call, or in SQL that they build at
 * run time.
 */
export class Writing {
  readonly #functions: NamedFunctions;
  readonly #routines: ReadonlyMap<string, RoutineFact>;
  /** The results of each function's own text. Filled when first needed, because most functions are Ninefold's. */
  readonly #own = new Map<string, CallEntry['writes']>();

  /** @param routines All functions by id. */
  constructor(routines: ReadonlyMap<string, RoutineFact>, functions: NamedFunctions) {
    this.#functions = functions;
    this.#routines = routines;
  }

  /**
   * Returns `always` if each call writes or fails, `may` if a call may write, and undefined if there is no sign of a
   * write.
   */
  of(routine: RoutineFact): CallEntry['writes'] {
    const own = this.#ownOf(idOf(routine));
    if (own === 'always') return own;
    const reached = this.#functions.reached([idOf(routine)], []);
    return [...reached].some((id) => this.#ownOf(id) !== undefined) ? 'may' : undefined;
  }

  #ownOf(id: string): CallEntry['writes'] {
    const routine = this.#routines.get(id);
    if (!routine || this.#own.has(id)) return this.#own.get(id);
    const own = ownWrites(routine);
    this.#own.set(id, own);
    return own;
  }
}

function ownWrites({ schema, language, body }: RoutineFact): CallEntry['writes'] {
  const writes = writesOf(language, body);
  if (writes === 'always') return 'always';
  // The SQL that Ninefold's own functions build only reads.
  const isDynamic = language === 'plpgsql' && schema !== 'ninefold' && runsDynamicSql(body);
  return writes === 'at times' || isDynamic ? 'may' : undefined;
}
