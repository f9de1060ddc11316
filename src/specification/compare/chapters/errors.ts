import type { ErrorLine } from '../../../../contract/specification.ts';
import { groupBy } from '../../../catalog/group.ts';
import {
  fewWords,
  fromTo,
  isObject,
  type JsonObject,
  oneLine,
  quoted,
  text,
  thing,
  within,
} from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type DescribedChange, matches } from '../describer.ts';
import type { Difference } from '../differences.ts';
import { type Members, restWords } from '../generic.ts';

/** Describes chapter 8. Errors of one origin that are added or removed together share a sentence. */
export const errorsDescriber: ChangeDescriber = {
  whole: ['errors/*'],
  describeChanges: (differences) => {
    const ofErrors = differences.filter(({ path }) => matches(path, 'errors/*'));
    const written = groupBy(ofErrors.filter(isWrittenOtherwise), ({ after }) => nameOf(after));
    const groups = groupBy(
      ofErrors.filter((one) => !isWrittenOtherwise(one)),
      (one) => (one.kind === 'changed' ? changeKey(one) : `${one.kind} ${entityOf(one)}`),
    );
    return [
      ...[...written].map(([name, of]): DescribedChange => ({ words: writtenWords(name, of), of })),
      ...[...groups.values()].map((of): DescribedChange => ({ words: errorWords(of), of })),
    ];
  },
};

/**
 * Returns the entity or function that an error comes from; an empty string for an error of a protocol. A dot within
 * quotes does not separate names.
 */
const originOf = (error: unknown): string =>
  /^(?:"(?:[^"]|"")*"|[^".])*(?:\.(?:"(?:[^"]|"")*"|[^".(])*(?:\(.*\))?)?/.exec(text(error, 'origin'))?.[0] ?? '';

const entityOf = ({ before, after }: Difference): string => originOf(after ?? before);

function nameOf(error: unknown): string {
  const code = text(error, 'code') || 'a code that is computed at run time';
  const message = oneLine(text(error, 'message')) || oneLine(text(error, 'meaning'));
  return `${code}: ${message.replace(/\.$/, '')}`;
}

/** Returns the caveat of a new error in brackets. */
const remarkOf = (error: unknown): string => (text(error, 'caveat') === '' ? '' : ` (${text(error, 'caveat')})`);

function errorWords(of: readonly Difference[]): string {
  const [first] = of;
  if (first && first.before !== undefined && first.after !== undefined) return changeWords(of);
  const list = fewWords(
    of.map(({ before, after }) => `${nameOf(after ?? before)}${remarkOf(after)}`),
    6,
  );
  const origin = first ? entityOf(first) : '';
  const from = origin === '' ? '' : ` from ${thing(origin)}`;
  const plural = of.length > 1 ? 'errors' : 'error';
  return first?.kind === 'added' ? `New ${plural}${from}: ${list}.` : `Removed ${plural}${from}: ${list}.`;
}

/**
 * Returns the names of the members of an error that repeat the words or the SQL of its rule: meaning, hint and the text
 * for members. They are not reported here, because chapter 5 reports the change of the rule.
 */
const knownOf = (before: JsonObject, after: JsonObject): string[] => [
  ...(before.meaning !== after.meaning ? ['hint', 'member', 'sql'] : []),
  ...(text(after, 'group') === 'rule' ? ['sql'] : []),
];

const isWrittenOtherwise = ({ before, after }: Difference): boolean =>
  isObject(before) &&
  isObject(after) &&
  (text(after, 'group') !== 'transition' || before.meaning === after.meaning) &&
  restWords(before, after, knownOf(before, after), members).length === 0;

/** Describes changed texts. Rules of several entities may have the same text, such as those of a domain. */
function writtenWords(name: string, of: readonly Difference[]): string {
  if (of.length === 1) return `The error ${name} has changed with its rule, which chapter 5 describes.`;
  const entities = fewWords(of.map((one) => thing(entityOf(one))));
  return `The error ${name} (${entities}) has changed with its rules, which chapter 5 describes.`;
}

/**
 * Returns a key that is equal for errors that share a sentence: the same error of several entities, or several errors
 * with the same new caveat.
 */
function changeKey({ before, after }: Difference): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  if (text(after, 'group') === 'transition' && before.meaning !== after.meaning) return after;
  const parts = changedParts(before, after, knownOf(before, after)).join('; ');
  const isRemark = restWords(before, after, ['caveat'], members).length === 0;
  return `changed ${isRemark ? '' : nameOf(after)}\0${parts}`;
}

function changeWords(of: readonly Difference[]): string {
  const { before, after } = of[0] ?? {};
  if (!isObject(before) || !isObject(after)) return `An error ${fromTo(before, after)}.`;
  if (text(after, 'group') === 'transition' && before.meaning !== after.meaning)
    return `The error ${text(after, 'code')} has changed with its state machine: ${text(after, 'meaning')}`;
  const known = knownOf(before, after);
  const names = [...new Set(of.map((one) => nameOf(one.after)))];
  const origins = [...new Set(of.map((one) => thing(entityOf(one))))];
  const among = names.length === 1 && of.length > 1 ? ` (${fewWords(origins)})` : '';
  const start = names.length > 1 ? `The errors ${fewWords(names)} have` : `The error ${names.join()}${among} has`;
  return `${start} changed: ${changedParts(before, after, known).join('; ').replace(/\.$/, '')}.`;
}

/** Describes the changed members of an error, except the `known` members, which are reported elsewhere. */
function changedParts(before: JsonObject, after: JsonObject, known: readonly string[]): string[] {
  const differs = (name: string) => !known.includes(name) && before[name] !== after[name];
  const [said, advised, shown] = [differs('meaning'), differs('action'), differs('member')];
  const advice = (error: JsonObject) => quoted(text(error, 'action'));
  const parts = [
    ...(said ? [`before: ${within(oneLine(text(before, 'meaning')))}`] : []),
    ...(advised ? [`what the client does is now ${advice(after)} (before: ${advice(before)})`] : []),
    ...(shown
      ? [`the member now reads ${quoted(text(after, 'member'))} (before: ${quoted(text(before, 'member'))})`]
      : []),
    ...(differs('caveat') ? [remarkWords(text(before, 'caveat'), text(after, 'caveat'))] : []),
  ];
  // The SQL of a RAISE contains the texts of the error too, so a change of the SQL is reported only if no text changed.
  const described = ['sql', 'meaning', 'action', 'member', 'caveat', ...(advised ? ['hint'] : [])];
  if (parts.length === 0 && differs('sql')) parts.push(`it ${fromTo(before.sql, after.sql)}`);
  return [...parts, ...restWords(before, after, [...known, ...described], members)];
}

const members: Members<Omit<ErrorLine, 'figures'>> = {
  id: 'its id',
  group: 'its group',
  code: 'its code',
  status: 'its usual HTTP status',
  statuses: 'its HTTP statuses',
  message: 'its message',
  hint: 'its hint',
  meaning: 'its meaning',
  action: 'the advice for the client',
  member: 'the text for the member',
  origin: 'its origin',
  limit: 'the limit that it reports',
  sql: 'its SQL',
  caveat: 'its remark',
  page: 'its page of the documentation',
};

const remarkWords = (before: string, after: string): string =>
  after === ''
    ? `no longer with the remark ${quoted(before)}`
    : `now with the remark ${quoted(after)}${before === '' ? '' : ` (before: ${quoted(before)})`}`;
