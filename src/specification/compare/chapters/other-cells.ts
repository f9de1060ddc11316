import {
  type ChangeCell,
  type EdgeFunctionCell,
  type TopicCell,
  type TopicOperation,
  topicWords,
} from '../../../../contract/specification-roles.ts';
import { groupBy } from '../../../catalog/group.ts';
import { fromTo, isObject, listWords, text, texts, thing } from '../../derive/words/sentence-parts.ts';
import { type DescribedChange, matches } from '../describer.ts';
import type { Difference } from '../differences.ts';
import { type Members, restWords } from '../generic.ts';

/** Describes who receives other changes, may do other things on private channels, and may call other edge functions. */
export const describeOtherCells = (differences: readonly Difference[]): DescribedChange[] => [
  ...describeAlike(differences, 'changes', {
    whole: 'who receives changes of rows',
    subject: (cell) => `Changes of ${thing(text(cell, 'entity'))}`,
    verb: () => '',
    members: changeMembers,
  }),
  ...describeAlike(differences, 'topics', {
    whole: 'who may use private channels',
    subject: (cell) => {
      const topic = text(cell, 'topic');
      return `Private channels ${topic === '*' ? 'with other topics' : `“${topic}”`}`;
    },
    verb: (cell) => topicWords[text(cell, 'operation') as TopicOperation] ?? text(cell, 'operation'),
    members: topicMembers,
  }),
  ...describeAlike(differences, 'edge_functions', {
    whole: 'who may call edge functions',
    subject: (cell) => `Calls of the edge function ${text(cell, 'edge_function')}`,
    verb: () => '',
    members: edgeFunctionMembers,
  }),
];

interface CellWords {
  readonly whole: string;
  readonly subject: (cell: unknown) => string;
  readonly verb: (cell: unknown) => string;
  readonly members: Members<ChangeCell> | Members<TopicCell> | Members<EdgeFunctionCell>;
}

/** Describes the cells of one list. Cells of the same subject with the same change share a sentence. */
function describeAlike(
  differences: readonly Difference[],
  list: 'changes' | 'topics' | 'edge_functions',
  words: CellWords,
): DescribedChange[] {
  const whole = differences.filter(({ path }) => matches(path, list));
  const cells = differences.filter(({ path }) => matches(path, `${list}/*`));
  const groups = groupBy(cells, ({ before, after }) =>
    [words.subject(after ?? before), changeOf({ before, after }, words.members)].join('\0'),
  );
  return [
    ...whole.map((difference) => ({
      words: `The chapter ${difference.before === undefined ? 'now says' : 'no longer says'} ${words.whole}.`,
      of: [difference],
    })),
    ...[...groups.values()].map((group): DescribedChange => {
      const [first] = group;
      const byRole = groupBy(group, ({ before, after }) => text(after ?? before, 'role'));
      const who = [...byRole].map(([role, each]) => {
        const verbs = [...new Set(each.map(({ before, after }) => words.verb(after ?? before)))];
        return { role, verbs: listWords(verbs) };
      });
      const callers = [...groupBy(who, ({ verbs }) => verbs)]
        .map(([verbs, alike]) => `${alike.map(({ role }) => role).join(', ')}${verbs && ` (${verbs})`}`)
        .join(', ');
      const change = first ? changeOf(first, words.members) : '';
      return { words: `${words.subject(first?.after ?? first?.before)}: ${callers} ${change}.`, of: group };
    }),
  ];
}

const changeMembers: Members<ChangeCell> = {
  role: 'its role',
  entity: 'its table',
  verdict: null,
  words: null,
  reason: 'the reason',
  policies: (before, after) => `its policies are ${namesOf(after)} (before: ${namesOf(before)})`,
  columns: (before, after) => `its fields are ${fieldsOf(after)} (before: ${fieldsOf(before)})`,
};

const topicMembers: Members<TopicCell> = {
  role: 'its role',
  topic: 'its topic',
  operation: 'the operation',
  verdict: null,
  words: null,
  reason: 'the reason',
  policies: (before, after) => `its policies are ${namesOf(after)} (before: ${namesOf(before)})`,
};

const edgeFunctionMembers: Members<EdgeFunctionCell> = {
  role: 'its role',
  edge_function: 'the function',
  operation: 'the operation',
  verdict: null,
  words: null,
  reason: 'the reason',
};

const namesOf = (names: unknown): string =>
  Array.isArray(names) && names.length > 0 ? names.map((name) => `“${name}”`).join(', ') : 'none';
const fieldsOf = (fields: unknown): string =>
  Array.isArray(fields) && fields.length > 0 ? fields.join(', ') : 'all of them';

function changeOf({ before, after }: Pick<Difference, 'before' | 'after'>, members: CellWords['members']): string {
  if (before === undefined) return stateOf(after);
  if (after === undefined) return `no longer (before: ${stateOf(before)})`;
  if (stateOf(before) !== stateOf(after)) return `now ${stateOf(after)} (before: ${stateOf(before)})`;
  if (!isObject(before) || !isObject(after)) return fromTo(before, after);
  return (
    restWords(before, after, [], members as Members<TopicCell>).join('; ') ||
    `has other policies: ${texts(after, 'policies').join(', ')}`
  );
}

function stateOf(cell: unknown): string {
  const verdict = text(cell, 'verdict');
  return verdict === 'when' ? `when ${text(cell, 'words') || text(cell, 'reason')}` : verdict;
}
