import type { NamedTypeFact, OutputFact } from '../../../catalog/type-facts.ts';
import type { Asked } from './value-rules.ts';

/** The JSON form of the values of a PostgreSQL type. */
export type Shape =
  | { kind: 'boolean' | 'json' | 'void' | 'record' | 'unknown' }
  /**
   * The value of a type that is a JSON number or text. `type` is the name of the type as PostgreSQL prints it, with its
   * modifier. Further rules follow from it.
   */
  | { kind: 'number' | 'text'; type: string }
  /** `asked` are the rules of a domain that each element must satisfy. */
  | { kind: 'array'; element: Shape; asked?: Asked }
  | { kind: 'enum'; type: NamedTypeFact }
  | { kind: 'composite'; type: NamedTypeFact; attributes: readonly { name: string; shape: Shape; asked?: Asked }[] }
  /** A row of a table or view, which the document describes elsewhere. */
  | { kind: 'row'; type: NamedTypeFact }
  /** An array or a composite type that is nested too deeply to be described. */
  | { kind: 'cut' };

/** The max depth of nested arrays and composite types. */
const DEEPEST = 12;

/**
 * The max number of attributes described within one type. A single composite type can have as many (PostgreSQL manual,
 * "PostgreSQL Limits").
 */
const MOST = 1600;

/**
 * The max number of attributes described in one document. While the process writes a document, it does nothing else, so
 * this limits the time that other tasks wait.
 */
const MOST_OF_ALL = 20_000;

/**
 * The types of an app by their names in fields and arguments. Use one instance for each document: it counts the
 * attributes that it has described. Composite types can contain one another many times, so it describes no attributes
 * beyond the limits.
 */
export class NamedTypes {
  readonly #types: ReadonlyMap<string, NamedTypeFact>;
  /**
   * Returns true for a composite type that the document describes elsewhere. The shape of such a type contains no
   * attributes.
   */
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
   * Returns the members of the object that a function returns: its OUT, INOUT and TABLE columns. Returns an empty list
   * if the function returns a single value. A single column of a composite type is also returned as the row itself,
   * because FROM expands it.
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
   * Returns the shape of a type by its name as PostgreSQL prints it. A built-in type without a JSON type becomes a
   * text. A type of an extension may have any JSON value.
   * @param askedOf Returns the rules of a type for its values; absent to omit rules.
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
  /** The number of attributes that the document may still describe. */
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
    const shapes = attributes.map((one) => ({
      name: one.name,
      shape: this.shape(one.type, depth + 1),
      ...this.#asked(one.type, one.name),
    }));
    return { kind: 'composite', type, attributes: shapes };
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
  const [, ofExtension] = /(?:^|\.)(citext|vector|halfvec|sparsevec)$/.exec(name) ?? [];
  if (ofExtension !== undefined) return { kind: 'text', type: ofExtension };
  const isForeign = name.includes('.') || /^any|^internal$/.test(name);
  return isForeign ? { kind: 'unknown' } : { kind: 'text', type };
}

type AskedOf = (type: string, subject: string) => Asked | null;

/** Returns the type without its modifier: `numeric(10,2)`, `timestamp(3) with time zone`. */
export const bareType = (type: string): string => type.replace(/\([\d,-]+\)/, '');

/** Returns the base type below all domains, with its modifier. */
export function baseOf(type: string, named: NamedTypes): string {
  let base = type;
  for (let known = named.get(base); known?.kind === 'd' && known.base !== null; known = named.get(base)) {
    base = known.base;
  }
  return base;
}
