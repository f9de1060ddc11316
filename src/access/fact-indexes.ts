import type { PolicyFact } from '../catalog/access.ts';
import type { ConstraintFact, PartitionConstraintFact, UniqueIndexFact } from '../catalog/constraints.ts';
import type { EntityFacts, FieldFact, NumberingFact, RelationFact, TypeFact } from '../catalog/entities.ts';
import type { DecisionFacts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';

/** Returns a key of the two names, separated by NUL, which no name of PostgreSQL contains. */
export const nameKey = (schema: string, name: string): string => `${schema}\0${name}`;

/** The lists of facts of which decisions read only single values, through `FactIndexes`. */
export const indexedFacts = [
  ...(['relations', 'fields', 'constraints', 'partition_constraints', 'unique_indexes', 'indexes'] as const),
  ...(['triggers', 'rewrite_rules', 'policies', 'inheritance', 'types', 'numberings', 'sequences'] as const),
] as const;

/** The facts that the decision about any relation can depend on. */
export type CommonFacts = Omit<DecisionFacts, (typeof indexedFacts)[number] | 'used_routines'>;

/** The facts of single relations and types, by their id unless another key is named. */
export interface FactIndexes {
  readonly relations: ReadonlyMap<number, RelationFact>;
  /** Relations by `nameKey`. */
  readonly byName: ReadonlyMap<string, RelationFact>;
  /** By relation. */
  readonly fields: ReadonlyMap<number, readonly FieldFact[]>;
  readonly constraints: ReadonlyMap<number, readonly ConstraintFact[]>;
  /** Foreign keys by the referenced relation. */
  readonly pointing: ReadonlyMap<number, readonly ConstraintFact[]>;
  readonly partitions: ReadonlyMap<number, readonly PartitionConstraintFact[]>;
  readonly indexes: ReadonlyMap<number, readonly UniqueIndexFact[]>;
  readonly triggers: ReadonlyMap<number, EntityFacts['triggers']>;
  readonly rules: ReadonlyMap<number, EntityFacts['rewrite_rules']>;
  readonly policies: ReadonlyMap<number, readonly PolicyFact[]>;
  /** Links of inheritance by child, and by parent. */
  readonly parents: ReadonlyMap<number, EntityFacts['inheritance']>;
  readonly children: ReadonlyMap<number, EntityFacts['inheritance']>;
  readonly types: ReadonlyMap<number, TypeFact>;
  /** Constraints by their domain. */
  readonly domains: ReadonlyMap<number, readonly ConstraintFact[]>;
  /** Numberings by their sequence, and by the relation with the numbered field. */
  readonly sequences: ReadonlyMap<number, readonly NumberingFact[]>;
  readonly numbered: ReadonlyMap<number, readonly NumberingFact[]>;
  /** The privileges on sequences, by their id and by `nameKey`. */
  readonly sequenceGrants: ReadonlyMap<number, DecisionFacts['sequences'][number]>;
  readonly sequencesByName: ReadonlyMap<string, DecisionFacts['sequences'][number]>;
}

export function indexesOf(facts: DecisionFacts): FactIndexes {
  const byId = <Fact extends { oid: number }>(all: readonly Fact[]) => new Map(all.map((one) => [one.oid, one]));
  const byName = <Fact extends { schema: string; name: string }>(all: readonly Fact[]) =>
    new Map(all.map((one) => [nameKey(one.schema, one.name), one]));
  return {
    relations: byId(facts.relations),
    byName: byName(facts.relations),
    fields: groupBy(facts.fields, (field) => field.relation),
    constraints: groupBy(facts.constraints, (constraint) => constraint.relation),
    pointing: groupBy(
      facts.constraints.filter(({ kind }) => kind === 'f'),
      ({ target }) => target,
    ),
    partitions: groupBy(facts.partition_constraints, (constraint) => constraint.relation),
    indexes: groupBy(facts.unique_indexes, (index) => index.relation),
    triggers: groupBy(facts.triggers, (trigger) => trigger.relation),
    rules: groupBy(facts.rewrite_rules, (rule) => rule.relation),
    policies: groupBy(facts.policies, (policy) => policy.relation),
    parents: groupBy(facts.inheritance, (link) => link.child),
    children: groupBy(facts.inheritance, (link) => link.parent),
    types: byId(facts.types),
    domains: groupBy(facts.constraints, (constraint) => constraint.domain),
    sequences: groupBy(facts.numberings, (one) => one.sequence),
    numbered: groupBy(facts.numberings, (one) => one.relation),
    sequenceGrants: byId(facts.sequences),
    sequencesByName: byName(facts.sequences),
  };
}

/** Indexes of which only single values are read. */
export type Reads<Name extends keyof FactIndexes> = {
  readonly [Key in Name]: FactIndexes[Key] extends ReadonlyMap<infer Of, infer Value>
    ? Pick<ReadonlyMap<Of, Value>, 'get'>
    : never;
};

/** Returns the relation with a name. */
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
