import type { MailRow } from '../../../../contract/mails.ts';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { kindWords, stateWords } from './mail-words.ts';

export const mailColumns: readonly RowColumn<MailRow>[] = [
  { name: 'To', width: 220, cell: ({ recipient }) => recipient },
  { name: 'Template', width: 150, wideOnly: true, cell: ({ kind }) => kindWords(kind) },
  { name: 'At', width: 128, wideOnly: true, cell: ({ created_at }) => <TimeAgo iso={created_at} /> },
  {
    name: 'Status',
    width: 90,
    cell: ({ state }) => {
      const [word, kind] = stateWords[state];
      return <Tag kind={kind}>{word}</Tag>;
    },
  },
  { name: 'Error', width: 240, wideOnly: true, cell: ({ error }) => error ?? <span className="soft">–</span> },
];

/** Second line of a mail on a phone. */
export const mailLine = ({ kind, created_at, error }: MailRow) => (
  <>
    {kindWords(kind)} · <TimeAgo iso={created_at} /> {error}
  </>
);
