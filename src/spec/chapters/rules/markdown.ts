import type { Rule, RulesChapter } from '../../../../contract/specification.ts';
import { groupBy } from '../../../catalog/group.ts';
import { within } from '../../changes/values.ts';
import { code, count, inline } from '../../markdown/escape.ts';

/**
 * Returns chapter 5 in Markdown. The required fields of an entity share one line, because chapter 3 marks each of them.
 */
export function rulesMarkdown({ rules }: RulesChapter): string {
  if (rules.length === 0) return 'There is no rule yet.';
  const parts = [`${count(rules.length, 'rule')}. Unless stated otherwise, a rule does not apply to null values.`];
  for (const [entity, group] of groupBy(rules, (rule) => rule.entity)) {
    const required = group.filter(isRequiredField);
    const lines = group.filter((rule) => !isRequiredField(rule)).map(line);
    const fields = required.flatMap((rule) => rule.fields).map(code);
    parts.push(
      `### ${inline(entity)}`,
      [...(fields.length === 0 ? [] : [`- Required: ${fields.join(', ')}`]), ...lines].join('\n'),
    );
  }
  return parts.join('\n\n');
}

/** Returns true for NOT NULL without a comment. */
const isRequiredField = (rule: Rule): boolean =>
  rule.sqlstate === '23502' && !rule.commented && rule.applies_to === 'all rows' && rule.fields.length === 1;

/** Returns the line of a rule. Removes the full stop at the end of a comment, because more text follows. */
const line = (rule: Rule): string => `- ${inline(within(rule.words))}${reach[rule.applies_to]}: ${code(rule.sql)}`;

const reach: Readonly<Record<Rule['applies_to'], string>> = {
  'all rows': '',
  'new and changed rows': ' (asked of new and changed rows only)',
  'no row': ' (not enforced)',
};
