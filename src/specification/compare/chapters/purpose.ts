import { fromTo, quoted, valueWords } from '../../derive/words/sentence-parts.ts';
import type { ChangeDescriber, DescribedChange } from '../describer.ts';
import type { Difference } from '../differences.ts';

/** Describes chapter 1, the purpose of the app. */
export const purposeDescriber: ChangeDescriber = {
  whole: [],
  describeChanges: (differences) =>
    differences.flatMap((difference): DescribedChange[] => {
      const subject = difference.path.length === 1 ? subjects[difference.path[0] ?? ''] : undefined;
      return subject === undefined ? [] : [{ words: purposeWords(subject, difference), of: [difference] }];
    }),
};

const subjects: Readonly<Record<string, string>> = {
  name: 'The name of the app',
  purpose: 'Its purpose',
  audience: 'Its audience',
  owner: 'Its owner',
};

function purposeWords(subject: string, { before, after }: Difference): string {
  if (typeof after !== 'string') return `${subject} is no longer stated (before: ${quoted(valueWords(before))}).`;
  if (typeof before !== 'string') return `${subject} is now ${quoted(after)}.`;
  const [old, fresh] = [quoted(before), quoted(after)];
  // `quoted` cuts long texts. If the cut texts are the same, `fromTo` quotes both from their first difference.
  return old === fresh ? `${subject} ${fromTo(before, after)}.` : `${subject} is now ${fresh} (before: ${old}).`;
}
