/** The largest counted repetition that patterns use, because some matchers fail on larger numbers. */
export const COUNTED = 1000;

/** A rule of a built-in type that the JSON form of its values does not already contain. */
export type ValueRule =
  | { kind: 'whole'; least: number; most: number }
  /** The number must be greater than -edge and less than edge. */
  | { kind: 'within'; edge: number }
  /** The max number of characters, without trailing spaces. */
  | { kind: 'size'; most: number }
  | { kind: 'pattern'; pattern: string; words: string };

/** A rule on a single value. `words` describe the rule in error messages. `name` is the name of the constraint. */
export type InputRule = { name: string; words: string } & (
  | { kind: 'characters'; least: number | null; most: number | null }
  /** A rule on the number of elements in a list. `orNone` is true if an empty list passes too. */
  | { kind: 'elements'; least: number | null; most: number | null; orNone: boolean }
  /** The allowed kinds of JSON value, as `jsonb_typeof` returns them. */
  | { kind: 'json'; kinds: JsonKind[] }
  | { kind: 'least' | 'most'; value: number; isOpen: boolean }
  | { kind: 'pattern'; pattern: string }
  | { kind: 'values'; values: string[] }
);

export type JsonKind = (typeof jsonKinds)[number];

export const jsonKinds = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;

/** The rules of the domains of a type. */
export interface Asked {
  rules: readonly InputRule[];
  /** True if a domain is NOT NULL. */
  isNeeded: boolean;
}

/** Matches a uuid in every notation that PostgreSQL accepts, with optional hyphens and braces (manual, 8.12). */
const UUID = '^\\{?[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}\\}?$';

const whole: Readonly<Record<string, ValueRule>> = {
  smallint: { kind: 'whole', least: -(2 ** 15), most: 2 ** 15 - 1 },
  integer: { kind: 'whole', least: -(2 ** 31), most: 2 ** 31 - 1 },
  // The maximum is the largest number that both JavaScript and bigint can represent. The next larger number of
  // JavaScript exceeds bigint.
  bigint: { kind: 'whole', least: -(2 ** 63), most: 2 ** 63 - 1024 },
};

/**
 * Returns the rule of a type by its name with its modifier, as PostgreSQL prints it. Returns null if the JSON form is
 * sufficient or no rule is known.
 */
export function valueRule(type: string): ValueRule | null {
  if (Object.hasOwn(whole, type)) return whole[type] ?? null;
  if (type === 'uuid') return { kind: 'pattern', pattern: UUID, words: 'uuid' };
  const bits = /^bit( varying)?(?:\((\d+)\))?$/.exec(type);
  if (bits) return bitsRule(bits[1] === undefined, bits[2] === undefined ? null : Number(bits[2]));
  const [, name, first, second] = /^(numeric|character varying|character)\((\d+)(?:,(\d+))?\)$/.exec(type) ?? [];
  if (name === undefined) return null;
  if (name !== 'numeric') return { kind: 'size', most: Number(first) };
  const [digits, scale] = [Number(first), Number(second ?? 0)];
  // PostgreSQL rounds a value before it checks the number of digits. So the edge is half a step below the smallest
  // number with one digit too many. JavaScript represents only 15 digits exactly.
  if (digits > 14 || scale > digits) return null;
  return { kind: 'within', edge: Number((10 ** (digits - scale) - 0.5 * 10 ** -scale).toFixed(scale + 1)) };
}

/**
 * Returns the rule of a bit string in binary or hexadecimal notation: `101`, `B101`, `X5` (manual, 4.1.2.5). `length`
 * is null for any length.
 */
function bitsRule(isExact: boolean, length: number | null): ValueRule {
  const min = isExact && length !== null ? length : 0;
  const digits = Math.floor((length ?? 0) / 4);
  const isWhole = !isExact || min % 4 === 0;
  const times = (from: number, to: number) =>
    length === null || length > COUNTED ? '*' : from === to ? `{${to}}` : `{${from},${to}}`;
  const hex = isWhole ? `|[xX][0-9a-fA-F]${times(isExact ? digits : 0, digits)}` : '';
  const words = length === null ? 'bits' : `${isExact ? 'exactly' : 'at most'} ${length} bits`;
  return { kind: 'pattern', pattern: `^(?:[bB]?[01]${times(min, length ?? 0)}${hex})$`, words };
}
