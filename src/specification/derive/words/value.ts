import { lengthWords } from '../../../sql-reader/interval-words.ts';
import type { Operand } from '../../../sql-reader/tree.ts';
import { calls } from './call-words.ts';
import { shownSql } from './shown-sql.ts';

type Kind<K extends Operand['kind']> = Extract<Operand, { kind: K }>;

/** Returns the name of a field with its qualifier. A field of the outer row is marked as “this row’s …”. */
export const fieldName = ({ name, qualifier, row }: Kind<'field'>): string => {
  if (row === 'own') return `this row’s ${name}`;
  return qualifier === null ? name : `${qualifier}.${name}`;
};

/** Returns a value in words; null if the value is shown as SQL. */
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
      const side = caseOf(operand);
      if (side !== null) return about(side.of, (words) => `${words} in ${side.name} case`);
      const args = operand.arguments.map(argument);
      const said = args.every((value) => value !== null)
        ? (Object.hasOwn(calls, operand.name) ? calls[operand.name] : undefined)?.(args, operand.arguments)
        : null;
      return said ?? (isOwn(operand) ? callWords(operand) : null) ?? shownSql(operand.text);
    }
    case 'element': {
      const path = pathOfFolder(operand);
      const folder = `the ${ordinals[operand.at] ?? `${operand.at}th`} folder`;
      return about(path ?? operand.of, (words) => `${path ? folder : `element ${operand.at}`} of ${words}`);
    }
    case 'joined': {
      const parts = operand.parts.map(named);
      return parts.every((part) => part !== null) ? parts.join(' followed by ') : null;
    }
    case 'said':
      return operand.words;
    case 'choice':
    case 'query':
    case 'null':
    case 'other':
      return null;
  }
}

const ordinals: Readonly<Record<string, string>> = { 1: 'first', 2: 'second', 3: 'third' };

/** Returns the path in `(storage.foldername(name))[1]`; undefined for another value. */
export function pathOfFolder(operand: Operand): Operand | undefined {
  if (operand.kind !== 'element' || operand.of.kind !== 'call') return undefined;
  return operand.of.name === 'storage.foldername' ? operand.of.arguments[0] : undefined;
}

/**
 * Parses `lower(a)` or `upper(a)` if the value is known to be a text.
 * @param isText True if the other side of the comparison shows that the value is a text.
 */
export function caseOf(operand: Operand, isText = false): { name: 'lower' | 'upper'; of: Operand } | null {
  const [, name] = operand.kind === 'call' ? (/^(lower|upper)( case)?$/.exec(operand.name) ?? []) : [];
  const [of, ...more] = operand.kind === 'call' ? operand.arguments : [];
  if ((name !== 'lower' && name !== 'upper') || of === undefined || more.length > 0) return null;
  const isKnown = isText || (operand.kind === 'call' && operand.name.endsWith(' case')) || isTextual(of);
  return isKnown ? { name, of } : null;
}

/** Returns true for a value that can only be a text, whatever the types of fields are. */
function isTextual(operand: Operand): boolean {
  if (operand.kind === 'literal') return operand.quoted && /^(text|character varying)?$/.test(operand.type ?? '');
  if (operand.kind === 'cast') return /^(text|character varying)$/.test(operand.type);
  const first = operand.kind === 'call' && operand.name === 'coalesce' ? operand.arguments[0] : undefined;
  return operand.kind === 'user-email' || operand.kind === 'joined' || (first !== undefined && isTextual(first));
}

/** Returns true for a function that is not PostgreSQL’s own. PostgreSQL prints such a function with its schema. */
export const isOwn = ({ name }: Kind<'call'>): boolean => name.includes('.') && !/^(pg_catalog|auth)\./.test(name);

/**
 * Returns words for a function call: "can_read(branch_id, 'manager')". The meaning of the function, if it has one, comes
 * first: "“The member may read the branch” (can_read(branch_id))". Returns null if an argument is shown as SQL.
 */
export function callWords({ name, arguments: args, meaning }: Kind<'call'>): string | null {
  const values = args.map(argumentWords);
  if (values.includes(null)) return null;
  const call = `${name.replace(/^public\./, '')}(${values.join(', ')})`;
  return meaning === undefined ? call : `“${meaning}” (${call})`;
}

/** Returns an argument in words; a list is put in brackets. */
const argumentWords = (operand: Operand): string | null =>
  operand.kind === 'list' ? about(operand, (words) => `[${words}]`) : named(operand);

/** Returns words for the rows that a call returns: "the results of teams_of(user_id)". */
export const resultsWords = (call: Kind<'call'>): string => `the results of ${callWords(call) ?? shownSql(call.text)}`;

/** Returns an argument of a call in words; a formula is put in brackets. */
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
  // A JSON text is shown with its own quotes, so that it differs from JSON values that are not texts.
  if (/^jsonb?$/.test(type ?? '') && !/^[{[]/.test(value)) return `${value} in JSON`;
  return value === '' ? 'an empty text' : `'${value.replaceAll("'", "''")}'`;
}

/** Casts that the words omit, because they do not change the meaning of a comparison for the reader. */
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

function formula({ sign, left, right, isExact, isWhole }: Kind<'formula'>): string | null {
  const during = sign === '-' ? lengthOfRange(left, right) : null;
  if (during !== null) return `the length of ${during}`;
  const [a, b] = [named(left), named(right)];
  const without = sign === '-' && a !== null ? withoutWords(a, left, right) : null;
  if (without !== null) return without;
  if (sign === '/' && isWhole) {
    const [dividend, divisor] = [argument(left), argument(right)];
    return dividend === null || divisor === null ? null : `the whole part of ${dividend} ÷ ${divisor}`;
  }
  // PostgreSQL drops the fraction when it divides an integer by an integer. Without the types of both values, the words
  // could be wrong, so the division is shown as SQL.
  if (sign === '/' && !isExact) return null;
  const isOdd = [left, right].some(
    (side) => side.kind === 'literal' && side.type === 'interval' && lengthWords(side.value) === null,
  );
  if (a === null || b === null || isOdd) return null;
  const isChain = left.kind === 'formula' && left.sign === sign && (sign === '+' || sign === '*');
  return `${left.kind === 'formula' && !isChain ? `(${a})` : a} ${signs[sign]} ${right.kind === 'formula' ? `(${b})` : b}`;
}

/** Describes `data - 'key'` and `data - ARRAY['a', 'b']`, which exist only for JSON. */
function withoutWords(of: string, left: Operand, right: Operand): string | null {
  if (left.kind === 'literal') return null;
  const isText = right.kind === 'literal' && right.quoted && (right.type === undefined || right.type === 'text');
  const keys = named(right);
  if (isText) return `${of} without the key ${keys}`;
  return right.kind === 'list' && keys !== null ? `${of} without the keys ${keys}` : null;
}

/** Describes `upper(during) - lower(during)`, which can only be bounds of a range. */
function lengthOfRange(left: Operand, right: Operand): string | null {
  if (left.kind !== 'call' || right.kind !== 'call' || !ends.test(left.name) || !starts.test(right.name)) return null;
  const [a, b] = [left, right].map(({ arguments: [of] }) => (of?.kind === 'field' ? fieldName(of) : null));
  return a !== null && a === b ? (a ?? null) : null;
}

const ends = /^(upper|the end|the upper bound)$/;
const starts = /^(lower|the start|the lower bound)$/;
