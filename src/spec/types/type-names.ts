import type { NamedTypeFact, OutputFact } from '../../catalog/type-facts.ts';
import type { Asked } from './value-rules.ts';

/** What values of a PostgreSQL type look like as JSON. */
export type Shape =
  | { kind: 'boolean' | 'json' | 'void' | 'record' | 'unknown' }
  /** `type` is as PostgreSQL prints it, with its modifier: what else it leaves out. */
  | { kind: 'number' | 'text'; type: string }
  /** `asked` is what a domain asks of each element, of each attribute. */
  | { kind: 'array'; element: Shape; asked?: Asked }
  | { kind: 'enum'; type: NamedTypeFact }
  | { kind: 'composite'; type: NamedTypeFact; attributes: readonly { name: string; shape: Shape; asked?: Asked }[] }
  /** A row of a table or view. */
  | { kind: 'row'; type: NamedTypeFact }
  /** An array or a composite type too far within others to be told. */
  | { kind: 'cut' };

/** Arrays and composite types within one another that are told. */
const DEEPEST = 12;

/** Attributes within one type that are told: as many as a composite type can have of its own (manual of PostgreSQL, "PostgreSQL Limits"). */
const MOST = 1600;

/** The same within all types of one document, which one worker writes while others wait. */
const MOST_OF_ALL = 20_000;

/**
 * The types of an app, by the names that fields and arguments have for them. Made anew for each document: composite types can hold one
 * another many times over, so it counts what it has told, and leaves out what goes beyond that.
 */
export class NamedTypes {
  readonly #types: ReadonlyMap<string, NamedTypeFact>;
  /** Composite types that the document tells elsewhere: their shapes are without attributes. */
  readonly isElsewhere: (type: NamedTypeFact) => boolean;
  #left = MOST_OF_ALL;

  constructor(facts: readonly NamedTypeFact[], isElsewhere: (type: NamedTypeFact) => boolean = () => false) {
    this.isElsewhere = isElsewhere;
    this.#types = new Map(facts.map((fact) => [fact.type, fact]));
  }

  get(type: string): NamedTypeFact | undefined {
    return this.#types.get(type);
  }

  /**
   * The members of the object that a function answers, one for each of its OUT, INOUT and TABLE columns, be it a single one; none where
   * it answers a value. A single column of a composite type is the row itself: FROM takes it apart.
   */
  columnsOf({ columns }: OutputFact): OutputFact['columns'] {
    const [only] = columns;
    return only && columns.length === 1 && this.#isComposite(only.type) ? [] : columns;
  }

  #isComposite(type: string): boolean {
    const fact = this.get(type);
    return fact?.kind === 'c' || (typeof fact?.base === 'string' && this.#isComposite(fact.base));
  }

  /**
   * The shape of a type that PostgreSQL prints as `type`. Every built-in type that has none of JSON's own becomes a text; a type of
   * an extension may be cast to anything. `askedOf`: what a type asks of its values that are called so, where that is to be said too.
   */
  shapeOf(type: string, askedOf?: AskedOf): Shape {
    const given = Math.min(MOST, this.#left);
    const walk = new Walk(this, given, askedOf);
    const shape = walk.shape(type, 0);
    this.#left -= given - walk.left;
    return shape;
  }
}

const simple: Readonly<Record<string, 'number' | 'boolean' | 'json' | 'void' | 'record' | 'unknown'>> = {
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  json: 'json',
  jsonb: 'json',
  void: 'void',
  record: 'record',
};

class Walk {
  readonly #named: NamedTypes;
  readonly #askedOf: AskedOf | undefined;
  /** Attributes that may still be told. */
  left: number;

  constructor(named: NamedTypes, left: number, askedOf: AskedOf | undefined) {
    this.#named = named;
    this.left = left;
    this.#askedOf = askedOf;
  }

  shape(printed: string, depth: number): Shape {
    const type = baseOf(printed, this.#named);
    if (type.endsWith('[]')) {
      if (depth >= DEEPEST) return { kind: 'cut' };
      const element = type.slice(0, -2);
      return { kind: 'array', element: this.shape(element, depth + 1), ...this.#asked(element, 'each element') };
    }
    const known = this.#named.get(type);
    if (known?.kind === 'd') return { kind: 'unknown' };
    if (known?.kind === 'e') return { kind: 'enum', type: known };
    if (known?.attributes) return this.#composite(known, known.attributes, depth);
    return known ? { kind: 'row', type: known } : builtIn(type);
  }

  #composite(type: NamedTypeFact, attributes: readonly { name: string; type: string }[], depth: number): Shape {
    if (this.#named.isElsewhere(type)) return { kind: 'composite', type, attributes: [] };
    if (depth >= DEEPEST || attributes.length > this.left) return { kind: 'cut' };
    this.left -= attributes.length;
    const told = attributes.map((one) => ({
      name: one.name,
      shape: this.shape(one.type, depth + 1),
      ...this.#asked(one.type, one.name),
    }));
    return { kind: 'composite', type, attributes: told };
  }

  #asked(type: string, subject: string): { asked?: Asked } {
    const asked = this.#askedOf?.(type, subject);
    return asked ? { asked } : {};
  }
}

function builtIn(type: string): Shape {
  const name = bareType(type);
  const shape = Object.hasOwn(simple, name) ? simple[name] : undefined;
  if (shape) return shape === 'number' ? { kind: shape, type } : { kind: shape };
  if (/(^|\.)citext$/.test(name)) return { kind: 'text', type: 'citext' };
  const isForeign = name.includes('.') || /^any|^internal$/.test(name);
  return isForeign ? { kind: 'unknown' } : { kind: 'text', type };
}

type AskedOf = (type: string, subject: string) => Asked | null;

/** Without its modifier: `numeric(10,2)`, `timestamp(3) with time zone`. */
export const bareType = (type: string): string => type.replace(/\([\d,-]+\)/, '');

/** The type beneath all domains, with its modifier. */
export function baseOf(type: string, named: NamedTypes): string {
  let base = type;
  for (let known = named.get(base); known?.kind === 'd' && known.base !== null; known = named.get(base)) {
    base = known.base;
  }
  return base;
}
