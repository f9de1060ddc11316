import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation, NodeInvitation } from '../../../../contract/team.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Table, TableHead } from '../../../ui/table.tsx';
import { dateTime } from '../../format/format.ts';
import { failureFacts, needsProof } from '../../queries/api-failure.ts';
import { inviteBuilder, type TeamOf, withdrawInvitation } from '../../queries/team.ts';
import { LinkDialog } from './link-dialog.tsx';

/** Lists the open invitations to an app or to the node, with buttons that create a new link or revoke the invitation. */
export function Invitations({
  of,
  invitations,
}: {
  of: TeamOf;
  invitations: readonly (Invitation | NodeInvitation)[];
}) {
  const renewing = useMutation(inviteBuilder(of));
  const withdrawing = useMutation(withdrawInvitation(of));
  const [renewed, setRenewed] = useState<string | null>(null);
  const failed = renewing.error ?? withdrawing.error;
  if (invitations.length === 0)
    return <p className="soft">No open invitations. Invite a builder to see the invitation here.</p>;
  return (
    <>
      <Table label="Invitations">
        <TableHead names={['E-mail', 'Role', 'Invited by', 'Expires']} bare="Change" />
        <tbody>
          {invitations.map(({ id, invited_by, expires_at, ...invited }) => (
            <tr key={id}>
              <td>{invited.email}</td>
              <td>{invited.role}</td>
              <td>{invited_by}</td>
              <td>{dateTime(expires_at)}</td>
              <td className="num">
                <Button
                  small
                  kind="quiet"
                  aria-label={`New link for ${invited.email}`}
                  busy={renewing.isPending && renewing.variables.email === invited.email && 'Creating link'}
                  onClick={() => renewing.mutate(invited, { onSuccess: () => setRenewed(invited.email) })}
                >
                  New link
                </Button>
                <Button
                  small
                  kind="quiet"
                  aria-label={`Revoke the invitation of ${invited.email}`}
                  onClick={() => withdrawing.mutate(id)}
                >
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {failed && !needsProof(failed) && <FailureNote facts={failureFacts(failed)} />}
      {renewed !== null && renewing.data && (
        <LinkDialog title="Invite builder" email={renewed} link={renewing.data} onClose={() => setRenewed(null)} />
      )}
    </>
  );
}
