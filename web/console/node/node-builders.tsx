import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Builder } from '../../../contract/admin.ts';
import type { NodeRoleRequest, NodeTeam } from '../../../contract/team.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Table, TableHead } from '../../ui/table.tsx';
import { failureFacts, needsProof } from '../data/api-failure.ts';
import { changeNodeRole, removeBuilder } from '../data/team.ts';
import { ConfirmByTyping } from '../forms/confirm-by-typing.tsx';
import { appsInWords, BuilderName, SecondFactorWord, Seen } from '../tools/team/builder-cells.tsx';

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
  const removing = useMutation(removeBuilder(null));
  const [going, setGoing] = useState<Builder | null>(null);
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
      {going && (
        <ConfirmByTyping
          title="Remove builder"
          name={going.email}
          verb={['Remove', 'Removing']}
          pending={removing.isPending}
          error={needsProof(removing.error) ? null : removing.error}
          onConfirm={() => removing.mutate(going.id, { onSuccess: () => setGoing(null) })}
          onClose={() => setGoing(null)}
        >
          The account of {going.name} is deleted with every role, and the sessions of {going.email} end. The apps stay.
        </ConfirmByTyping>
      )}
    </>
  );
}
