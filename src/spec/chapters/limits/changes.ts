import { type ChangeDescriber, type DescribedChange, matches } from '../../changes/describer.ts';
import { type Difference, isObject } from '../../changes/differences.ts';
import { restWords } from '../../changes/generic.ts';
import { fromTo, text, valueWords } from '../../changes/values.ts';

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
    return `The limit ${text(after, 'id')} has changed: ${restWords(before, after, []).join('; ')}.`;
  }
  const rest = restWords(before, after, ['value', 'unit', 'set_in']);
  const more = rest.length === 0 ? '' : ` Also: ${rest.join('; ')}.`;
  return `The limit ${text(after, 'id')} is now ${amount(after)} (before: ${amount(before)}). ${text(after, 'meaning')}${more}`;
}

function amount(limit: unknown): string {
  const value = isObject(limit) ? limit.value : null;
  if (value === null || value === undefined) return 'without a limit';
  const unit = text(limit, 'unit');
  return unit === 'count' ? valueWords(value) : `${valueWords(value)} ${unit}`;
}
