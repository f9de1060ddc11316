import type { Screen } from '../../../../contract/description.ts';
import { Tag } from '../../../ui/tag.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { shortId } from '../../format/format.ts';
import type { ListColumn } from '../list/list-table.tsx';

export const screenColumns: readonly ListColumn<ListedScreen>[] = [
  { name: 'Route', bar: 110, cell: ({ route }) => <code>{route}</code> },
  { name: 'Title', look: 'words', share: 35, rank: 'second', bar: 90, cell: ({ title }) => title },
  { name: 'Kind', bar: 40, cell: ({ kind }) => kind },
  { name: 'Shows', rank: 'third', bar: 70, cell: ({ entity }) => <code>{shortId(entity)}</code> },
  {
    name: 'For',
    look: 'words',
    share: 65,
    rank: 'third',
    bar: 120,
    cell: ({ roles }) => (roles.length > 0 ? roles.join(', ') : <span className="soft">no role</span>),
  },
  { name: 'Origin', bar: 60, cell: (screen) => <Origin screen={screen} /> },
];

/** Shows the source of a screen, and whether the screen can be shown. */
function Origin({ screen: { origin, broken } }: { screen: Screen }) {
  if (broken.length > 0) return <Verdict of="disagrees" words="broken" />;
  if (origin === 'derived') return <span className="soft">the entity</span>;
  return <Tag>{origin === 'defined' ? 'defined' : 'overridden'}</Tag>;
}
/** A screen with its route as `id`, which the list components require. */
export type ListedScreen = Screen & { id: string };
