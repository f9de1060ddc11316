import type { GrantFact } from '../catalog/entities.ts';
import type { DecisionFacts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { type ChapterRole, callingRoles } from './calling-roles.ts';
import type { CommonFacts } from './fact-indexes.ts';
import { FunctionCode } from './function-code.ts';
import { Membership } from './membership.ts';

/** The facts that the decision about any relation can depend on, with values that are derived from them alone. */
export class SharedFacts {
  readonly facts: CommonFacts;
  readonly membership: Membership;
  /** The callers of the app, in the order of the columns of the matrix. */
  readonly roles: readonly ChapterRole[];
  readonly schemas: ReadonlyMap<string, readonly GrantFact[]>;
  /** Functions whose privileges were changed, by id and by qualified name. */
  readonly restricted: ReadonlyMap<number, DecisionFacts['restricted_functions'][number]>;
  readonly restrictedByName: ReadonlyMap<string, DecisionFacts['restricted_functions']>;
  /** The functions that PostgreSQL calls for a value, by type. */
  readonly checkedTypes: ReadonlyMap<number, DecisionFacts['checked_types']>;
  readonly routines: ReadonlyMap<number, RoutineFact>;
  readonly code: FunctionCode;

  constructor(facts: CommonFacts) {
    const { routines } = facts;
    this.facts = facts;
    this.membership = new Membership(facts.roles, facts.memberships);
    this.roles = callingRoles(facts, this.membership);
    this.schemas = new Map(facts.schemas.map((schema) => [schema.name, schema.grants]));
    this.restricted = new Map(facts.restricted_functions.map((routine) => [routine.oid, routine]));
    this.restrictedByName = groupBy(facts.restricted_functions, ({ name }) => name);
    this.checkedTypes = groupBy(facts.checked_types, ({ type }) => type);
    this.routines = new Map(routines.map((routine) => [routine.oid, routine]));
    this.code = new FunctionCode(facts);
  }
}
