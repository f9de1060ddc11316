import type { NamedTypeFact } from '../../catalog/type-facts.ts';
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
  | { kind: 'row'; type: NamedTypeFact };

export type NamedTypes = ReadonlyMap<string, NamedTypeFact>;

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

/**
 * The shape of a type that PostgreSQL prints as `type`. Every built-in type that has none of JSON's own becomes a text; a type of
 * an extension may be cast to anything. `askedOf`: what a type asks of its values that are called so, where that is to be said too.
 */
export function shapeOf(type: string, named: NamedTypes, askedOf?: AskedOf): Shape {
  const asked = (inner: string, subject: string) => {
    const all = askedOf?.(inner, subject);
    return all ? { asked: all } : {};
  };
  if (type.endsWith('[]')) {
    const element = type.slice(0, -2);
    return { kind: 'array', element: shapeOf(element, named, askedOf), ...asked(element, 'each element') };
  }
  const known = named.get(type);
  if (known?.kind === 'd') return known.base === null ? { kind: 'unknown' } : shapeOf(known.base, named, askedOf);
  if (known?.kind === 'e') return { kind: 'enum', type: known };
  if (known?.attributes) {
    const attributes = known.attributes.map((one) => ({
      name: one.name,
      shape: shapeOf(one.type, named, askedOf),
      ...asked(one.type, one.name),
    }));
    return { kind: 'composite', type: known, attributes };
  }
  if (known) return { kind: 'row', type: known };
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
  const known = named.get(type);
  return known?.kind === 'd' && known.base !== null ? baseOf(known.base, named) : type;
}
