import { groupBy } from '../../group.ts';
import { type Difference, isObject } from '../differences.ts';
import { matches, type Teller, type Told } from '../teller.ts';
import { restWords } from './generic.ts';
import { fewWords, fromTo, listWords, quoted, text, texts, thing, valueWords } from './values.ts';

/** Chapter 1: what the app is. */
export const purposeTeller: Teller = {
  whole: [],
  tell: (differences) =>
    differences.flatMap((difference): Told[] => {
      const subject = difference.path.length === 1 ? subjects[difference.path[0] ?? ''] : undefined;
      return subject === undefined ? [] : [{ words: purposeWords(subject, difference), of: [difference] }];
    }),
};

const subjects: Readonly<Record<string, string>> = {
  name: 'What the app is called',
  purpose: 'What it is for',
  audience: 'Whom it is for',
  owner: 'Who answers for it',
};

function purposeWords(subject: string, { before, after }: Difference): string {
  if (typeof after !== 'string') return `${subject} is not said any more; it was ${quoted(valueWords(before))}.`;
  if (typeof before !== 'string') return `${subject} is now said: ${quoted(after)}.`;
  return `${subject} ${fromTo(before, after)}.`;
}

/** Chapter 2: the screens. Those of an entity that come or go are told together. */
export const screensTeller: Teller = {
  whole: ['screens/*'],
  tell: (differences) => {
    const told = differences.filter(({ path }) => matches(path, 'screens/*'));
    const changed = told.filter(({ kind }) => kind === 'changed');
    const others = groupBy(
      told.filter(({ kind }) => kind !== 'changed'),
      (one) => `${one.kind} ${text(one.after ?? one.before, 'entity')}`,
    );
    return [
      ...[...others.values()].map(comeAndGo),
      ...changed.map((difference): Told => ({ words: screenWords(difference), of: [difference] })),
    ];
  },
};

function comeAndGo(of: readonly Difference[]): Told {
  const [first] = of;
  const screens = of.map(({ before, after }) => after ?? before);
  const routes = fewWords(screens.map((screen) => `${text(screen, 'route')} (${text(screen, 'kind')})`));
  const entity = thing(text(screens[0], 'entity'));
  const plural = of.length > 1;
  if (first?.kind === 'removed')
    return { words: `${plural ? 'Screens' : 'The screen'} of ${entity} gone: ${routes}.`, of };
  const broken = screens.flatMap((screen) => texts(screen, 'broken'));
  const reason = broken.length === 0 ? '' : `; it cannot be shown: ${broken.join('; ')}`;
  return { words: `New ${plural ? 'screens' : 'screen'} of ${entity}: ${routes}${reason}.`, of };
}

function screenWords({ before, after }: Difference): string {
  if (!isObject(before) || !isObject(after)) return `A screen ${fromTo(before, after)}.`;
  const [was, is] = [texts(before, 'broken'), texts(after, 'broken')];
  const parts = restWords(before, after, ['broken']);
  const route = text(after, 'route');
  if (is.length > 0 && was.length === 0) return `The screen ${route} is broken: ${[...is, ...parts].join('; ')}.`;
  if (is.length === 0 && was.length > 0) return `The screen ${route} can be shown again${['', ...parts].join('; ')}.`;
  const reasons = is.join('; ') === was.join('; ') ? [] : [`it is broken because ${listWords(is)}`];
  return `The screen ${route} has changed: ${[...reasons, ...parts].join('; ')}.`;
}
