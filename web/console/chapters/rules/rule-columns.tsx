import type { Rule } from '../../../../contract/specification.ts';
import { Tag } from '../../../ui/tag.tsx';
import type { ListColumn } from '../list/list-table.tsx';

export const ruleColumns: readonly ListColumn<Rule>[] = [
  { name: 'Rule', look: 'words', share: 50, bar: 200, cell: ({ words }) => words },
  { name: 'Kind', bar: 50, cell: (rule) => <Kind rule={rule} /> },
  {
    name: 'Comment',
    look: 'words',
    share: 30,
    rank: 'third',
    bar: 50,
    cell: ({ comment }) => comment ?? <span className="soft">–</span>,
  },
  {
    name: 'SQL',
    look: 'words',
    share: 50,
    rank: 'second',
    bar: 180,
    cell: ({ sql }) => <code title={sql}>{sql}</code>,
  },
];

function Kind({ rule: { kind, applies_to } }: { rule: Rule }) {
  if (applies_to === 'all rows') return kind;
  return (
    <>
      {kind} <Tag kind="warn">{applies_to === 'no row' ? 'not enforced' : 'not valid'}</Tag>
    </>
  );
}
