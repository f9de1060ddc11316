import type { Facts } from '../../catalog/facts.ts';
import { entityId, idOf, roleName } from '../../catalog/names.ts';

/**
 * The names of objects of one kind, by the ids of the objects. For a part of an object, the key is `<id of the
 * object>.<number of the part>`.
 */
type Names = Readonly<Record<string, string>>;

/** The ids of the objects that a specification names. PostgreSQL retains an id when a name changes. */
export interface ObjectIds {
  /**
   * Identifies the life of the database. The ids of two versions can be compared only if both have the same value,
   * because both are then of the same database.
   */
  incarnation: string;
  /** Tables and views, by oid: `public.tickets`. */
  relations: Names;
  sequences: Names;
  /** Names of fields. Key: `<relation>.<attnum>`. */
  fields: Names;
  /** Functions, by oid: `public.close(uuid)`. */
  functions: Names;
  /**
   * Types by oid, with their names as `format_type` prints them: `public.status`. Arrays and row types are left out,
   * because they have no names of their own.
   */
  types: Names;
  /** Values of enums. Key: `<type>.<number>`. */
  labels: Names;
  /**
   * Names of constraints and unique indexes. Key: `<relation>.<number>`, or `0.<number>` for a constraint of a domain.
   */
  constraints: Names;
  /** Names of policies. Key: `<relation>.<number>`. */
  policies: Names;
  /** Names of triggers. Key: `<relation>.<number>`. */
  triggers: Names;
  /** Database roles, and member roles with the key `member.<number>`. */
  roles: Names;
}

/** Returns the ids of the objects that the chapters of these facts name. */
export function objectIds(facts: Facts): ObjectIds {
  const constraints = [...facts.constraints, ...facts.partition_constraints, ...facts.unique_indexes];
  return {
    incarnation: facts.database.incarnation,
    relations: namesOf(facts.relations, relationName),
    sequences: namesOf(facts.sequences, relationName),
    fields: namesOf(facts.fields, ({ relation, number, name }) => [`${relation}.${number}`, name]),
    functions: namesOf(facts.routines, (routine) => [routine.oid, idOf(routine)]),
    types: namesOf(facts.types.filter(isNamed), ({ oid, name }) => [oid, name]),
    labels: Object.assign({}, ...facts.types.map(labelsOf)),
    constraints: namesOf(constraints, ({ oid, relation, name }) => [`${relation}.${oid}`, name]),
    policies: namesOf(facts.policies, ({ oid, relation, name }) => [`${relation}.${oid}`, name]),
    triggers: namesOf(facts.triggers, ({ oid, relation, name }) => [`${relation}.${oid}`, name]),
    roles: {
      ...namesOf(facts.roles, ({ oid }) => [oid, roleName(facts, oid)]),
      ...namesOf(facts.member_roles, ({ id, name }) => [`member.${id}`, name]),
    },
  };
}

const relationName = ({ oid, schema, name }: { oid: number; schema: string; name: string }) =>
  [oid, entityId(schema, name)] as const;

const isNamed = ({ kind, attributes }: Facts['types'][number]): boolean => 'derm'.includes(kind) || attributes !== null;

const namesOf = <Fact>(
  facts: readonly Fact[],
  entry: (fact: Fact) => readonly [key: string | number, name: string],
): Names => Object.fromEntries(facts.map(entry));

const labelsOf = ({ oid, labels, label_oids: numbers }: Facts['types'][number]): Names =>
  Object.fromEntries((labels ?? []).map((label, i) => [`${oid}.${numbers?.[i]}`, label]));
