/** What the built-in types leave out beside their shape. */
export type ValueRule =
  | { kind: 'whole'; least: number; most: number }
  /** Above and below which a number is refused, the edges too. */
  | { kind: 'within'; edge: number }
  /** Characters at most, spaces at the end not counted. */
  | { kind: 'size'; most: number }
  | { kind: 'pattern'; pattern: string; words: string };

/** A rule over one value; `words` say it, for whoever breaks it. `name` is the constraint. */
export type InputRule = { name: string; words: string } & (
  | { kind: 'characters'; least: number | null; most: number | null }
  /** `orNone`: a list without elements passes too. */
  | { kind: 'elements'; least: number | null; most: number | null; orNone: boolean }
  /** What kinds of JSON value: those of `jsonb_typeof`. */
  | { kind: 'json'; kinds: JsonKind[] }
  | { kind: 'least' | 'most'; value: number; isOpen: boolean }
  | { kind: 'pattern'; pattern: string }
  | { kind: 'values'; values: string[] }
);

export type JsonKind = (typeof jsonKinds)[number];

export const jsonKinds = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;

/** What the domains ask that a type is made of. */
export interface Asked {
  rules: readonly InputRule[];
  /** NOT NULL. */
  isNeeded: boolean;
}

/** An uuid as PostgreSQL reads it: hyphens where they may be, with or without braces (manual, 8.12). */
const UUID = '^\\{?[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}\\}?$';

const whole: Readonly<Record<string, ValueRule>> = {
  smallint: { kind: 'whole', least: -(2 ** 15), most: 2 ** 15 - 1 },
  integer: { kind: 'whole', least: -(2 ** 31), most: 2 ** 31 - 1 },
  // The next number of JavaScript above is too large.
  bigint: { kind: 'whole', least: -(2 ** 63), most: 2 ** 63 - 1024 },
};

/** The rule of a type as PostgreSQL prints it, with its modifier; null where its shape says it all, or nothing can be said. */
export function valueRule(type: string): ValueRule | null {
  if (Object.hasOwn(whole, type)) return whole[type] ?? null;
  if (type === 'uuid') return { kind: 'pattern', pattern: UUID, words: 'uuid' };
  const bits = /^bit( varying)?(?:\((\d+)\))?$/.exec(type);
  if (bits) return bitsRule(bits[1] === undefined, bits[2] === undefined ? null : Number(bits[2]));
  const [, name, first, second] = /^(numeric|character varying|character)\((\d+)(?:,(\d+))?\)$/.exec(type) ?? [];
  if (name === undefined) return null;
  if (name !== 'numeric') return { kind: 'size', most: Number(first) };
  const [digits, scale] = [Number(first), Number(second ?? 0)];
  // What is rounded up to one digit more does not fit; JavaScript writes 15 digits as they are.
  if (digits > 14 || scale > digits) return null;
  return { kind: 'within', edge: Number((10 ** (digits - scale) - 0.5 * 10 ** -scale).toFixed(scale + 1)) };
}

/** Counted repetitions above this are too much for some matchers. */
export const COUNTED = 1000;

/** A text of bits as PostgreSQL reads it, or of four bits a digit: `101`, `B101`, `X5` (manual, 4.1.2.5). `length`: null for any. */
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
