import { Lookup } from '../access/lookup.ts';
import type { Facts } from '../catalog/facts.ts';
import { JsonWriter } from './json-writer.ts';

/** The indexes of `Lookup` that a function reads to make an entry. */
const indexNames = [
  ...(['relations', 'fields', 'constraints', 'partitions', 'indexes', 'triggers', 'rules'] as const),
  ...(['parents', 'children', 'types', 'domains', 'sequences', 'numbered', 'byName'] as const),
];

type IndexName = (typeof indexNames)[number];

type Index<Values> = Values extends ReadonlyMap<infer Key, infer Value> ? Pick<ReadonlyMap<Key, Value>, 'get'> : never;

/** The indexes of `Lookup`. Each of them records which keys are read. */
export type EntryLookup = { readonly [Name in IndexName]: Index<Lookup[Name]> } & {
  /** Comments by relation and field: `<relation>.<field>`. */
  readonly comments: Pick<ReadonlyMap<string, string>, 'get'>;
};

/** A read of an index: its key and the value at that time. */
interface Read {
  readonly index: keyof EntryLookup;
  readonly key: unknown;
  readonly value: unknown;
}

/** A made entry, with all values that were read to make it. */
interface Made {
  readonly inputs: readonly unknown[];
  readonly reads: readonly Read[];
  readonly entry: unknown;
}

/** Made entries, by the function that makes them and by their key. */
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
  #earlier: MadeEntries;
  readonly #made: MadeEntries = new Map();
  #reads: Read[] = [];

  constructor(facts: Facts, earlier: Entries | null = null) {
    this.facts = facts;
    this.look = new Lookup(facts);
    this.writer = earlier?.writer ?? new JsonWriter();
    this.#earlier = earlier ? earlier.#made : new Map();
    const comments = new Map(facts.comments.map(({ relation, field, text }) => [`${relation}.${field}`, text]));
    this.#indexes = { ...this.look, comments };
    this.#recording = Object.fromEntries(
      [...indexNames, 'comments' as const].map((index) => [index, { get: (key: unknown) => this.#read(index, key) }]),
    ) as unknown as EntryLookup;
  }

  /**
   * Returns the entry of a key.
   * @param make A function at the top level of a module that reads only its arguments. An input is one object, or a
   * list of objects.
   */
  of<Inputs extends readonly unknown[], Entry>(
    make: (look: EntryLookup, ...inputs: Inputs) => Entry,
    key: number | string,
    ...inputs: Inputs
  ): Entry {
    return this.#entry(make, key, inputs, () => make(this.#recording, ...inputs));
  }

  /**
   * Returns a part of the specification that may depend on every fact about privileges and policies. This part is one
   * entry, because the decision about a relation can depend on any other relation.
   */
  ofDecisions<Inputs extends readonly unknown[], Entry>(
    make: (look: Lookup, ...inputs: Inputs) => Entry,
    ...inputs: Inputs
  ): Entry {
    const { comments, description, screens, labels, screen_refusals, ...facts } = this.facts;
    const names = Object.keys(facts).sort() as (keyof typeof facts)[];
    return this.#entry(make, '', [...names.map((name) => facts[name]), ...inputs], () => make(this.look, ...inputs));
  }

  /** Releases the entries of the earlier derivation that this one did not use again. */
  release(): void {
    this.#earlier = new Map();
  }

  #entry<Entry>(by: unknown, key: number | string, inputs: readonly unknown[], make: () => Entry): Entry {
    const known = this.#earlier.get(by)?.get(key);
    const made = known && this.#isCurrent(known, inputs) ? known : this.#make(inputs, make);
    const all = this.#made.get(by) ?? new Map<number | string, Made>();
    this.#made.set(by, all.set(key, made));
    return made.entry as Entry;
  }

  #make(inputs: readonly unknown[], make: () => unknown): Made {
    this.#reads = [];
    const entry = make();
    return { inputs, reads: this.#reads, entry };
  }

  #isCurrent({ inputs, reads }: Made, present: readonly unknown[]): boolean {
    return (
      inputs.length === present.length &&
      inputs.every((input, i) => isSame(input, present[i])) &&
      reads.every(({ index, key, value }) => isSame(value, this.#indexes[index].get(key as never)))
    );
  }

  #read(index: keyof EntryLookup, key: unknown): unknown {
    const last = this.#reads.at(-1);
    if (last?.index === index && last.key === key) return last.value;
    const value = this.#indexes[index].get(key as never);
    this.#reads.push({ index, key, value });
    return value;
  }
}

/** Returns true if two values are the same object, or lists of the same objects. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, i) => item === other[i]));
