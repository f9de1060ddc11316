import type { CollationFact } from '../../../catalog/collations.ts';

/**
 * Returns words for the texts that a collation treats as equal although they are written differently: "that differ in
 * upper and lower case alone". Returns null if only identical texts are equal. For an ICU collation, the words describe
 * its strength (Unicode TR35, part 5), if no other attribute is set.
 */
export function equalTexts({ name, deterministic, locale, tailored }: CollationFact): string | null {
  if (deterministic) return null;
  const [, settings] = /-u-(.+)$/.exec(locale ?? '') ?? [];
  const known = tailored || settings === undefined ? undefined : strengths[settings];
  return known === undefined ? `that are equal by the collation ${name}` : `that differ in ${known} alone`;
}

const strengths: Readonly<Record<string, string>> = {
  'ks-level1': 'accents or in upper and lower case',
  'ks-level2': 'upper and lower case',
  'kc-ks-level1': 'accents',
  'kc-true-ks-level1': 'accents',
  'ks-level1-kc': 'accents',
  'ks-level1-kc-true': 'accents',
};

/**
 * Returns the note on equal texts for rules on keys: "; texts in name that … count as the same". Returns an empty text
 * if no key has such a collation.
 */
export function equalKeys(keys: readonly { key: string; collation: CollationFact | null }[]): string {
  const loose = new Map<string, string[]>();
  for (const { key, collation } of keys) {
    const equal = collation === null ? null : equalTexts(collation);
    if (equal !== null) loose.set(equal, [...(loose.get(equal) ?? []), key]);
  }
  return [...loose].map(([equal, names]) => `; texts in ${names.join(', ')} ${equal} count as the same`).join('');
}
