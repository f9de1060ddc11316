import { lengthWords } from '../../sql-reader/interval-words.ts';
import type { Operand } from '../../sql-reader/operand.ts';
import { oneLine } from '../../sql-reader/tokens.ts';
import { calls } from './call-words.ts';

type Kind<K extends Operand['kind']> = Extract<Operand, { kind: K }>;

export const fieldName = (field: Kind<'field'>): string =>
  field.qualifier === null ? field.name : `${field.qualifier}.${field.name}`;

/** A value in words; null where it stays SQL. */
export function named(operand: Operand): string | null {
  switch (operand.kind) {
    case 'user-id':
      return 'the member';
    case 'user-role':
      return 'the caller’s role';
    case 'user-email':
      return 'the member’s e-mail address';
    case 'field':
      return fieldName(operand);
    case 'literal':
      return literal(operand);
    case 'claim':
      return `${operand.path.join('.')} of the member’s token`;
    case 'part':
      return about(operand.of, (of) => `${operand.path.join('.')} of ${of}`);
    case 'attribute':
      return about(operand.of, (of) => `${operand.name} of ${of}`);
    case 'list': {
      const values = operand.values.map(named);
      return values.every((value) => value !== null) ? values.join(', ') : null;
    }
    case 'moment': {
      const { away, side, isDay } = operand;
      if (side === null) return isDay ? 'today' : 'now';
      if (isDay) return `${away} ${side} today`;
      return side === 'before' ? `${away} ago` : `${away} from now`;
    }
    case 'formula':
      return formula(operand);
    case 'cast':
      return cast(operand);
    case 'call': {
      const args = operand.arguments.map(argument);
      const said = args.every((value) => value !== null)
        ? (Object.hasOwn(calls, operand.name) ? calls[operand.name] : undefined)?.(args, operand.arguments)
        : null;
      return said ?? oneLine(operand.text);
    }
    case 'null':
    case 'other':
      return null;
  }
}

/** A formula is told apart from what is said of it. */
const argument = (operand: Operand): string | null =>
  operand.kind === 'formula' ? about(operand, (words) => `(${words})`) : named(operand);

function about(operand: Operand, say: (words: string) => string): string | null {
  const of = named(operand);
  return of === null ? null : say(of);
}

function literal({ value, quoted, type }: Kind<'literal'>): string {
  if (!quoted) return value;
  const length = type === 'interval' ? lengthWords(value) : null;
  if (length !== null) return length;
  // A text in JSON is shown with its own quotes, and no other value is a text.
  if (/^jsonb?$/.test(type ?? '') && !/^[{[]/.test(value)) return `${value} in JSON`;
  return value === '' ? 'an empty text' : `'${value.replaceAll("'", "''")}'`;
}

/** Casts that leave what is compared as it is, for whoever reads of it. */
const idle = /^(text|bpchar|numeric|double precision|timestamp with time zone|\w+\.citext)$/;

function cast({ of, type }: Kind<'cast'>): string | null {
  if (idle.test(type)) return named(of);
  if (type === 'date') return about(of, (words) => `the date of ${words}`);
  return /^time with(out)? time zone$/.test(type) ? about(of, (words) => `the time of day of ${words}`) : null;
}

const signs: Readonly<Record<Kind<'formula'>['sign'], string>> = {
  '+': '+',
  '-': '-',
  '*': '×',
  '/': '÷',
  '%': 'modulo',
};

function formula({ sign, left, right, isExact }: Kind<'formula'>): string | null {
  const during = sign === '-' ? lengthOfRange(left, right) : null;
  if (during !== null) return `the length of ${during}`;
  // Of whole numbers, PostgreSQL leaves out what is behind the point.
  if (sign === '/' && !isExact) return null;
  const [a, b] = [named(left), named(right)];
  const isOdd = [left, right].some(
    (side) => side.kind === 'literal' && side.type === 'interval' && lengthWords(side.value) === null,
  );
  if (a === null || b === null || isOdd) return null;
  const isChain = left.kind === 'formula' && left.sign === sign && (sign === '+' || sign === '*');
  return `${left.kind === 'formula' && !isChain ? `(${a})` : a} ${signs[sign]} ${right.kind === 'formula' ? `(${b})` : b}`;
}

/** `upper(during) - lower(during)`: only bounds of ranges can be so. */
function lengthOfRange(left: Operand, right: Operand): string | null {
  if (left.kind !== 'call' || right.kind !== 'call' || !ends.test(left.name) || !starts.test(right.name)) return null;
  const [a, b] = [left, right].map(({ arguments: [of] }) => (of?.kind === 'field' ? fieldName(of) : null));
  return a !== null && a === b ? (a ?? null) : null;
}

const ends = /^(upper|the end|the upper bound)$/;
const starts = /^(lower|the start|the lower bound)$/;
