import type { ConstraintFact, PartitionConstraintFact, UniqueIndexFact } from '../catalog/constraints.ts';
import type { EntityFacts, FieldFact, NumberingFact, RelationFact, TypeFact } from '../catalog/entities.ts';
import type { DecisionFacts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';
import { type Computed, computedOf } from './computed.ts';
import { Privileges } from './privileges.ts';
import { ViewUses } from './view-uses.ts';
import { Writing } from './writing.ts';

/** Returns a key of the two names, separated by NUL, which no name of PostgreSQL contains. */
export const nameKey = (schema: string, name: string): string => `${schema}\0${name}`;

/** Indexes of the facts by id, shared by all chapters. */
export class Lookup {
  readonly facts: DecisionFacts;
  readonly relations: ReadonlyMap<number, RelationFact>;
  readonly views: ViewUses;
  /** Relations by their `nameKey`. */
  readonly byName: ReadonlyMap<string, RelationFact>;
  /** The fields of each relation, by the relation's id. */
  readonly fields: ReadonlyMap<number, readonly FieldFact[]>;
  readonly constraints: ReadonlyMap<number, readonly ConstraintFact[]>;
  /** Foreign keys by the referenced relation. */
  readonly pointing: ReadonlyMap<number, readonly ConstraintFact[]>;
  readonly partitions: ReadonlyMap<number, readonly PartitionConstraintFact[]>;
  readonly indexes: ReadonlyMap<number, readonly UniqueIndexFact[]>;
  readonly triggers: ReadonlyMap<number, EntityFacts['triggers']>;
  readonly rules: ReadonlyMap<number, EntityFacts['rewrite_rules']>;
  /** The links between parent and child tables, in `parents` by the child and in `children` by the parent. */
  readonly parents: ReadonlyMap<number, EntityFacts['inheritance']>;
  readonly children: ReadonlyMap<number, EntityFacts['inheritance']>;
  readonly types: ReadonlyMap<number, TypeFact>;
  /** Constraints by their domain. */
  readonly domains: ReadonlyMap<number, readonly ConstraintFact[]>;
  /** The sequences, in `sequences` by their id and in `numbered` by the relation of the field that they number. */
  readonly sequences: ReadonlyMap<number, readonly NumberingFact[]>;
  readonly numbered: ReadonlyMap<number, readonly NumberingFact[]>;
  readonly computed: readonly Computed[];
  readonly privileges: Privileges;
  /** Finds out which functions write. */
  readonly writing: Writing;

  constructor(facts: DecisionFacts) {
    this.facts = facts;
    this.privileges = new Privileges(facts);
    this.relations = new Map(facts.relations.map((relation) => [relation.oid, relation]));
    this.views = new ViewUses(facts, this.relations);
    this.byName = new Map(facts.relations.map((relation) => [nameKey(relation.schema, relation.name), relation]));
    this.fields = this.privileges.fieldsOf;
    this.constraints = groupBy(facts.constraints, (constraint) => constraint.relation);
    this.pointing = groupBy(
      facts.constraints.filter(({ kind }) => kind === 'f'),
      ({ target }) => target,
    );
    this.partitions = groupBy(facts.partition_constraints, (constraint) => constraint.relation);
    this.indexes = groupBy(facts.unique_indexes, (index) => index.relation);
    this.triggers = groupBy(facts.triggers, (trigger) => trigger.relation);
    this.rules = groupBy(facts.rewrite_rules, (rule) => rule.relation);
    this.parents = groupBy(facts.inheritance, (link) => link.child);
    this.children = groupBy(facts.inheritance, (link) => link.parent);
    this.types = new Map(facts.types.map((type) => [type.oid, type]));
    this.domains = groupBy(facts.constraints, (constraint) => constraint.domain);
    this.sequences = groupBy(facts.numberings, (one) => one.sequence);
    this.numbered = groupBy(facts.numberings, (one) => one.relation);
    this.computed = computedOf(facts);
    this.writing = new Writing(facts.routines);
  }
}

/** The parts of `Lookup` that a function needs, reduced to the lookup of a single key. */
export type Reads<Name extends keyof Lookup> = {
  readonly [Key in Name]: Lookup[Key] extends ReadonlyMap<infer Of, infer Value>
    ? Pick<ReadonlyMap<Of, Value>, 'get'>
    : never;
};

/** Returns the relation with this schema and name. */
export const named = ({ byName }: Reads<'byName'>, schema: string, name: string): RelationFact | undefined =>
  byName.get(nameKey(schema, name));

/**
 * Returns the numbers of the fields of a relation's primary key, in the order of the key; an empty list without a
 * primary key.
 */
export const primaryKey = ({ constraints }: Reads<'constraints'>, relation: number): readonly number[] =>
  constraints.get(relation)?.find(({ kind }) => kind === 'p')?.fields ?? [];

/** Returns the name of a field by its number. */
export const fieldName = ({ fields }: Reads<'fields'>, relation: number, number: number): string | undefined =>
  fields.get(relation)?.find((field) => field.number === number)?.name;
