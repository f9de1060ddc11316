import { Link } from '@tanstack/react-router';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { counted } from '../../format/format.ts';

/** Empty state of the sessions. */
export function NoSessions({
  appRef,
  all,
  who,
  search,
  onClear,
  onEverybody,
}: {
  appRef: string;
  /** Number of sessions without the search. */
  all: number;
  who: string | null;
  search: string;
  onClear: () => void;
  onEverybody: () => void;
}) {
  if (all > 0) {
    return (
      <Empty title={`No session matches “${search}”`}>
        <p>{counted(all, 'session does', 'sessions do')} without the search.</p>
        <Button onClick={onClear}>Clear the search</Button>
      </Empty>
    );
  }
  if (who !== null) {
    return (
      <Empty title={`${who} has no active sessions`}>
        <p>A session begins when the user signs in. It ends when the user signs out or you revoke it.</p>
        <Button onClick={onEverybody}>Show all sessions</Button>
      </Empty>
    );
  }
  return (
    <Empty title="No active sessions">
      <p>A session begins when a member signs in. It is listed here until the member signs out or you revoke it.</p>
      <Link to="/app/$ref/users" params={{ ref: appRef }} className={buttonClass()}>
        Users
      </Link>
    </Empty>
  );
}
