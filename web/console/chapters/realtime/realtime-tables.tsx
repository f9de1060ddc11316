import {
  type ChangeCell,
  type RolesChapter,
  type TopicCell,
  topicWords,
} from '../../../../contract/specification-roles.ts';
import { RightsTable } from '../list/rights-table.tsx';

const nameOfChange = ({ entity }: ChangeCell) => [entity.replace(/^public\./, ''), 'receive changes'] as const;
const nameOfTopic = ({ topic, operation }: TopicCell) =>
  [topic === '*' ? 'other topics' : topic, topicWords[operation]] as const;

/** Tables of who receives changes of rows, and who may use private channels, from chapter 6. */
export const RealtimeRightsTables = ({
  numbers: [changes, topics],
  chapter,
}: {
  numbers: readonly [changes: string, topics: string];
  chapter: RolesChapter | undefined;
}) => (
  <>
    <RightsTable
      number={changes}
      caption="Realtime: who receives changes of rows"
      what="Rights on changes"
      subject="Table"
      cells={chapter?.changes}
      nameOf={nameOfChange}
    />
    <RightsTable
      number={topics}
      caption="Realtime: who may do what on private channels"
      what="Rights on private channels"
      subject="Topics"
      cells={chapter?.topics}
      nameOf={nameOfTopic}
    />
  </>
);
