import type { DecisionFacts } from '../catalog/facts.ts';
import { type Computed, computedOf } from './computed.ts';
import { type CommonFacts, type FactIndexes, indexesOf, type Reads } from './fact-indexes.ts';
import { Privileges } from './privileges.ts';
import { SharedFacts } from './shared-facts.ts';
import { ViewUses } from './view-uses.ts';

/** The facts that decisions read: single values of the indexes, and the facts that all relations share. */
export interface AccessLookup extends Reads<keyof FactIndexes> {
  readonly shared: SharedFacts;
  readonly facts: CommonFacts;
  readonly privileges: Privileges;
  readonly views: ViewUses;
  readonly recorder: DecisionRecorder;
}

/** Records the facts of which decisions are made. */
export interface DecisionRecorder {
  /**
   * Runs a function that decides about a relation, and caches its result or takes it from a cache. The reads of the
   * function belong to all decisions that use it.
   */
  within<Result>(relation: number, decide: () => Result): Result;
  /** Notes that the decision in progress used the unfinished decision about a relation, because policies read it in a circle. */
  noteCircle(): void;
}

const noRecorder: DecisionRecorder = { within: (_, decide) => decide(), noteCircle: () => undefined };

export function accessLookup(
  shared: SharedFacts,
  indexes: Reads<keyof FactIndexes>,
  recorder = noRecorder,
): AccessLookup {
  const privileges = new Privileges(shared, indexes);
  return { ...indexes, shared, facts: shared.facts, privileges, views: new ViewUses(shared.facts, indexes), recorder };
}

/** All facts with their indexes, shared by all chapters. */
export interface Lookup extends FactIndexes, Omit<AccessLookup, keyof FactIndexes | 'facts'> {
  readonly facts: DecisionFacts;
  readonly computed: readonly Computed[];
}

/** @param shared The shared part of the facts. */
export function lookupOf(facts: DecisionFacts, shared = new SharedFacts(facts), indexes = indexesOf(facts)): Lookup {
  return { ...accessLookup(shared, indexes), ...indexes, facts, computed: computedOf(facts) };
}
