import { LRUCache } from 'lru-cache';
import { type CommonFacts, type FactIndexes, indexedFacts, indexesOf, type Reads } from '../../access/fact-indexes.ts';
import { accessLookup, type Lookup, lookupOf } from '../../access/lookup.ts';
import { RequestAccess } from '../../access/request-access.ts';
import { SharedFacts } from '../../access/shared-facts.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import type { Facts } from '../../catalog/facts.ts';
import type { FileFieldFact } from '../../catalog/file-fields.ts';
import { JsonWriter } from './json-writer.ts';

/** The max number of callers whose privileges are cached for an app. */
const CALLERS = 5;

/** Indexes that record each read. */
export interface EntryLookup extends Reads<keyof FactIndexes> {
  /** Comments by relation and field: `<relation>.<field>`. */
  readonly comments: Pick<ReadonlyMap<string, string>, 'get'>;
  /** Facts of fields that hold files, by the same keys. */
  readonly fileFields: Pick<ReadonlyMap<string, FileFieldFact>, 'get'>;
}

/** The values of which an entry, or the decisions about one relation, were made. */
interface Origin {
  /** The values that were read from each index, by their keys. */
  readonly reads: Map<keyof EntryLookup, Map<unknown, unknown>>;
  /** The origins of the decisions that were used. */
  readonly uses: Set<Origin>;
  /** True if a decision depends on the order of decisions, because policies read each other in a circle. */
  isCircular: boolean;
}

const newOrigin = (): Origin => ({ reads: new Map(), uses: new Set(), isCircular: false });

/** An entry with all values that it was made of. */
interface Made {
  readonly inputs: readonly unknown[];
  readonly origin: Origin;
  readonly entry: unknown;
}

/** Entries by the function that makes them, and a key. */
type MadeEntries = Map<unknown, Map<number | string, Made>>;

/**
 * The facts of one derivation, and the entries that are made from them. An entry of an earlier derivation is used again
 * if each value that was read to make it is still the same object (`parseRows`). Making the entry again would then give
 * an equal entry.
 */
export class Entries {
  readonly facts: Facts;
  readonly look: Lookup;
  readonly writer: JsonWriter;
  readonly #indexes: EntryLookup;
  readonly #recording: EntryLookup;
  readonly #requests: RequestAccess;
  #earlier: MadeEntries;
  readonly #made: MadeEntries = new Map();
  readonly #ofCallers: LRUCache<string, Map<number | string, Made>>;
  /** The origin of what is being made. */
  #origin = newOrigin();
  /** The origins of the decisions about each relation. */
  readonly #ofRelations = new Map<number, Origin>();
  /** For each origin of the earlier derivation, whether all its own reads still give the same values. */
  readonly #unchanged = new Map<Origin, boolean>();

  constructor(facts: Facts, earlier: Entries | null = null) {
    this.facts = facts;
    this.writer = earlier?.writer ?? new JsonWriter();
    this.#earlier = earlier ? earlier.#made : new Map();
    this.#ofCallers = earlier ? earlier.#ofCallers : new LRUCache({ max: CALLERS });
    const indexes = indexesOf(facts);
    const comments = new Map(facts.comments.map(({ relation, field, text }) => [`${relation}.${field}`, text]));
    const fileFields = new Map(facts.file_fields.map((fact) => [`${fact.relation}.${fact.number}`, fact]));
    this.#indexes = { ...indexes, comments, fileFields };
    this.#recording = Object.fromEntries(
      Object.keys(this.#indexes).map((index) => [
        index,
        { get: (key: unknown) => this.#read(index as keyof EntryLookup, key) },
      ]),
    ) as unknown as EntryLookup;
    const common = commonFacts(facts);
    const shared = this.#entry(SharedFacts, '', Object.values(common), () => new SharedFacts(common));
    const recorder = {
      within: <Result>(relation: number, decide: () => Result) => this.#within(relation, decide),
      noteCircle: () => {
        this.#origin.isCircular = true;
      },
    };
    this.#requests = new RequestAccess(accessLookup(shared, this.#recording, recorder));
    this.look = lookupOf(facts, shared, indexes);
  }

  /**
   * Returns the entry of a key.
   * @param make A function at the top level of a module, which `test/architecture` checks, so that it reads only its
   * arguments. An input is one object, or a list of objects.
   */
  of<Inputs extends readonly unknown[], Entry>(
    make: (look: EntryLookup, ...inputs: Inputs) => Entry,
    key: number | string,
    ...inputs: Inputs
  ): Entry {
    return this.#entry(make, key, inputs, () => make(this.#recording, ...inputs));
  }

  /**
   * Returns the entry of a key that contains decisions about privileges.
   * @param make A function as in `of`. It can also read the facts that all relations share (`SharedFacts`).
   */
  ofDecisions<Inputs extends readonly unknown[], Entry>(
    make: (requests: RequestAccess, ...inputs: Inputs) => Entry,
    key: number | string,
    ...inputs: Inputs
  ): Entry {
    return this.#entry(make, key, [this.look.shared, ...inputs], () => make(this.#requests, ...inputs));
  }

  /** Returns a part of the specification that may depend on every fact about decisions. */
  ofAllDecisions<Inputs extends readonly unknown[], Entry>(
    make: (look: Lookup, ...inputs: Inputs) => Entry,
    ...inputs: Inputs
  ): Entry {
    return this.#entry(make, '', [...this.#decisionFacts(), ...inputs], () => make(this.look, ...inputs));
  }

  /**
   * Returns entries with decisions about one caller: one for each relation, and one that may depend on every fact about
   * decisions. Later derivations use an entry again until a fact that it was made of changes.
   * @param key Identifies the caller, `ofRelation` and `ofAll`.
   */
  ofCaller<Entry>(
    key: string,
    relations: readonly RelationFact[],
    ofRelation: (requests: RequestAccess, relation: RelationFact) => Entry,
    ofAll: (look: Lookup) => Entry,
  ): Entry[] {
    const facts = this.#decisionFacts();
    const earlier = this.#ofCallers.get(key);
    const whole = earlier?.get('');
    // If no fact about decisions has changed, no entry has to be compared with its own facts.
    const made = earlier && whole && this.#isCurrent(whole, facts) ? earlier : new Map<number | string, Made>();
    if (made !== earlier) {
      for (const relation of relations) {
        const inputs = [this.look.shared, relation];
        const make = () => ofRelation(this.#requests, relation);
        made.set(relation.oid, this.#reuse(earlier?.get(relation.oid), inputs, make));
      }
      made.set(
        '',
        this.#reuse(undefined, facts, () => ofAll(this.look)),
      );
    }
    this.#ofCallers.set(key, made);
    return [...made.values()].map(({ entry }) => entry as Entry);
  }

  #decisionFacts(): unknown[] {
    return [this.look.shared, ...indexedFacts.map((name) => this.facts[name])];
  }

  /** Releases the entries of the earlier derivation that this one did not use again. */
  release(): void {
    this.#earlier = new Map();
    this.#unchanged.clear();
  }

  #entry<Entry>(by: unknown, key: number | string, inputs: readonly unknown[], make: () => Entry): Entry {
    const made = this.#reuse(this.#earlier.get(by)?.get(key), inputs, make);
    const all = this.#made.get(by) ?? new Map<number | string, Made>();
    this.#made.set(by, all.set(key, made));
    return made.entry as Entry;
  }

  /** Returns an earlier entry if all values that it was made of are the same, or makes the entry. */
  #reuse(known: Made | undefined, inputs: readonly unknown[], make: () => unknown): Made {
    if (known && this.#isCurrent(known, inputs)) return known;
    const origin = newOrigin();
    return { inputs, entry: this.#record(origin, make), origin };
  }

  /** Runs a function, and records its reads in an origin. */
  #record<Result>(origin: Origin, run: () => Result): Result {
    const outer = this.#origin;
    this.#origin = origin;
    try {
      return run();
    } finally {
      this.#origin = outer;
    }
  }

  #within<Result>(relation: number, decide: () => Result): Result {
    const origin = this.#ofRelations.get(relation) ?? newOrigin();
    this.#ofRelations.set(relation, origin);
    this.#origin.uses.add(origin);
    return this.#record(origin, decide);
  }

  #read(index: keyof EntryLookup, key: unknown): unknown {
    const { reads } = this.#origin;
    const values = reads.get(index) ?? new Map<unknown, unknown>();
    if (values.has(key)) return values.get(key);
    const value = this.#indexes[index].get(key as never);
    reads.set(index, values.set(key, value));
    return value;
  }

  #isCurrent({ inputs, origin }: Made, present: readonly unknown[]): boolean {
    if (inputs.length !== present.length || !inputs.every((input, i) => isSame(input, present[i]))) return false;
    const all = new Set([origin]);
    // The loop adds origins to the set and also visits these.
    for (const one of all) {
      if (one.isCircular || !this.#isUnchanged(one)) return false;
      for (const used of one.uses) all.add(used);
    }
    return true;
  }

  #isUnchanged(origin: Origin): boolean {
    const known = this.#unchanged.get(origin);
    if (known !== undefined) return known;
    const isUnchanged = [...origin.reads].every(([index, values]) =>
      [...values].every(([key, value]) => isSame(value, this.#indexes[index].get(key as never))),
    );
    this.#unchanged.set(origin, isUnchanged);
    return isUnchanged;
  }
}

/** Returns the facts that the decision about any relation can depend on. */
function commonFacts(facts: Facts): CommonFacts {
  const {
    buckets,
    comments,
    description,
    file_fields,
    notification_rules,
    published,
    screens,
    labels,
    menus,
    pages,
    screen_refusals,
    used_routines,
    ...ofDecisions
  } = facts;
  const isIndexed = (name: string) => (indexedFacts as readonly string[]).includes(name);
  const common = Object.entries(ofDecisions).filter(([name]) => !isIndexed(name));
  return Object.fromEntries(common.sort(([a], [b]) => (a < b ? -1 : 1))) as unknown as CommonFacts;
}

/** Returns true if two values are the same object, or lists of the same objects. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, i) => item === other[i]));
