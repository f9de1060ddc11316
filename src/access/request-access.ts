import type { RelationFact } from '../catalog/entities.ts';
import { idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { sqlstateOfStable } from '../sql-reader/body/writes.ts';
import { Access } from './access.ts';
import type { CallingRole, ChapterRole } from './calling-roles.ts';
import { decideFunction } from './computed-access.ts';
import { addCondition, type Decision, denied, refusal } from './decision.ts';
import { type ExecutedRoutine, onlyReads } from './exposed.ts';
import type { AccessLookup } from './lookup.ts';
import type { RowOperation } from './operations.ts';
import { type PreRequestCheck, preRequestCheck } from './pre-request.ts';
import { settingEffects } from './setting-effects.ts';

/**
 * Decides about the requests of an app: whether a request can have the role, what the pre-request function refuses, and
 * what PostgreSQL decides about the statement.
 */
export class RequestAccess {
  readonly look: AccessLookup;
  readonly access: Access;
  /** The callers of the app, in the order of the columns of the matrix. */
  readonly roles: readonly ChapterRole[];
  readonly #before: PreRequestCheck;

  constructor(look: AccessLookup) {
    const { facts, privileges } = look;
    this.access = new Access(look);
    this.roles = look.shared.roles;
    this.look = look;
    this.#before = preRequestCheck(facts, privileges);
  }

  /** Decides about a request on the rows of a table or view. */
  relation(role: ChapterRole, relation: RelationFact, operation: RowOperation): Decision {
    return this.#decide(role, relation.schema, operation === 'select', (caller) => {
      const decision = this.access.decide(caller, relation, operation);
      return operation === 'select' && relation.kind === 'v' ? this.#asReadOnlyView(relation, decision) : decision;
    });
  }

  /** Adds to the decision that a GET, which runs in a read-only transaction, fails if the query of a view writes. */
  #asReadOnlyView(view: RelationFact, decision: Decision): Decision {
    if (decision.verdict === 'never') return decision;
    const { shared, views } = this.look;
    const calls = views.of(view.oid).functions.flatMap((call) => {
      const routine = shared.routines.get(call.oid);
      const writes = routine && shared.code.writes(routine);
      return routine && writes ? [{ ...call, id: idOf(routine), writes }] : [];
    });
    const [first] = calls;
    if (!first) return decision;
    const sure = calls.find(({ writes, anyway, read }) => writes === 'always' && (anyway || read));
    const { id } = sure ?? first;
    const refused = refusal(`the view calls ${id}, whose code writes, and a GET writes nothing`, '25006');
    if (sure) return { ...denied(refused), untried: 'code' };
    return addCondition(decision, `as long as ${id} does not write`, refused.reason, 'code');
  }

  /** Decides about a request that runs a function. */
  routine(role: ChapterRole, executed: ExecutedRoutine): Decision {
    return this.#decide(role, executed.routine.schema, onlyReads(executed), (caller) =>
      this.#asReadOnly(executed, this.#withSettings(executed.routine, decideFunction(this.access, caller, executed))),
    );
  }

  #decide(role: ChapterRole, schema: string, reads: boolean, decide: (caller: CallingRole) => Decision): Decision {
    if (role.barred !== null) return denied(role.barred);
    const decision = decide(role.caller);
    return this.#before(role.caller.oid, schema, reads)?.(decision) ?? decision;
  }

  /** Denies the request if PostgreSQL refuses each call because of a setting of the function, before the code runs. */
  #withSettings(routine: RoutineFact, decision: Decision): Decision {
    const { facts, privileges } = this.look;
    const refused = settingEffects(facts, privileges.membership, routine).find((one) => one.refusal)?.refusal;
    if (refused === undefined || decision.verdict === 'never') return decision;
    return { ...denied(refused), untried: 'code' };
  }

  /** Adds to the decision that PostgreSQL refuses writes of a function whose calls run in a read-only transaction. */
  #asReadOnly(executed: ExecutedRoutine, decision: Decision): Decision {
    const { routine } = executed;
    const writes = onlyReads(executed) ? this.look.shared.code.writes(routine) : undefined;
    if (writes === undefined || decision.verdict === 'never') return decision;
    const isInlined =
      routine.returns_set && !routine.strict && !routine.security_definer && routine.settings.length === 0;
    const isDeclared = routine.volatility !== 'v';
    const code = isDeclared ? sqlstateOfStable(routine.language, routine.body, isInlined) : '25006';
    const kind = isDeclared ? 'is not declared VOLATILE' : 'runs as a computed field';
    if (writes === 'always') return { ...denied(refusal(`it ${kind}, and its code writes`, code)), untried: 'code' };
    const { reason } = refusal(`it ${kind}, so its calls run in a read-only transaction`, '25006');
    return addCondition(decision, 'as long as its code does not write', reason, 'code');
  }
}
