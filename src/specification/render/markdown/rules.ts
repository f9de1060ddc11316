import type { Rule, RulesChapter } from '../../../../contract/specification.ts';
import { groupBy } from '../../../catalog/group.ts';
import { within } from '../../derive/words/sentence-parts.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { count, inline } from './escape.ts';
import { fileRuleParts } from './files.ts';

/**
 * Returns chapter 5 in Markdown. Keys, references, required fields and lists of values that have no comment are left out,
 * because chapter 3 shows them with the fields.
 */
export function rulesMarkdown({ rules, files }: RulesChapter): string {
  const ofFiles = fileRuleParts(files);
  if (rules.length === 0) return ofFiles.length === 0 ? 'There is no rule yet.' : ofFiles.join('\n\n');
  const shown = rules.filter((rule) => !isShownWithFields(rule));
  const rest = rules.length - shown.length;
  const inFields =
    rest === 0
      ? ''
      : ` Chapter 3 shows ${rest} of them with the fields: keys, references, required fields, lists of values.`;
  const parts = [
    `${count(rules.length, 'rule')}.${inFields} Unless stated otherwise, a rule does not apply to null values.`,
  ];
  for (const [entity, group] of groupBy(shown, (rule) => rule.entity)) {
    parts.push(`### ${inline(shownSql(entity))}`, group.map(line).join('\n'));
  }
  return [...parts, ...ofFiles].join('\n\n');
}

/** Returns true for a rule of which chapter 3 says all that there is to say. */
function isShownWithFields({ kind, comment, applies_to, fields, words, sqlstate }: Rule): boolean {
  if (comment !== null || applies_to !== 'all rows') return false;
  if (kind === 'required') return fields.length === 1;
  if (kind === 'primary key') return !/[;]| overlap | checked /.test(words);
  if (kind === 'reference')
    return !/;| checked |, or none of them|at every point/.test(words) && !words.startsWith('of rows in ');
  return kind === 'type' && sqlstate === '22P02' && /^\S+ is one of /.test(words);
}

const line = (rule: Rule): string =>
  `- ${inline(within(shownSql(rule.words)))}${rule.comment === null ? '' : `: “${inline(within(rule.comment))}”`}${reach[rule.applies_to]}`;

const reach: Readonly<Record<Rule['applies_to'], string>> = {
  'all rows': '',
  'new and changed rows': ' (not checked for rows from before it)',
  'no row': ' (not enforced)',
  uploads: ' (checked by the pages; the limits of the bucket bind every upload)',
};
