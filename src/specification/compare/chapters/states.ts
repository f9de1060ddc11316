import type { MachineState, Transition } from '../../../../contract/states.ts';
import { groupBy } from '../../../catalog/group.ts';
import {
  fewWords,
  fromTo,
  isObject,
  items,
  text,
  texts,
  thing,
  valueWords,
} from '../../derive/words/sentence-parts.ts';
import { type ChangeDescriber, type DescribedChange, keyAt, matches, pairRenamed } from '../describer.ts';
import { canonical, type Difference } from '../differences.ts';
import { either, type Members, restWords } from '../generic.ts';

/** Describes chapter 4: state machines, their states and transitions. */
export const statesDescriber: ChangeDescriber = {
  whole: [
    'machines/*/transitions/*',
    'machines/*/states/*',
    'machines/*/table',
    'accounts/moves/*',
    'accounts/states/*',
    'notifications/*',
  ],
  describeChanges: (differences) => {
    const tables = differences.filter(({ path }) => matches(path, 'machines/*/table'));
    const renamed = renamedTransitions(differences.filter(({ path }) => matches(path, 'machines/*/transitions/*')));
    const paired = new Set(renamed.flat());
    const described = [
      ...renamed.map(
        ([removed, added]): DescribedChange => ({ words: renamedWords(removed, added), of: [removed, added] }),
      ),
      ...differences.flatMap((difference): DescribedChange[] => {
        const words = paired.has(difference) || tables.includes(difference) ? null : wordsOf(difference);
        return words === null ? [] : [{ words, of: [difference] }];
      }),
    ];
    // The table of state changes follows from the states and transitions, so its differences belong to their sentences.
    // The table gets its own sentence only if there is no other.
    const alone = tables
      .filter(({ path }) => !described.some(({ of }) => of[0]?.path[1] === path[1]))
      .map((table): DescribedChange => ({ words: tableWords(table), of: [table] }));
    return [...alone, ...described].map((one) => {
      const machine = one.of[0]?.path[1];
      const isFirst = described.find((each) => each.of[0]?.path[1] === machine) === one;
      return isFirst ? { ...one, of: [...one.of, ...tables.filter(({ path }) => path[1] === machine)] } : one;
    });
  },
};

const tableWords = (difference: Difference): string =>
  `The table of the state changes of ${thing(keyAt(difference, 1))} has changed.`;

/**
 * Returns pairs of a removed and an added transition that are equal except for the name. Omits a pair if another
 * transition of the machine is equal too, because it would be unclear which one was renamed.
 */
function renamedTransitions(differences: readonly Difference[]): [removed: Difference, added: Difference][] {
  return [...groupBy(differences, ({ path }) => path[1])].flatMap(([, group]) => {
    const alike = groupBy(
      group.filter(({ kind }) => kind !== 'changed'),
      ({ before, after }) => likenessOf(after ?? before),
    );
    return pairRenamed([...alike.values()].filter((pair) => pair.length === 2).flat(), likenessOf);
  });
}

const likenessOf = (transition: unknown): string => {
  if (!isObject(transition)) return canonical(transition);
  const { name, words, ...rest } = transition;
  return canonical(rest);
};

const renamedWords = (removed: Difference, { after }: Difference): string =>
  `The transition ${text(removed.before, 'name')} of ${thing(keyAt(removed, 1))} is now called ${text(after, 'name')}.`;

/** Describes a change of an account's states: "The call auth.signup no longer makes an account unconfirmed." */
function accountWords({ before, after }: Difference): string {
  const move = after ?? before;
  const [call, from, to] = [text(move, 'call'), text(move, 'from'), text(move, 'to')];
  const what =
    from === '' ? `makes accounts that are ${to}` : `moves ${from} accounts to ${to === '' ? 'their end' : to}`;
  if (after === undefined) return `The call ${call} no longer ${what}.`;
  const when = text(after, 'when');
  return `The call ${call} now ${what}${when === '' ? '' : `, if ${when}`}.`;
}

/** Describes rules of notifications that were added, removed or changed. */
function notificationWords(before: readonly unknown[], after: readonly unknown[]): string {
  const sentences = (rules: readonly unknown[]) => rules.map((rule) => text(rule, 'words')).filter((one) => one !== '');
  const [old, fresh] = [sentences(before), sentences(after)];
  if (old.join() === fresh.join()) {
    const problems = after.flatMap((rule) => texts(rule, 'problems'));
    return `The rule of notifications “${fresh.join('; ')}” ${problems.length > 0 ? `has problems: ${problems.join('; ')}` : 'has no problem any more'}.`;
  }
  return [
    ...(fresh.length > 0 ? [`Now: ${fresh.join('; ')}.`] : []),
    ...(old.length > 0 ? [`No longer: ${old.join('; ')}.`] : []),
  ].join(' ');
}

function wordsOf(difference: Difference): string | null {
  const { path, before, after } = difference;
  if (matches(path, 'notifications/*')) return notificationWords([before], [after]);
  if (matches(path, 'notifications')) return notificationWords(items({ before }, 'before'), items({ after }, 'after'));
  if (path[0] === 'notifications' && path.at(-1) === 'order') return 'The rules of notifications are in another order.';
  if (matches(path, 'accounts/moves/*')) return accountWords(difference);
  if (matches(path, 'accounts')) {
    return after === undefined
      ? 'The states of accounts are no longer described.'
      : 'The states of accounts are described now.';
  }
  if (matches(path, 'accounts/states/*')) {
    const state = text(after ?? before, 'name');
    if (before === undefined) return `An account may now be ${state}: ${text(after, 'words')}.`;
    if (after === undefined) return `An account may no longer be ${state}.`;
    return `The account state ${state} now means: ${text(after, 'words')} (before: ${text(before, 'words')}).`;
  }
  if (path[0] === 'accounts' && path.at(-1) === 'order')
    return `The ${path[1] === 'moves' ? 'state changes' : 'states'} of accounts are in another order.`;
  const machine = thing(keyAt(difference, 1));
  if (matches(path, 'machines/*')) {
    if (after === undefined)
      return `${machine} no longer has a state machine: it may have any value that the rules allow.`;
    const states = fewWords(items(after, 'states').map((state) => text(state, 'name')));
    return `${machine} now has a state machine with the states ${states}; a new row starts as ${text(after, 'initial')}.`;
  }
  if (matches(path, 'machines/*/initial'))
    return `New rows of ${machine} now start as ${valueWords(after)} (before: ${valueWords(before)}).`;
  if (matches(path, 'machines/*/enforced')) {
    return after === true
      ? `Every write is now checked against the states of ${machine}.`
      : `Not every write is checked against the states of ${machine} any longer.`;
  }
  if (matches(path, 'machines/*/entity') || matches(path, 'machines/*/field'))
    return `The state machine ${machine} now belongs to the ${path[2]} ${thing(valueWords(after))} (before: ${thing(valueWords(before))}).`;
  if (matches(path, 'machines/*/problems'))
    return problemWords(machine, texts({ before }, 'before'), texts({ after }, 'after'));
  if (path[0] === 'machines' && path[2] === 'states' && path[3] === 'order')
    return `The states of ${machine} are now in the order ${fewWords(texts({ after }, 'after'))}.`;
  if (path[0] === 'machines' && path[2] === 'transitions' && path[3] === 'order')
    return `The transitions of ${machine} are now in the order ${fewWords(texts({ after }, 'after'))}.`;
  if (matches(path, 'machines/*/transitions/*')) return transitionWords(machine, difference);
  if (matches(path, 'machines/*/states/*')) return stateWords(machine, difference);
  return null;
}

const transitionMembers: Members<Transition> = {
  name: 'its name',
  from: 'the states in which it can start',
  to: 'its target',
  roles: 'the roles that may use it',
  when: (before, after) => `its condition ${fromTo(text(before, 'sql') || 'nothing', text(after, 'sql') || 'nothing')}`,
  requires: 'the fields that it requires',
  sets: (before, after) => `it now sets ${setsWords(after)} (before: ${setsWords(before)})`,
  access: (before, after) => accessWords(before, after).join('; '),
  words: 'its description',
};

const setsWords = (sets: unknown): string =>
  items({ sets }, 'sets')
    .map((one) => `${text(one, 'field')} to ${text(one, 'sql')}`)
    .join(', ') || 'nothing';

const stateMembers: Members<MachineState> = {
  name: 'its name',
  final: either('no transition leads away from it', 'a transition leads away from it'),
  reached: either('transitions reach it', 'no transition reaches it'),
};

function problemWords(machine: string, before: readonly string[], after: readonly string[]): string {
  const [added, removed] = [after.filter((one) => !before.includes(one)), before.filter((one) => !after.includes(one))];
  const parts = [
    ...(added.length > 0
      ? [`there ${added.length === 1 ? 'is now a problem' : 'are now problems'}: ${added.join('; ')}`]
      : []),
    ...(removed.length > 0
      ? [`no longer ${removed.length === 1 ? 'a problem' : 'problems'}: ${removed.join('; ')}`]
      : []),
  ];
  return `With the states of ${machine}, ${parts.join('; ') || 'the problems are listed in another order'}.`;
}

function transitionWords(machine: string, { before, after }: Difference): string {
  if (before === undefined) return `New transition of ${machine}: ${text(after, 'words')}.`;
  if (after === undefined) return `No longer a transition of ${machine}: ${text(before, 'words')}.`;
  const name = `The transition ${text(after, 'name')} of ${machine}`;
  if (!isObject(before) || !isObject(after)) return `${name} ${fromTo(before, after)}.`;
  if (before.words === after.words)
    return `${name} has changed: ${restWords(before, after, [], transitionMembers).join('; ')}.`;
  return `${name} is now: ${text(after, 'words')} (before: ${text(before, 'words')}).`;
}

/** Describes for which roles the privileges or policies allow a transition in another way: "agent may take it when own row". */
function accessWords(before: unknown, after: unknown): string[] {
  const listOf = (access: unknown) => items({ access }, 'access');
  const known = new Map(listOf(before).map((one) => [text(one, 'role'), canonical(one)]));
  const current = new Set(listOf(after).map((one) => text(one, 'role')));
  const removed = [...known.keys()].filter((role) => !current.has(role));
  const changed = listOf(after).flatMap((one) => {
    const [role, verdict, words] = [text(one, 'role'), text(one, 'verdict'), text(one, 'words')];
    if (known.get(role) === canonical(one)) return [];
    if (verdict === 'never') return [`${role} may no longer take it (${words})`];
    return [`${role} may take it${words === '' ? '' : ` when ${words}`}`];
  });
  return [...changed, ...removed.map((role) => `${role} no longer takes part in it`)];
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
    ...restWords(before, after, ['final', 'reached'], stateMembers),
  ];
  return `The state ${text(after, 'name')} of ${machine} has changed: ${parts.join('; ')}.`;
}
