import type { SessionRow } from '../../../../contract/admin.ts';
import { Button } from '../../../ui/button.tsx';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { signInMethodText } from './sign-in-method-text.ts';

export const whoOf = (session: SessionRow): string => session.email ?? session.user_id;

/** Returns the columns of the sessions: member, client, location, start. */
export const sessionColumns = (
  revoke: (id: string) => void,
  revoking: string | null,
): readonly RowColumn<SessionRow>[] => [
  { name: 'User', width: 200, cell: whoOf },
  { name: 'Client', width: 116, cell: (session) => session.device },
  { name: 'Address', width: 124, cell: ({ ip }) => (ip ? <code>{ip}</code> : <span className="soft">–</span>) },
  { name: 'Method', width: 124, cell: signInMethodText },
  { name: 'Started', width: 116, cell: (session) => <TimeAgo iso={session.created_at} /> },
  {
    name: 'Refreshed',
    width: 116,
    cell: ({ refreshed_at }) => (
      <FlashOnChange value={refreshed_at ?? ''}>
        <TimeAgo iso={refreshed_at} />
      </FlashOnChange>
    ),
  },
  { name: 'AAL', width: 60, cell: ({ aal }) => aal.replace(/^aal/, '') },
  {
    name: 'Revoke',
    width: 96,
    bare: true,
    cell: (session) => (
      <Button
        small
        kind="quiet"
        aria-label={`Revoke the session of ${whoOf(session)} with ${session.device}`}
        busy={revoking === session.id && 'Revoking'}
        onClick={(event) => {
          event.stopPropagation();
          revoke(session.id);
        }}
      >
        Revoke
      </Button>
    ),
  },
];
