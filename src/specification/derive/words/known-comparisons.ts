import type { Comparison, Operand } from '../../../sql-reader/tree.ts';

import { countWords, trimmedOf } from './counts.ts';
import { patternWords } from './pattern-words.ts';
import { caseOf, named, pathOfFolder } from './value.ts';

/** Returns short words for a known form of comparison: "title is in lower case". Returns null for other comparisons. */
export function knownComparison(subject: Operand, operator: Comparison, object: Operand): string | null {
  const counted = countWords(subject, operator, object);
  if (counted !== null) return counted;
  if (operator === '=' || operator === '<>') {
    const said =
      ownFolder(subject, operator, object) ??
      ownFolder(object, operator, subject) ??
      jsonKind(subject, operator, object) ??
      textAtEnd(subject, operator, object) ??
      withoutText(subject, operator, object) ??
      anyCase(subject, operator, object) ??
      onlyKeys(subject, operator, object) ??
      itself(subject, operator, object);
    if (said !== null) return said;
  }
  return remainder(subject, operator, object) ?? place(subject, operator, object) ?? pattern(subject, operator, object);
}

const literalOf = (operand: Operand | undefined, quoted: boolean): string | null =>
  operand?.kind === 'literal' && operand.quoted === quoted ? operand.value : null;

const is = (operator: Comparison): string => (operator === '=' ? 'is' : 'is not');

/** Describes `(storage.foldername(name))[1] = auth.uid()::text`. */
function ownFolder(subject: Operand, operator: Comparison, object: Operand): string | null {
  const member = object.kind === 'cast' ? object.of : object;
  return pathOfFolder(subject) && member.kind === 'user-id'
    ? `${named(subject)} ${is(operator)} the member’s id`
    : null;
}

/** Describes a comparison such as `jsonb_typeof(tags) = 'array'`. */
function jsonKind(subject: Operand, operator: Comparison, object: Operand): string | null {
  const of = jsonTyped(subject);
  const kind = literalOf(object, true);
  return of === null || kind === null ? null : `${of} ${is(operator)} ${jsonName(kind)}`;
}

/** Returns words for the value in `jsonb_typeof(tags)`. */
export function jsonTyped(operand: Operand): string | null {
  const isAsked = operand.kind === 'call' && /^jsonb?_typeof$/.test(operand.name) && operand.arguments.length === 1;
  const [of] = isAsked ? operand.arguments : [];
  return of === undefined ? null : named(of);
}

/** Returns words for a kind of JSON value, as `jsonb_typeof` names it. */
export const jsonName = (kind: string): string => (kind === 'null' ? 'null in JSON' : `a JSON ${kind}`);

/** Describes a comparison such as `left(iban, 2) = 'DE'`. */
function textAtEnd(subject: Operand, operator: Comparison, object: Operand): string | null {
  const [of, from, length] = subject.kind === 'call' ? subject.arguments : [];
  const name = subject.kind === 'call' ? subject.name : '';
  const isStart = name === 'left' || (/^substr(ing)?$/.test(name) && literalOf(from, false) === '1');
  const count = literalOf(name === 'left' || name === 'right' ? from : length, false);
  const text = literalOf(object, true);
  if ((!isStart && name !== 'right') || of === undefined || text === null) return null;
  const [a, b] = [named(of), named(object)];
  if (a === null || text === '' || count !== String(Array.from(text).length)) return null;
  const [yes, no] = isStart ? ['starts with', 'start with'] : ['ends with', 'end with'];
  return `${a} ${operator === '=' ? yes : `does not ${no}`} ${b}`;
}

/** Describes `btrim(title) <> ''` and `COALESCE(title, '') <> ''`. */
function withoutText(subject: Operand, operator: Comparison, object: Operand): string | null {
  if (literalOf(object, true) !== '') return null;
  const trimmed = trimmedOf(subject);
  const name = named(trimmed ?? subject);
  if (trimmed && name !== null) return `${name}, without the spaces around it, ${is(operator)} an empty text`;
  const [of, other, ...more] = subject.kind === 'call' && subject.name === 'coalesce' ? subject.arguments : [];
  if (of === undefined || literalOf(other, true) !== '' || more.length > 0) return null;
  return emptyOrNone(of, operator === '<>');
}

/** Describes `lower(a) = lower(b)`. */
function anyCase(subject: Operand, operator: Comparison, object: Operand): string | null {
  const isText = caseOf(subject) !== null || caseOf(object) !== null;
  const [a, b] = [caseOf(subject, isText), caseOf(object, isText)];
  const [left, right] = [a && named(a.of), b && named(b.of)];
  return a && b && a.name === b.name && left !== null && right !== null
    ? `${left} ${is(operator)} ${right}, in upper or lower case`
    : null;
}

/** Describes `(data - ARRAY['a', 'b']) = '{}'`: an object without other keys. */
function onlyKeys(subject: Operand, operator: Comparison, object: Operand): string | null {
  if (subject.kind !== 'formula' || subject.sign !== '-' || subject.right.kind !== 'list') return null;
  const [of, keys] = [named(subject.left), named(subject.right)];
  if (literalOf(object, true) !== '{}' || of === null || keys === null) return null;
  return operator === '=' ? `${of} has no key but ${keys}` : `${of} has a key that is none of ${keys}`;
}

/** Returns words for a text that is neither null nor empty, or for a text that is null or empty. */
export function emptyOrNone(operand: Operand, isNeither: boolean): string | null {
  const trimmed = trimmedOf(operand);
  const name = named(trimmed ?? operand);
  if (name === null) return null;
  const of = trimmed ? `${name}, without the spaces around it,` : name;
  return `${of} is ${isNeither ? 'neither empty nor' : 'empty or'} an empty text`;
}

/**
 * Describes a comparison of a value with a changed form of the same value: `title = lower(title)`, `title =
 * btrim(title)`, `price = round(price, 2)` and `at = date_trunc('day', at)`.
 */
function itself(subject: Operand, operator: Comparison, object: Operand): string | null {
  if (object.kind !== 'call') return null;
  const { arguments: args, name } = object;
  const [first, second] = args;
  const isTruncated = name === 'date_trunc';
  const a = named(subject);
  if (a === null || a !== (isTruncated ? second && named(second) : first && named(first))) return null;
  const isYes = operator === '=';
  const alone = args.length === 1;
  // The type needs no check, because a value that equals its own upper or lower case must be a text.
  const [, side] = /^(lower|upper)( case)?$/.exec(name) ?? [];
  if (side !== undefined && alone) return `${a} ${is(operator)} in ${side} case`;
  if (name === 'btrim' && alone) return `${a} has ${isYes ? 'no ' : ''}spaces around it`;
  const digits = literalOf(second, false);
  if (name === 'round' && (alone || digits === '0')) return `${a} is ${isYes ? 'a' : 'no'} whole number`;
  if (name === 'round' && isYes && /^[1-9]\d*$/.test(digits ?? ''))
    return `${a} has at most ${digits} ${digits === '1' ? 'digit' : 'digits'} after the point`;
  const unit = isTruncated ? literalOf(first, true) : null;
  return unit !== null && /^(minute|hour|day|week|month|quarter|year)$/.test(unit) && args.length === 2
    ? `${a} ${is(operator)} the start of ${unit === 'hour' ? 'an' : 'a'} ${unit}`
    : null;
}

/** Describes a comparison such as `quantity % 5 = 0`. */
function remainder(subject: Operand, operator: Comparison, object: Operand): string | null {
  const isAsked = subject.kind === 'formula' && subject.sign === '%' && literalOf(object, false) === '0';
  if (!isAsked || (operator !== '=' && operator !== '<>')) return null;
  const [a, b] = [named(subject.left), named(subject.right)];
  return a === null || b === null ? null : `${a} ${is(operator)} a multiple of ${b}`;
}

/** Describes a comparison such as `strpos(email, '@') > 0`. */
function place(subject: Operand, operator: Comparison, object: Operand): string | null {
  const [of, part] = subject.kind === 'call' && subject.name === 'strpos' ? subject.arguments : [];
  const asked = `${operator} ${literalOf(object, false)}`;
  if (of === undefined || part === undefined || !/^(>|<>|=) 0$|^>= 1$|^< 1$/.test(asked)) return null;
  const [a, b] = [named(of), named(part)];
  const isIn = asked !== '= 0' && asked !== '< 1';
  return a === null || b === null ? null : `${a} ${isIn ? 'contains' : 'does not contain'} ${b}`;
}

function pattern(subject: Operand, operator: Comparison, object: Operand): string | null {
  const [name, source] = [named(subject), literalOf(object, true)];
  if (name === null || source === null) return null;
  const said = patternWords(operator, source);
  return said === null ? null : `${name} ${said}`;
}
