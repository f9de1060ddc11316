import type { User } from '@supabase/supabase-js';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { dateTime, duration } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { banOf, isConfirmed, nameOf, providersOf } from './user-words.ts';

/** The columns of the list of users. */
export const userColumns: readonly RowColumn<User>[] = [
  { name: 'User', width: 236, cell: (user) => nameOf(user) },
  { name: 'Provider', width: 104, wideOnly: true, cell: (user) => providersOf(user).join(', ') || <None /> },
  {
    name: 'Confirmed',
    width: 104,
    wideOnly: true,
    cell: (user) => (isConfirmed(user) ? 'yes' : <Tag>not yet</Tag>),
  },
  { name: 'Banned', width: 132, wideOnly: true, cell: (user) => <Ban user={user} /> },
  { name: 'Last sign-in', width: 124, wideOnly: true, cell: (user) => <TimeAgo iso={user.last_sign_in_at} /> },
  { name: 'Created', width: 124, wideOnly: true, cell: (user) => <TimeAgo iso={user.created_at} /> },
];

/** Second line of a user on a phone. */
export const userLine = (user: User) => (
  <>
    {providersOf(user).join(', ')}
    {isConfirmed(user) ? '' : ' · not confirmed'} · created <TimeAgo iso={user.created_at} />{' '}
    {banOf(user, Date.now()) && <Ban user={user} />}
  </>
);

const None = () => <span className="soft">–</span>;

function Ban({ user }: { user: User }) {
  const ban = banOf(user, Date.now());
  if (!ban) return <None />;
  const left = duration(Date.parse(ban.until) - Date.now());
  return (
    <span title={ban.forGood ? undefined : `until ${dateTime(ban.until)}`}>
      <Tag>{ban.forGood ? 'for good' : `${left} more`}</Tag>
    </span>
  );
}
