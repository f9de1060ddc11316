import type { Rule, RulesChapter } from '../../../contract/specification.ts';
import { within } from '../diff/words/values.ts';
import { groupBy } from '../group.ts';
import { code, count, inline } from './escape.ts';

/** Chapter 5 in Markdown. */
export function rulesMarkdown({ rules }: RulesChapter): string {
  if (rules.length === 0) return 'There is no rule yet.';
  const parts = [
    `${count(rules.length, 'rule')}. Unless it says otherwise, a rule leaves a field alone that has no value.`,
  ];
  for (const [entity, group] of groupBy(rules, (rule) => rule.entity)) {
    parts.push(`### ${inline(entity)}`, group.map(line).join('\n'));
  }
  return parts.join('\n\n');
}

/** The full stop of a sentence that a comment holds gives way to what comes after it. */
const line = (rule: Rule): string => `- ${inline(within(rule.words))}${reach[rule.applies_to]}: ${code(rule.sql)}`;

const reach: Readonly<Record<Rule['applies_to'], string>> = {
  'all rows': '',
  'new and changed rows': ' (asked of new and changed rows only)',
  'no row': ' (not enforced)',
};
