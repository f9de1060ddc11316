import type { RestSettings } from '../../contract/settings.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { callingRoles } from './access/calling-roles.ts';
import type { Rights } from './access/rights.ts';
import type { Lookup } from './lookup.ts';
import { entityId } from './names.ts';
import { callableRoutines } from './routines.ts';

/** Whether calls come to a function of the app, as far as that can be told for certain. */
export class Reached {
  readonly #rights: Rights;
  readonly #roles: readonly number[];
  /** Functions that a trigger runs which is switched on, on whatever table. */
  readonly #triggered: ReadonlySet<number>;
  readonly #used: ReadonlySet<number>;
  /** Functions that calls run by name: those of /rest/v1/rpc. */
  readonly #callable: ReadonlySet<number>;
  /** The types of rows: a function of one is read as a field of it (PostgREST docs, "Computed Fields"). */
  readonly #rows: ReadonlySet<string>;
  /** What runs code that names functions by text alone, in lower case, with the function whose code it is. */
  readonly #texts: readonly { of: number; text: string }[];

  constructor({ facts, rights }: Lookup, settings: RestSettings) {
    this.#rights = rights;
    this.#roles = callingRoles(facts, this.#rights.membership).flatMap(({ fact, barred }) =>
      barred === null ? [fact.oid] : [],
    );
    this.#triggered = new Set(facts.triggers.filter(({ enabled }) => enabled).map((trigger) => trigger.function));
    this.#used = new Set(facts.used_routines);
    this.#callable = new Set(callableRoutines(facts).map(({ oid }) => oid));
    this.#rows = new Set(facts.relations.map(({ schema, name }) => entityId(schema, name)));
    this.#texts = [
      ...facts.routines.map(({ oid, body }) => ({ of: oid, text: body.toLowerCase() })),
      ...facts.machines.map((machine) => ({ of: 0, text: JSON.stringify(machine).toLowerCase() })),
      { of: 0, text: (settings.db_pre_request ?? '').toLowerCase() },
    ];
  }

  /** Why no call runs the function, in words; null where one may. */
  obstacle(routine: RoutineFact): string | null {
    if (routine.result === 'trigger') {
      return this.#triggered.has(routine.oid) ? null : 'not while no trigger that is switched on runs it';
    }
    if (routine.result === 'event_trigger') return 'only where what a call runs changes definitions';
    if (this.#used.has(routine.oid)) return null;
    const { oid, schema, grants, inputs } = routine;
    const isCalled = this.#callable.has(oid) || inputs.some(({ type }) => this.#rows.has(type));
    const isOpen = (role: number) =>
      this.#rights.usesSchema(role, schema) && this.#rights.holds(role, grants, 'EXECUTE');
    if (isCalled && this.#roles.some(isOpen)) return null;
    const name = routine.name.toLowerCase();
    if (this.#texts.some(({ of, text }) => of !== oid && text.includes(name))) return null;
    return 'not while no call may run it and nothing else of the app names it';
  }
}
