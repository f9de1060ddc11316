import { groupBy } from '../../group.ts';
import { type Difference, isObject } from '../differences.ts';
import { matches, type Teller, type Told } from '../teller.ts';
import { hasEntity } from './entity-there.ts';
import { restWords } from './generic.ts';
import { renamings } from './renamings.ts';
import { fromTo, text, texts, thing } from './values.ts';

/** Chapter 5: what is valid. The rules of an entity that is new are told together. */
export const rulesTeller: Teller = {
  whole: ['rules/*'],
  tell: (differences, sides) => {
    const told = differences.filter(({ path }) => matches(path, 'rules/*'));
    return [...groupBy(told, (difference) => entityOf(difference))].flatMap(([entity, group]) => {
      const added = group.filter(({ kind }) => kind === 'added');
      const removed = group.filter(({ kind }) => kind === 'removed');
      if (added.length === group.length && !hasEntity(sides.before, entity)) {
        const words = group.map(({ after }) => text(after, 'words')).join('; ');
        return [{ words: `Of ${thing(entity)}: ${words}.`, of: group }];
      }
      if (removed.length === group.length && !hasEntity(sides.after, entity)) {
        return [{ words: `The rules of ${thing(entity)} are gone with it.`, of: group }];
      }
      const renamed = renamings(group, (rule) => `${text(rule, 'words')}\0${texts(rule, 'fields').join()}`);
      const paired = new Set(renamed.flat());
      return [
        ...renamed.map(([gone, come]): Told => ({ words: renamedWords(thing(entity), gone, come), of: [gone, come] })),
        ...group
          .filter((difference) => !paired.has(difference))
          .map((difference): Told => ({ words: ruleWords(thing(entity), difference), of: [difference] })),
      ];
    });
  },
};

const renamedWords = (entity: string, { before }: Difference, { after }: Difference): string =>
  `The rule for ${entity}, ${text(after, 'words')}, is now called ${text(after, 'name')} (before: ${text(before, 'name')}).`;

const entityOf = ({ before, after }: Difference): string => text(after ?? before, 'entity');

const reach: Readonly<Record<string, string>> = {
  'all rows': 'of all rows',
  'new and changed rows': 'of new and changed rows only',
  'no row': 'of no row: it is not enforced',
};

function ruleWords(entity: string, { before, after }: Difference): string {
  if (before === undefined) {
    const asked = text(after, 'applies_to');
    const limited = asked === 'all rows' ? '' : `, asked ${reach[asked] ?? asked}`;
    return `New rule for ${entity}: ${text(after, 'words')}${limited}.`;
  }
  if (after === undefined) return `No longer a rule for ${entity}: ${text(before, 'words')}.`;
  if (!isObject(before) || !isObject(after)) return `A rule of ${entity} ${fromTo(before, after)}.`;
  const parts: string[] = [];
  const told = ['applies_to', 'words'];
  if (before.words !== after.words) {
    parts.push(`before: ${text(before, 'words')}`);
    // Words and SQL change together; either alone is told.
    told.push('sql', 'commented');
  }
  if (before.applies_to !== after.applies_to) {
    parts.push(`now asked ${reach[text(after, 'applies_to')] ?? text(after, 'applies_to')}`);
  }
  parts.push(...restWords(before, after, told));
  return `The rule for ${entity}, ${text(after, 'words')}, has changed: ${parts.join('; ')}.`;
}
