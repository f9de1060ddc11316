import type { CheckedTypeFact } from '../catalog/checked-types.ts';
import { defaultDependencies } from '../catalog/default-dependencies.ts';
import type { FieldFact, GrantFact, RelationFact, TypeFact } from '../catalog/entities.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { type FactIndexes, nameKey, type Reads } from './fact-indexes.ts';
import type { Membership } from './membership.ts';
import { type TablePrivilege, triggerBit } from './operations.ts';
import type { SharedFacts } from './shared-facts.ts';

/**
 * A function that PostgreSQL calls for a value of a type and that the role may not execute. `routine` is its qualified
 * name.
 */
export interface RefusedCheck extends Pick<CheckedTypeFact, 'domain' | 'function' | 'always'> {
  routine: string;
}

const PUBLIC = 0;

/** Bits of a trigger that may complete rows before they are added. */
const completing = triggerBit.row | triggerBit.before | triggerBit.insert;

/** The privileges of roles: granted directly, through PUBLIC, and through the roles whose privileges they have. */
export class Privileges {
  readonly membership: Membership;
  /** Materialized views that PostgreSQL refuses to read until they are refreshed. */
  readonly unpopulated: ReadonlySet<number>;
  readonly fieldsOf: Reads<'fields'>['fields'];
  readonly #shared: SharedFacts;
  readonly #look: Reads<keyof FactIndexes>;
  readonly #readsAll: number;
  readonly #writesAll: number;

  constructor(shared: SharedFacts, look: Reads<keyof FactIndexes>) {
    this.membership = shared.membership;
    this.unpopulated = new Set(shared.facts.unpopulated);
    this.fieldsOf = look.fields;
    this.#shared = shared;
    this.#look = look;
    this.#readsAll = this.membership.named('pg_read_all_data')?.oid ?? -1;
    this.#writesAll = this.membership.named('pg_write_all_data')?.oid ?? -1;
  }

  /** Returns true if one of the grants gives the role the privilege. */
  holds(role: number, grants: readonly GrantFact[], privilege: string): boolean {
    if (this.membership.role(role)?.superuser) return true;
    const has = this.membership.privilegesOf(role);
    return grants.some(([grantee, granted]) => granted === privilege && (grantee === PUBLIC || has.has(grantee)));
  }

  usesSchema(role: number, schema: string): boolean {
    if (this.#isAny(role, this.#readsAll, this.#writesAll)) return true;
    return this.holds(role, this.#shared.schemas.get(schema) ?? [], 'USAGE');
  }

  hasSchema(schema: string): boolean {
    return this.#shared.schemas.has(schema);
  }

  createsIn(role: number, schema: string): boolean {
    return this.holds(role, this.#shared.schemas.get(schema) ?? [], 'CREATE');
  }

  /** Returns true if the role may empty or refresh the relation. Before PostgreSQL 17, only its owner refreshes it. */
  defines(role: number, relation: RelationFact, privilege: 'truncate' | 'maintain'): boolean {
    return this.holds(role, relation.grants, privilege.toUpperCase()) || this.owns(role, relation);
  }

  /** Returns true if the role may call the function by its name. */
  mayExecute(role: number, { schema, grants }: Pick<RoutineFact, 'schema' | 'grants'>): boolean {
    return this.usesSchema(role, schema) && this.holds(role, grants, 'EXECUTE');
  }

  /**
   * Returns the schema of a type if the role may not use this schema. `type` is the name as PostgreSQL prints it. Calls
   * name the types of their values. Returns null otherwise.
   */
  schemaShut(role: number, type: string): string | null {
    const [, quoted, bare] = /^(?:"((?:[^"]|"")*)"|(\w+))\./.exec(type) ?? [];
    const schema = quoted?.replaceAll('""', '"') ?? bare;
    return schema === undefined || this.usesSchema(role, schema) ? null : schema;
  }

  /** Returns the fields that the privilege covers: `all`, or the fields that it was granted on, in order. */
  fields(role: number, relation: RelationFact, privilege: TablePrivilege): 'all' | FieldFact[] {
    const predefined = privilege === 'SELECT' ? this.#readsAll : this.#writesAll;
    if (this.#isAny(role, predefined) || this.holds(role, relation.grants, privilege)) return 'all';
    if (privilege === 'DELETE') return [];
    const fields = this.fieldsOf.get(relation.oid) ?? [];
    const covered = fields.filter((field) => field.grants !== null && this.holds(role, field.grants, privilege));
    const countable = privilege === 'SELECT' ? fields : fields.filter(isSettable);
    return covered.length > 0 && countable.every((field) => covered.includes(field)) ? 'all' : covered;
  }

  owns(role: number, relation: RelationFact): boolean {
    return this.membership.hasPrivilegesOf(role, relation.owner);
  }

  /** Returns the qualified names of the given functions that the role may not execute. */
  refusedFunctions(role: number, functions: readonly number[]): string[] {
    return functions.flatMap((oid) => {
      const routine = this.#shared.restricted.get(oid);
      return routine && !this.holds(role, routine.grants, 'EXECUTE') ? [routine.name] : [];
    });
  }

  /**
   * Returns true if the role may execute no function of this qualified name. Knows only functions whose privileges were
   * changed.
   */
  refusesNamed(role: number, name: string): boolean {
    const named = this.#shared.restrictedByName.get(name) ?? [];
    return named.length > 0 && named.every(({ grants }) => !this.holds(role, grants, 'EXECUTE'));
  }

  /** Returns true if the role may not take numbers from the sequence of this name. */
  refusesSequence(role: number, schema: string, name: string): boolean {
    const found = this.#look.sequencesByName.get(nameKey(schema, name));
    return found !== undefined && this.#isClosed(role, found.grants);
  }

  /** Returns true if the privileges on a sequence do not allow the role to take numbers from it. */
  #isClosed(role: number, grants: readonly GrantFact[]): boolean {
    if (this.#isAny(role, this.#writesAll)) return false;
    return !this.holds(role, grants, 'USAGE') && !this.holds(role, grants, 'UPDATE');
  }

  /** Returns the names of the fields that every INSERT must set: they have no default and may not be null. */
  fieldsNeeded(relation: RelationFact): string[] {
    const triggers = this.#look.triggers.get(relation.oid) ?? [];
    // Such a trigger may complete rows before they are added.
    if (triggers.some(({ enabled, events }) => enabled && (events & completing) === completing)) return [];
    const fields = this.fieldsOf.get(relation.oid) ?? [];
    return fields.filter((field) => this.#isNeeded(field)).map(({ name }) => name);
  }

  #isNeeded(field: FieldFact): boolean {
    if (field.default !== null || field.identity !== '' || field.generated !== '') return false;
    const domains: TypeFact[] = [];
    for (let type = this.#look.types.get(field.type_oid); type?.kind === 'd'; type = this.#look.types.get(type.base)) {
      domains.push(type);
    }
    // A domain copies the default of its base type when the domain is created. PostgreSQL does not read the base type's
    // default after that.
    if (domains[0] && domains[0].default !== null) return false;
    return field.not_null || domains.some((domain) => domain.not_null);
  }

  /** Returns the names of the fields that the role must set because it may not compute their default. */
  fieldsToGive(role: number, relation: RelationFact): string[] {
    const fields = this.fieldsOf.get(relation.oid) ?? [];
    const lacks = (field: FieldFact): boolean => {
      if (field.identity !== '' || field.generated !== '') return false;
      const type = field.default === null ? this.#look.types.get(field.type_oid) : undefined;
      const needs = type?.kind === 'd' ? type.needs : field.needs;
      return needs !== null && !this.#computes(role, needs.functions, needs.sequences);
    };
    return fields.filter(lacks).map((field) => field.name);
  }

  /**
   * Returns the arguments of a function that the role must set because it may not compute their default. PostgreSQL
   * computes defaults with the caller's privileges, also for SECURITY DEFINER functions.
   */
  argumentsToGive(role: number, { inputs, defaults }: RoutineFact): RoutineFact['inputs'] {
    const needs = defaults === null ? [] : defaultDependencies(defaults);
    const first = inputs.length - needs.length;
    return needs.flatMap(({ functions, relations, types }, i) => {
      const input = inputs[first + i];
      const sequences = relations.filter((oid) => this.#look.sequenceGrants.get(oid) !== undefined);
      const isClosed = types.some((type) => this.refusedChecks(role, type).some(({ always }) => always));
      return !input || (this.#computes(role, functions, sequences) && !isClosed) ? [] : [input];
    });
  }

  /** True if there is a type with functions for `refusedChecks`. Nearly no app has one. */
  get checksTypes(): boolean {
    return this.#shared.checkedTypes.size > 0;
  }

  /** Returns the functions that PostgreSQL calls for a value of a type and that the role may not execute. */
  refusedChecks(role: number, type: number): RefusedCheck[] {
    return (this.#shared.checkedTypes.get(type) ?? []).flatMap((check) =>
      this.refusedFunctions(role, [check.function]).map((routine) => ({ ...check, routine })),
    );
  }

  /** Returns true if the role may compute an expression that calls these functions and uses these sequences. */
  #computes(role: number, functions: readonly number[], sequences: readonly number[]): boolean {
    const isClosed = (oid: number) => this.#isClosed(role, this.#look.sequenceGrants.get(oid)?.grants ?? []);
    return !sequences.some(isClosed) && this.refusedFunctions(role, functions).length === 0;
  }

  #isAny(role: number, ...predefined: readonly number[]): boolean {
    const has = this.membership.privilegesOf(role);
    return predefined.some((oid) => has.has(oid));
  }
}

/** Returns true for a field that a statement may write. */
export const isSettable = (field: FieldFact): boolean => field.generated === '';
