import type { CheckedTypeFact } from '../catalog/checked-types.ts';
import { defaultDependencies } from '../catalog/default-dependencies.ts';
import type { FieldFact, GrantFact, RelationFact, TypeFact } from '../catalog/entities.ts';
import type { DecisionFacts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { Membership } from './membership.ts';
import { type TablePrivilege, triggerBit } from './operations.ts';

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
  readonly fieldsOf: ReadonlyMap<number, readonly FieldFact[]>;
  readonly #schemas: ReadonlyMap<string, readonly GrantFact[]>;
  readonly #restricted: ReadonlyMap<number, { name: string; grants: readonly GrantFact[] }>;
  readonly #restrictedByName: ReadonlyMap<string, readonly { grants: readonly GrantFact[] }[]>;
  readonly #sequences: ReadonlyMap<number, { schema: string; name: string; grants: readonly GrantFact[] }>;
  readonly #types: ReadonlyMap<number, TypeFact>;
  /** The functions that PostgreSQL calls for a value of a type, by the id of the type. */
  readonly #checked: ReadonlyMap<number, readonly CheckedTypeFact[]>;
  /** Relations with a trigger that may complete rows before they are added. */
  readonly #filledByTrigger: ReadonlySet<number>;
  readonly #readsAll: number;
  readonly #writesAll: number;

  constructor(facts: DecisionFacts) {
    this.membership = new Membership(facts.roles, facts.memberships);
    this.unpopulated = new Set(facts.unpopulated);
    this.fieldsOf = groupBy(facts.fields, (field) => field.relation);
    this.#schemas = new Map(facts.schemas.map((schema) => [schema.name, schema.grants]));
    this.#restricted = new Map(facts.restricted_functions.map((routine) => [routine.oid, routine]));
    this.#restrictedByName = groupBy(facts.restricted_functions, ({ name }) => name);
    this.#sequences = new Map(facts.sequences.map((sequence) => [sequence.oid, sequence]));
    this.#types = new Map(facts.types.map((type) => [type.oid, type]));
    this.#checked = groupBy(facts.checked_types, ({ type }) => type);
    this.#filledByTrigger = new Set(
      facts.triggers.flatMap(({ relation, enabled, events }) =>
        enabled && (events & completing) === completing ? [relation] : [],
      ),
    );
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
    return this.holds(role, this.#schemas.get(schema) ?? [], 'USAGE');
  }

  hasSchema(schema: string): boolean {
    return this.#schemas.has(schema);
  }

  createsIn(role: number, schema: string): boolean {
    return this.holds(role, this.#schemas.get(schema) ?? [], 'CREATE');
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
      const routine = this.#restricted.get(oid);
      return routine && !this.holds(role, routine.grants, 'EXECUTE') ? [routine.name] : [];
    });
  }

  /**
   * Returns true if the role may execute no function of this qualified name. Knows only functions whose privileges were
   * changed.
   */
  refusesNamed(role: number, name: string): boolean {
    const named = this.#restrictedByName.get(name) ?? [];
    return named.length > 0 && named.every(({ grants }) => !this.holds(role, grants, 'EXECUTE'));
  }

  /** Returns true if the role may not take numbers from the sequence of this name. */
  refusesSequence(role: number, schema: string, name: string): boolean {
    const found = [...this.#sequences.values()].find((one) => one.schema === schema && one.name === name);
    return found !== undefined && this.#isClosed(role, found.grants);
  }

  /** Returns true if the privileges on a sequence do not allow the role to take numbers from it. */
  #isClosed(role: number, grants: readonly GrantFact[]): boolean {
    if (this.#isAny(role, this.#writesAll)) return false;
    return !this.holds(role, grants, 'USAGE') && !this.holds(role, grants, 'UPDATE');
  }

  /** Returns the names of the fields that every INSERT must set: they have no default and may not be null. */
  fieldsNeeded(relation: RelationFact): string[] {
    if (this.#filledByTrigger.has(relation.oid)) return [];
    const fields = this.fieldsOf.get(relation.oid) ?? [];
    return fields.filter((field) => this.#isNeeded(field)).map(({ name }) => name);
  }

  #isNeeded(field: FieldFact): boolean {
    if (field.default !== null || field.identity !== '' || field.generated !== '') return false;
    const domains: TypeFact[] = [];
    for (let type = this.#types.get(field.type_oid); type?.kind === 'd'; type = this.#types.get(type.base)) {
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
      const type = field.default === null ? this.#types.get(field.type_oid) : undefined;
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
      const sequences = relations.filter((oid) => this.#sequences.has(oid));
      const isClosed = types.some((type) => this.refusedChecks(role, type).some(({ always }) => always));
      return !input || (this.#computes(role, functions, sequences) && !isClosed) ? [] : [input];
    });
  }

  /** True if there is a type with functions for `refusedChecks`. Nearly no app has one. */
  get checksTypes(): boolean {
    return this.#checked.size > 0;
  }

  /** Returns the functions that PostgreSQL calls for a value of a type and that the role may not execute. */
  refusedChecks(role: number, type: number): RefusedCheck[] {
    return (this.#checked.get(type) ?? []).flatMap((check) =>
      this.refusedFunctions(role, [check.function]).map((routine) => ({ ...check, routine })),
    );
  }

  /** Returns true if the role may compute an expression that calls these functions and uses these sequences. */
  #computes(role: number, functions: readonly number[], sequences: readonly number[]): boolean {
    const isClosed = (oid: number) => this.#isClosed(role, this.#sequences.get(oid)?.grants ?? []);
    return !sequences.some(isClosed) && this.refusedFunctions(role, functions).length === 0;
  }

  #isAny(role: number, ...predefined: readonly number[]): boolean {
    const has = this.membership.privilegesOf(role);
    return predefined.some((oid) => has.has(oid));
  }
}

/** Returns true for a field that a statement may write. */
export const isSettable = (field: FieldFact): boolean => field.generated === '';
