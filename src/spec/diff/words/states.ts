import { type Difference, isObject } from '../differences.ts';
import { keyAt, matches, type Teller, type Told } from '../teller.ts';
import { restWords } from './generic.ts';
import { fewWords, fromTo, items, text, thing, valueWords } from './values.ts';

/** Chapter 4: state machines, their states and transitions. */
export const statesTeller: Teller = {
  whole: ['machines/*/transitions/*', 'machines/*/states/*', 'machines/*/table'],
  tell: (differences) => {
    const tables = differences.filter(({ path }) => matches(path, 'machines/*/table'));
    const told = differences.flatMap((difference): Told[] => {
      const words = wordsOf(difference);
      return words === null ? [] : [{ words, of: [difference] }];
    });
    // The table follows from states and transitions: it is told with them, alone where they say nothing.
    return told.map((one) => {
      const machine = one.of[0]?.path[1];
      const isFirst = told.find((each) => each.of[0]?.path[1] === machine) === one;
      return isFirst ? { ...one, of: [...one.of, ...tables.filter(({ path }) => path[1] === machine)] } : one;
    });
  },
};

function wordsOf(difference: Difference): string | null {
  const { path, before, after } = difference;
  const machine = thing(keyAt(difference, 1));
  if (matches(path, 'machines/*')) {
    if (after === undefined) return `${machine} has no states machine any more: it may hold any value.`;
    const states = fewWords(items(after, 'states').map((state) => text(state, 'name')));
    return `${machine} now goes through states: ${states}; a new row starts as ${text(after, 'initial')}.`;
  }
  if (matches(path, 'machines/*/initial'))
    return `New rows of ${machine} now start as ${valueWords(after)} (before: ${valueWords(before)}).`;
  if (matches(path, 'machines/*/enforced')) {
    return after === true
      ? `Every write is now held to the states of ${machine}.`
      : `Nothing is held to the states of ${machine} any more.`;
  }
  if (matches(path, 'machines/*/problems'))
    return `What is wrong with the states of ${machine} ${fromTo(before, after)}.`;
  if (matches(path, 'machines/*/transitions/*')) return transitionWords(machine, difference);
  if (matches(path, 'machines/*/states/*')) return stateWords(machine, difference);
  return null;
}

function transitionWords(machine: string, { before, after }: Difference): string {
  if (before === undefined) return `New transition of ${machine}: ${text(after, 'words')}.`;
  if (after === undefined) return `No longer a transition of ${machine}: ${text(before, 'words')}.`;
  const name = `The transition ${text(after, 'name')} of ${machine}`;
  if (!isObject(before) || !isObject(after)) return `${name} ${fromTo(before, after)}.`;
  if (before.words === after.words) return `${name} has changed: ${restWords(before, after, []).join('; ')}.`;
  return `${name} is now: ${text(after, 'words')} (before: ${text(before, 'words')}).`;
}

function stateWords(machine: string, { before, after }: Difference): string {
  if (before === undefined) return `${machine} may now be ${text(after, 'name')}.`;
  if (after === undefined) return `${machine} may no longer be ${text(before, 'name')}.`;
  if (!isObject(before) || !isObject(after)) return `A state of ${machine} ${fromTo(before, after)}.`;
  const parts = [
    ...(before.final === after.final
      ? []
      : [after.final === true ? 'no transition leads away from it any more' : 'a transition now leads away from it']),
    ...(before.reached === after.reached
      ? []
      : [after.reached === true ? 'transitions now reach it' : 'no transition reaches it any more']),
    ...restWords(before, after, ['final', 'reached']),
  ];
  return `The state ${text(after, 'name')} of ${machine} has changed: ${parts.join('; ')}.`;
}
