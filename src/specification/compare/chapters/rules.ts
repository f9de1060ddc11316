import type { Rule } from '../../../../contract/specification.ts';
import { groupBy } from '../../../catalog/group.ts';
import { fromTo, isObject, type JsonObject, quoted, text, thing, within } from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type DescribedChange, matches } from '../describer.ts';
import type { Difference } from '../differences.ts';
import { entityIds } from '../entity-ids.ts';
import { type Members, restWords } from '../generic.ts';
import { describeFileRules } from './files.ts';

/** Describes chapter 5. The rules of a new entity share a sentence. */
export const rulesDescriber: ChangeDescriber = {
  whole: ['rules/*', 'files/*'],
  describeChanges: (differences, sides) => {
    const ofRules = differences.filter(({ path }) => matches(path, 'rules/*'));
    const ids = entityIds(sides);
    const described = [...groupBy(ofRules, (difference) => entityOf(difference))].flatMap(([entity, group]) => {
      const added = group.filter(({ kind }) => kind === 'added');
      const removed = group.filter(({ kind }) => kind === 'removed');
      if (added.length === group.length && !ids.before.has(entity)) {
        const words = group.map(({ after }) => wordsOf(after)).join('; ');
        return [{ words: `Of ${thing(entity)}: ${words}.`, of: group }];
      }
      if (removed.length === group.length && !ids.after.has(entity)) {
        return [{ words: `The rules of ${thing(entity)} are gone with it.`, of: group }];
      }
      return group.map(
        (difference): DescribedChange => ({ words: ruleWords(thing(entity), difference), of: [difference] }),
      );
    });
    return [...described, ...describeFileRules(differences)];
  },
};

const wordsOf = (rule: unknown): string => within(text(rule, 'words'));

const entityOf = ({ before, after }: Difference): string => text(after ?? before, 'entity');

/** Returns the domain of a rule on a field; an empty string for other rules. */
const domainOf = (rule: unknown): string =>
  /^((?:"(?:[^"]|"")*"|[^"\s])+) (?:CHECK \(|NOT NULL)/.exec(text(rule, 'sql'))?.[1] ?? '';

/** Returns the SQL of a rule without the parts that name its domain or say to which rows it applies. */
const askedBy = (rule: unknown): string =>
  text(rule, 'sql')
    .slice(domainOf(rule).length)
    .replace(/ NOT (VALID|ENFORCED)$/, '')
    // Removes the name of a unique index, which its SQL contains too.
    .replace(/^(CREATE UNIQUE INDEX )(?:"(?:[^"]|"")*"|[^"\s]+) ON /, '$1ON ');

const reach: Readonly<Record<string, string>> = {
  'all rows': 'for all rows',
  'new and changed rows': 'for new and changed rows only',
  'no row': 'for no row, because it is not enforced',
  uploads: 'by the pages',
};

const reachWords = (before: JsonObject, after: JsonObject): string[] =>
  before.applies_to === after.applies_to
    ? []
    : [`it is now checked ${reach[text(after, 'applies_to')] ?? text(after, 'applies_to')}`];

const members: Members<Rule> = {
  id: 'its id',
  entity: 'its entity',
  name: 'its name',
  kind: 'its kind',
  fields: 'its fields',
  words: 'its words',
  comment: (before, after) => {
    const [was, is] = [before, after].map((one) => (typeof one === 'string' && one !== '' ? quoted(one) : ''));
    if (is === '') return `its error no longer has a hint (before: ${was})`;
    return `the hint of its error is now ${is}${was === '' ? '' : ` (before: ${was})`}`;
  },
  sql: 'its SQL',
  applies_to: 'the rows that it applies to',
  sqlstate: 'the code of its error',
};

const sqlWords = (before: JsonObject, after: JsonObject, described: readonly string[]): string[] =>
  before.sql === after.sql || described.includes('sql') ? [] : [`its SQL ${fromTo(before.sql, after.sql)}`];

function ruleWords(entity: string, { before, after }: Difference): string {
  if (before === undefined) {
    const asked = text(after, 'applies_to');
    const limited = asked === 'all rows' ? '' : `, checked ${reach[asked] ?? asked}`;
    const comment = text(after, 'comment');
    const hint = comment === '' ? '' : ` (its hint: ${quoted(comment)})`;
    return `New rule for ${entity}: ${wordsOf(after)}${limited}${hint}.`;
  }
  if (after === undefined) return `Removed rule for ${entity}: ${wordsOf(before)}.`;
  if (!isObject(before) || !isObject(after)) return `A rule of ${entity} ${fromTo(before, after)}.`;
  const parts: string[] = [];
  const described = ['applies_to', 'words'];
  if (before.words !== after.words) {
    parts.push(`before: ${wordsOf(before)}`);
    // The words, the fields and the SQL of a rule usually change together, so one sentence reports them. A change of
    // only the fields or only the SQL is reported too.
    described.push('sql', 'fields');
  }
  parts.push(...reachWords(before, after));
  const [was, is] = [domainOf(before), domainOf(after)];
  if (was !== is && was !== '' && is !== '')
    parts.push(`it is now one of the domain ${thing(is)} (before: of ${thing(was)})`);
  // The sentence already says that the domain or the affected rows changed. If the remaining SQL is equal, it is not
  // reported.
  if (parts.length > 0 && askedBy(before) === askedBy(after)) described.push('sql');
  parts.push(...sqlWords(before, after, described), ...restWords(before, after, [...described, 'sql'], members));
  return `The rule for ${entity}, ${wordsOf(after)}, has changed: ${parts.join('; ')}.`;
}
