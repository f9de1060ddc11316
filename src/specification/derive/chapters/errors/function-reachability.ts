import type { RestSettings } from '../../../../../contract/settings.ts';
import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { idOf } from '../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../catalog/routines.ts';

/** Finds functions that no call can reach. If in doubt, a function counts as reachable. */
export class FunctionReachability {
  /** Functions of enabled triggers on any table. */
  readonly #triggered: ReadonlySet<number>;
  readonly #used: ReadonlySet<number>;
  /** Ids of functions that some role may call or read as a computed field, according to chapter 6. */
  readonly #executed: ReadonlySet<string>;
  /**
   * Texts of code, in lower case, that may name functions. `of` is the function whose body the text is; null for a
   * state machine or a setting.
   */
  readonly #texts: readonly { of: RoutineFact | null; text: string }[];

  constructor({ facts }: Lookup, cells: readonly RoleCell[], settings: RestSettings) {
    this.#triggered = new Set(facts.triggers.filter(({ enabled }) => enabled).map((trigger) => trigger.function));
    this.#used = new Set(facts.used_routines);
    this.#executed = new Set(
      cells.flatMap(({ operation, verdict, entity }) =>
        operation === 'execute' && verdict !== 'never' ? [entity] : [],
      ),
    );
    this.#texts = [
      ...facts.routines.map((routine) => ({ of: routine, text: routine.body.toLowerCase() })),
      ...facts.machines.map((machine) => ({ of: null, text: JSON.stringify(machine).toLowerCase() })),
      { of: null, text: (settings.db_pre_request ?? '').toLowerCase() },
    ];
  }

  /** Returns the reason why no call runs the function, in words; null if a call may run it. */
  unreachableReason(routine: RoutineFact): string | null {
    if (routine.result === 'trigger') {
      return this.#triggered.has(routine.oid) ? null : 'not while no trigger that is switched on runs it';
    }
    if (routine.result === 'event_trigger') return 'only where what a call runs changes definitions';
    if (this.#isRun(routine)) return null;
    if (this.#isNamed(routine, new Set([routine]))) return null;
    return 'not while no call may run it and nothing else of the app names it';
  }

  /**
   * Returns true if code that a call may reach names the function.
   * @param asked The functions whose callers are already being searched. They are skipped, so that recursion ends.
   */
  #isNamed({ name }: RoutineFact, asked: Set<RoutineFact>): boolean {
    const named = name.toLowerCase();
    return this.#texts.some(({ of, text }) => {
      if ((of !== null && asked.has(of)) || !namesWord(text, named)) return false;
      if (of === null || this.#isRun(of)) return true;
      return this.#isNamed(of, asked.add(of));
    });
  }

  /**
   * Returns true if the function runs although no code names it: as a trigger, as a call, or because another object of
   * the catalog uses it.
   */
  #isRun(routine: RoutineFact): boolean {
    const { oid, result } = routine;
    if (result === 'trigger') return this.#triggered.has(oid);
    return result === 'event_trigger' || this.#used.has(oid) || this.#executed.has(idOf(routine));
  }
}

/** Returns true if a text contains a name as a whole word. */
function namesWord(text: string, name: string): boolean {
  const isPartOfName = (character: string | undefined): boolean =>
    character !== undefined && /[\w$\u0080-\uffff]/.test(character);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isPartOfName(text[at - 1]) && !isPartOfName(text[at + name.length])) return true;
  }
  return false;
}
