import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Builder } from '../../../contract/admin.ts';
import type { NodeRoleRequest, NodeTeam } from '../../../contract/team.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Table, TableHead } from '../../ui/table.tsx';
import { ConfirmByTyping } from '../forms/confirm-by-typing.tsx';
import { failureFacts, needsProof } from '../queries/api-failure.ts';
import { changeNodeRole, removeBuilder } from '../queries/team.ts';
import { appsInWords, BuilderName, SecondFactorWord, Seen } from '../tools/team/builder-cells.tsx';
import { RecoverDialog } from '../tools/team/recover-dialog.tsx';

/** The roles that a builder can have on the node, by label. */
const rights: Readonly<Record<string, NodeRoleRequest>> = {
  owner: { role: 'owner', creates_apps: true },
  'creates apps': { role: 'member', creates_apps: true },
  'own apps only': { role: 'member', creates_apps: false },
};

const rightsOf = ({ is_owner, creates_apps }: Builder): string =>
  is_owner ? 'owner' : creates_apps ? 'creates apps' : 'own apps only';

const LAST_OWNER = 'A node needs an owner. Make another builder an owner first.';

/** Table of the node's builders with their roles. */
export function NodeBuilders({ team: { builders, own_id: ownId } }: { team: NodeTeam }) {
  const changing = useMutation(changeNodeRole());
  const [going, setGoing] = useState<Builder | null>(null);
  const [locked, setLocked] = useState<Builder | null>(null);
  const owners = builders.filter(({ is_owner }) => is_owner);
  return (
    <>
      <Table label="Builders">
        <TableHead names={['Builder', 'On the node', 'Second factor', 'Apps', 'Seen']} bare="Change" />
        <tbody>
          {builders.map((one) => {
            const isLast = one.is_owner && owners.length === 1;
            return (
              <tr key={one.id}>
                <td>
                  <BuilderName name={one.name} email={one.email} isOwn={one.id === ownId} />
                </td>
                <td>
                  <NativeSelect
                    size="xs"
                    aria-label={`Rights of ${one.email}`}
                    data={Object.keys(rights)}
                    disabled={isLast}
                    {...(isLast && { title: LAST_OWNER })}
                    value={rightsOf(one)}
                    onChange={({ currentTarget: { value } }) => {
                      const chosen = rights[value];
                      if (chosen) changing.mutate({ id: one.id, ...chosen });
                    }}
                  />
                </td>
                <td>
                  <SecondFactorWord has={one.has_second_factor} />
                </td>
                <td>{appsInWords(one.is_owner, one.apps)}</td>
                <td>
                  <Seen at={one.last_seen_at} />
                </td>
                <td className="num">
                  <Button
                    small
                    kind="quiet"
                    offBecause={one.id === ownId ? 'Your account is on the page Your account.' : null}
                    aria-label={`Recover ${one.email}`}
                    onClick={() => setLocked(one)}
                  >
                    Recover
                  </Button>
                  <Button
                    small
                    kind="quiet"
                    offBecause={isLast ? LAST_OWNER : null}
                    aria-label={`Remove ${one.email}`}
                    onClick={() => setGoing(one)}
                  >
                    Remove
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {changing.error && !needsProof(changing.error) && <FailureNote facts={failureFacts(changing.error)} />}
      {locked && (
        <RecoverDialog
          name={locked.name}
          email={locked.email}
          hasSecondFactor={locked.has_second_factor}
          onClose={() => setLocked(null)}
        />
      )}
      {going && <RemoveDialog builder={going} onClose={() => setGoing(null)} />}
    </>
  );
}

/** Asks before a builder is removed from the node. */
function RemoveDialog({ builder, onClose }: { builder: Builder; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation(removeBuilder(null));
  return (
    <ConfirmByTyping
      title="Remove builder"
      name={builder.email}
      verb={['Remove', 'Removing']}
      pending={isPending}
      error={needsProof(error) ? null : error}
      onConfirm={() => mutate(builder.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      The account of {builder.name} is deleted with every role, and the sessions of {builder.email} end. The apps stay.
    </ConfirmByTyping>
  );
}
