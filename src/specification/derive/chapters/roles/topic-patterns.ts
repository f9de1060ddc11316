import { compareText } from '../../../../catalog/names.ts';
import type { Expression, Operand } from '../../../../sql-reader/tree.ts';

/** Topics of private channels: one topic, the topics that match a pattern of LIKE, or all topics without a pattern. */
export interface TopicPattern {
  /** The topic or the pattern, as policies write it; `*` for all topics without a pattern. */
  readonly text: string;
  /** The characters with which each of the topics starts. */
  readonly prefix: string;
  readonly kind: 'topic' | 'pattern' | 'other';
}

/** All topics that no pattern of the policies matches. */
export const otherTopics: TopicPattern = { text: '*', prefix: '', kind: 'other' };

/** Returns the patterns with which conditions compare the topic, sorted by their text. */
export function topicPatterns(conditions: readonly Expression[]): TopicPattern[] {
  const found = new Map<string, TopicPattern>();
  const visit = (test: TopicTest) => {
    for (const pattern of test.patterns) found.set(pattern.text, pattern);
    return null;
  };
  for (const condition of conditions) replaceTests(condition, visit);
  return [...found.values()].sort((a, b) => compareText(a.text, b.text));
}

/** Returns a condition in which comparisons of the topic that the pattern settles are constants. */
export const onTopics = (condition: Expression, topics: TopicPattern): Expression =>
  replaceTests(condition, (test) => outcomeOf(test, topics));

/** A comparison of the topic. It holds only for topics of the patterns. */
interface TopicTest {
  readonly patterns: readonly TopicPattern[];
  /** False if the comparison also depends on other values, such as the member’s id. */
  readonly isComplete: boolean;
}

/** Returns whether a comparison holds for all topics (true), for none (false), or for some of them (null). */
function outcomeOf({ patterns, isComplete }: TopicTest, topics: TopicPattern): boolean | null {
  if (topics.kind === 'other') return false;
  const outcomes = patterns.map((pattern) => covers(pattern, topics));
  if (outcomes.every((one) => one === false)) return false;
  return isComplete && outcomes.includes(true) ? true : null;
}

function covers(pattern: TopicPattern, topics: TopicPattern): boolean | null {
  if (pattern.text === topics.text) return true;
  if (topics.kind === 'topic') {
    return pattern.kind === 'topic' ? pattern.prefix === topics.prefix : matches(pattern.text, topics.prefix);
  }
  if (pattern.kind === 'topic') return pattern.prefix.startsWith(topics.prefix) ? null : false;
  if (isPrefix(pattern) && topics.prefix.startsWith(pattern.prefix)) return true;
  return pattern.prefix.startsWith(topics.prefix) || topics.prefix.startsWith(pattern.prefix) ? null : false;
}

const isPrefix = ({ text, prefix }: TopicPattern): boolean => text === `${escaped(prefix)}%`;

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Reads a pattern of LIKE. A pattern without wildcards is a topic. */
function readPattern(text: string): TopicPattern {
  const [start = ''] = /^(?:[^\\%_]|\\.)*/s.exec(text) ?? [];
  const prefix = start.replace(/\\(.)/gs, '$1');
  return start === text ? { text: prefix, prefix, kind: 'topic' } : { text, prefix, kind: 'pattern' };
}

const exactly = (topic: string): TopicPattern => ({ text: topic, prefix: topic, kind: 'topic' });
const startingWith = (prefix: string): TopicPattern => readPattern(`${escaped(prefix)}%`);

/** Returns true if a topic matches a pattern of LIKE. Takes time in proportion to the product of both lengths. */
function matches(pattern: string, topic: string): boolean {
  const parts = [...pattern.matchAll(/\\(.)|([%_])|(.)/gsu)];
  // The positions of the topic that the parts so far can reach.
  let reached = new Set([0]);
  const letters = Array.from(topic);
  for (const [, quoted, wildcard, plain] of parts) {
    const next = new Set<number>();
    for (const at of reached) {
      if (wildcard === '%') for (let to = at; to <= letters.length; to++) next.add(to);
      else if (at < letters.length && (wildcard === '_' || letters[at] === (quoted ?? plain))) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(letters.length);
}

/** Replaces the comparisons of the topic for which `decide` returns a value. */
function replaceTests(expression: Expression, decide: (test: TopicTest) => boolean | null): Expression {
  const inner = (item: Expression): Expression => replaceTests(item, decide);
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { ...expression, items: expression.items.map(inner) };
    case 'not':
    case 'is':
    case 'named':
      return { ...expression, item: inner(expression.item) };
    case 'exists': {
      const where = inner(expression.query.where);
      return isNever(where) ? where : expression;
    }
    default: {
      const test = testOf(expression);
      const value = test && decide(test);
      return value === null || value === undefined ? expression : { kind: 'constant', value };
    }
  }
}

const isNever = (expression: Expression): expression is Extract<Expression, { kind: 'constant' }> =>
  (expression.kind === 'constant' && expression.value === false) ||
  (expression.kind === 'and' && expression.items.some(isNever));

function testOf(expression: Expression): TopicTest | null {
  switch (expression.kind) {
    case 'compare': {
      const { left, right, operator } = expression;
      const other = isTopic(left) ? right : isTopic(right) && operator === '=' ? left : null;
      if (other === null) return operator === '=' ? partTest(left, right) : null;
      if (operator === '=') return startTest(other);
      const source = operator === '~~' ? textOf(other) : null;
      return source === null ? null : { patterns: [readPattern(source)], isComplete: true };
    }
    case 'one-of': {
      const values = isTopic(expression.operand) ? expression.values.map(startTest) : [null];
      if (values.includes(null)) return null;
      const tests = values.filter((test) => test !== null);
      return {
        patterns: tests.flatMap(({ patterns }) => patterns),
        isComplete: tests.every(({ isComplete }) => isComplete),
      };
    }
    case 'in':
      return isTopic(expression.operand) && expression.query.value ? startTest(expression.query.value) : null;
    case 'holds': {
      const { operand } = expression;
      const [topic, start] = operand.kind === 'call' && operand.name === 'starts_with' ? operand.arguments : [];
      const prefix = topic && isTopic(topic) && start ? textOf(start) : null;
      return prefix === null ? null : { patterns: [startingWith(prefix)], isComplete: true };
    }
    default:
      return null;
  }
}

/** Reads the other side of `realtime.topic() = …`: a text, or a text followed by other values. */
function startTest(operand: Operand): TopicTest | null {
  const topic = textOf(operand);
  if (topic !== null) return { patterns: [exactly(topic)], isComplete: true };
  if (operand.kind === 'cast') return startTest(operand.of);
  const prefix = operand.kind === 'joined' && operand.parts[0] ? textOf(operand.parts[0]) : null;
  return prefix === null || prefix === '' ? null : { patterns: [startingWith(prefix)], isComplete: false };
}

/** Reads `split_part(realtime.topic(), ':', 1) = 'room'`, which also holds for the topic `room`. */
function partTest(left: Operand, right: Operand): TopicTest | null {
  const [topic, separator, number] = left.kind === 'call' && left.name === 'split_part' ? left.arguments : [];
  if (!topic || !isTopic(topic) || number?.kind !== 'literal' || number.value !== '1') return null;
  const [start, between] = [textOf(right), separator ? textOf(separator) : null];
  if (start === null || between === null || between === '' || start.includes(between)) return null;
  return { patterns: [exactly(start), startingWith(`${start}${between}`)], isComplete: true };
}

const isTopic = (operand: Operand): boolean =>
  (operand.kind === 'call' && operand.name === 'realtime.topic') ||
  (operand.kind === 'field' && operand.name === 'topic' && operand.qualifier === null && operand.row === undefined) ||
  (operand.kind === 'cast' && operand.type === 'text' && isTopic(operand.of));

const textOf = (operand: Operand): string | null =>
  operand.kind === 'literal' && operand.quoted ? operand.value : null;
