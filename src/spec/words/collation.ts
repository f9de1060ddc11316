import type { CollationFact } from '../../catalog/collations.ts';

/**
 * Which texts a collation takes as equal although they are spelled otherwise: "that differ in upper and lower case alone"; null for one to
 * which only the same is equal. Of ICU's settings (Unicode TR35, part 5) the strength is told where nothing else is set.
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

/** What follows of that for rules over keys: "; texts in name that … count as the same". Empty where nothing does. */
export function equalKeys(keys: readonly { key: string; collation: CollationFact | null }[]): string {
  const loose = new Map<string, string[]>();
  for (const { key, collation } of keys) {
    const equal = collation === null ? null : equalTexts(collation);
    if (equal !== null) loose.set(equal, [...(loose.get(equal) ?? []), key]);
  }
  return [...loose].map(([equal, names]) => `; texts in ${names.join(', ')} ${equal} count as the same`).join('');
}
