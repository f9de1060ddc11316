import type { LimitLine } from '../../../../contract/specification.ts';
import { fromTo, isObject, text, valueWords } from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type DescribedChange, matches } from '../describer.ts';
import type { Difference } from '../differences.ts';
import { either, type Members, restWords } from '../generic.ts';

/** Describes chapter 9, the limits of the app. */
export const limitsDescriber: ChangeDescriber = {
  whole: ['limits/*'],
  describeChanges: (differences) =>
    differences
      .filter(({ path }) => matches(path, 'limits/*'))
      .map((difference): DescribedChange => ({ words: limitWords(difference), of: [difference] })),
};

function limitWords({ before, after }: Difference): string {
  if (before === undefined) return `New limit ${text(after, 'id')}, ${amount(after)}: ${text(after, 'meaning')}`;
  if (after === undefined) return `No longer a limit: ${text(before, 'id')}. ${text(before, 'meaning')}`;
  if (!isObject(before) || !isObject(after)) return `A limit ${fromTo(before, after)}.`;
  if (before.value === after.value && before.unit === after.unit) {
    return `The limit ${text(after, 'id')} has changed: ${restWords(before, after, [], members).join('; ')}.`;
  }
  // The sentence ends with the newer meaning, which often contains the number.
  const rest = restWords(before, after, ['value', 'unit', 'set_in', 'meaning'], members);
  const more = rest.length === 0 ? '' : ` In addition, ${rest.join('; ')}.`;
  return `The limit ${text(after, 'id')} is now ${amount(after)} (before: ${amount(before)}). ${text(after, 'meaning')}${more}`;
}

const members: Members<Omit<LimitLine, 'figures'>> = {
  id: 'its name',
  group: 'its group',
  unit: 'its unit',
  meaning: 'its meaning',
  default: 'its default',
  value: 'its value',
  range: (before, after) => `it may now be set ${rangeWords(after)} (before: ${rangeWords(before)})`,
  set_in: 'the source of its value',
  change: (before, after) => `it can now be changed ${changeWords(after)} (before: ${changeWords(before)})`,
  may_be_unlimited: either('it may now be unlimited', 'it may no longer be unlimited'),
  code: 'the error of a call that exceeds it',
};

const rangeWords = (range: unknown): string =>
  Array.isArray(range) ? `from ${valueWords(range[0])} to ${valueWords(range[1])}` : 'to any number, or not at all';

const changeWords = (change: unknown): string =>
  isObject(change)
    ? `with the ${text(change, 'by') === 'environment' ? 'environment variable' : text(change, 'by')} ${text(change, 'key')}`
    : 'by nobody';

function amount(limit: unknown): string {
  const value = isObject(limit) ? limit.value : null;
  if (value === null || value === undefined) return 'without a limit';
  const unit = text(limit, 'unit');
  return unit === 'count' ? valueWords(value) : `${valueWords(value)} ${unit}`;
}
