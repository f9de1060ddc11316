import { canonical, type Difference, isObject } from '../differences.ts';
import type { Told } from '../teller.ts';
import { renamings } from './renamings.ts';
import { text, thing } from './values.ts';

/**
 * Policies that went and came again under another name. Cells and advice that name them, or are in another order by it, and are the
 * same in all else, are told with them.
 *
 * @param policies the differences of chapter 6's policies
 * @param others those of its cells and its advice
 */
export function tellRenamedPolicies(policies: readonly Difference[], others: readonly Difference[]): Told[] {
  const renamed = renamings(policies, (policy) => {
    if (!isObject(policy)) return canonical(policy);
    // The SQL holds the name; what else it holds stands in the other members.
    const { name, sql, ...rest } = policy;
    return canonical(rest);
  });
  const names = renamed.map(([gone, come]) => [text(gone.before, 'name'), text(come.after, 'name')] as const);
  const follow = names.length === 0 ? [] : sameButForNames(others, names);
  return renamed.map(([gone, come], i) => {
    const name = `policy ${text(gone.before, 'name')} of ${thing(text(gone.before, 'entity'))}`;
    const words = `The ${name} is called ${text(come.after, 'name')} now.`;
    return { words, of: [gone, come, ...(i === 0 ? follow : [])] };
  });
}

type Names = readonly (readonly [old: string, fresh: string])[];

/** Changed items that hold the same words once the names are replaced; items that went and came again so, too. */
function sameButForNames(differences: readonly Difference[], names: Names): Difference[] {
  const changed = differences.filter(
    ({ kind, before, after }) => kind === 'changed' && wordsOf(before, names) === wordsOf(after, []),
  );
  const pairs = renamings(
    differences.map((one) =>
      one.kind === 'removed' ? { ...one, before: renamedText(one.before, names), of: one } : one,
    ),
    (item) => (typeof item === 'string' ? sorted(item) : wordsOf(item, [])),
  );
  return [...changed, ...pairs.flatMap(([gone, come]) => [(gone as Difference & { of: Difference }).of, come])];
}

const wordsOf = (item: unknown, names: Names): string => sorted(renamedText(item, names));

/** In any order: policies stand in that of their names. */
const sorted = (words: string): string =>
  words
    .split(/[^\p{L}\p{N}_]+/u)
    .sort()
    .join(' ');

/** An item as text, in which the policies are called as they are now. */
function renamedText(item: unknown, names: Names): string {
  let words = canonical(item);
  for (const [old, fresh] of names) {
    const name = JSON.stringify(old)
      .slice(1, -1)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    words = words.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'gu'), () => fresh);
  }
  return words;
}
