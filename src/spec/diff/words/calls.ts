import { groupBy } from '../../group.ts';
import { type Difference, isObject } from '../differences.ts';
import { matches, type Teller, type Told } from '../teller.ts';
import { restWords } from './generic.ts';
import { fewWords, fromTo, items, listWords, text, texts, thing } from './values.ts';

/** Chapter 7: the calls. Those of an entity that come, go or change alike share a sentence. */
export const callsTeller: Teller = {
  whole: ['calls/*'],
  tell: (differences) => {
    const told = differences.filter(({ path }) => matches(path, 'calls/*'));
    const groups = groupBy(told, (difference) => `${text(call(difference), 'entity')}\0${whatOf(difference)}`);
    return [...groups.values()].map((group) => tellGroup(group));
  },
};

const call = ({ before, after }: Difference): unknown => after ?? before;

const nameOf = (difference: Difference): string =>
  `${text(call(difference), 'method')} ${text(call(difference), 'path')}`;

/** What happened to a call, in words that fit several. */
function whatOf({ before, after }: Difference): string {
  if (before === undefined) return 'new';
  if (after === undefined) return 'gone';
  if (!isObject(before) || !isObject(after)) return fromTo(before, after);
  const parts: string[] = [];
  const [old, fresh] = [texts(before, 'roles'), texts(after, 'roles')];
  const more = fresh.filter((role) => !old.includes(role));
  const fewer = old.filter((role) => !fresh.includes(role));
  if (more.length > 0) parts.push(`now answered for ${listWords(more)}`);
  if (fewer.length > 0) parts.push(`no longer answered for ${listWords(fewer)}`);
  const told = more.length + fewer.length > 0 ? ['roles'] : [];
  const rest = restWords(before, after, [...told, 'parameters']);
  return [...parts, ...parameterWords(before, after), ...rest].join('; ');
}

function parameterWords(before: unknown, after: unknown): string[] {
  const [old, fresh] = [items(before, 'parameters'), items(after, 'parameters')];
  const key = (parameter: unknown) => `${text(parameter, 'in')} ${text(parameter, 'name')}`;
  const names = (list: typeof old, other: typeof old) =>
    list.filter((one) => !other.some((each) => key(each) === key(one))).map((one) => text(one, 'name'));
  const [more, fewer] = [names(fresh, old), names(old, fresh)];
  if (more.length + fewer.length === 0) return restWords({ parameters: old }, { parameters: fresh }, []);
  return [
    ...(more.length > 0 ? [`takes ${fewWords(more)} too`] : []),
    ...(fewer.length > 0 ? [`no longer takes ${fewWords(fewer)}`] : []),
  ];
}

function tellGroup(group: readonly Difference[]): Told {
  const [first] = group;
  const names = fewWords(group.map(nameOf));
  const plural = group.length > 1;
  const entity = text(first && call(first), 'entity');
  if (!first?.before) {
    const summary = plural || !first ? '' : `: ${text(first.after, 'summary')}`.replace(/\.$/, '');
    return { words: `${plural ? 'New calls' : 'New call'} ${names}${summary}.`, of: group };
  }
  if (!first.after) return { words: `No longer answered: ${names}.`, of: group };
  const of = entity === '' ? '' : ` of ${thing(entity)}`;
  return { words: `${plural ? 'Calls' : 'The call'}${of}, ${names}: ${whatOf(first)}.`, of: group };
}
