/** What the built-in types leave out beside their shape. */
export type ValueRule =
  | { kind: 'whole'; least: number; most: number }
  /** Above and below which a number is refused, the edges too. */
  | { kind: 'within'; edge: number }
  /** Characters at most, spaces at the end not counted. */
  | { kind: 'size'; most: number }
  | { kind: 'pattern'; pattern: string };

/** A rule over one value; `words` say it, for whoever breaks it. */
export type InputRule = { words: string } & (
  | { kind: 'characters'; least: number | null; most: number | null }
  | { kind: 'elements'; least: number | null; most: number | null }
  | { kind: 'least' | 'most'; value: number; isOpen: boolean }
  | { kind: 'pattern'; pattern: string }
  | { kind: 'values'; values: string[] }
);

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
  if (type === 'uuid') return { kind: 'pattern', pattern: UUID };
  const [, name, first, second] = /^(numeric|character varying|character)\((\d+)(?:,(\d+))?\)$/.exec(type) ?? [];
  if (name === undefined) return null;
  if (name !== 'numeric') return { kind: 'size', most: Number(first) };
  const [digits, scale] = [Number(first), Number(second ?? 0)];
  // What is rounded up to one digit more does not fit; JavaScript writes 15 digits as they are.
  if (digits > 14 || scale > digits) return null;
  return { kind: 'within', edge: Number((10 ** (digits - scale) - 0.5 * 10 ** -scale).toFixed(scale + 1)) };
}
