import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { NodeTeam } from '../../../contract/team.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ScrollFrame } from '../../ui/scroll-frame.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { counted } from '../format/format.ts';
import { Page } from '../layout/page.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import { nodeTeam } from '../queries/team.ts';
import { SettingsPageBody, SettingsSection } from '../tools/settings/settings-frame.tsx';
import { Invitations } from '../tools/team/invitations.tsx';
import { InviteDialog } from '../tools/team/invite-dialog.tsx';
import { NodeBuilders } from './node-builders.tsx';
import { SecondFactorRule } from './second-factor-rule.tsx';

/** Page of the node's builders for its owners: roles, invitations, and whether builders need a second factor. */
export function BuildersPage() {
  const { data: team, error, isLoading, refetch } = useQuery(nodeTeam());
  const [inviting, setInviting] = useState(false);
  return (
    <Page bare crumbs={[{ text: 'Builders' }]} fetching={isLoading}>
      <SettingsPageBody title="Builders" sentence={team ? sentenceOf(team) : 'Builders of this node.'} draft={null}>
        {error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} />}
        <SettingsSection
          id="builders"
          title="Builders"
          tools={
            <Button small onClick={() => setInviting(true)}>
              Invite builder
            </Button>
          }
        >
          <ScrollFrame>{team ? <NodeBuilders team={team} /> : <Skeleton width={220} />}</ScrollFrame>
        </SettingsSection>
        {team && (
          <>
            <SettingsSection id="invitations" title="Invitations">
              <ScrollFrame>
                <Invitations of={null} invitations={team.invitations} />
              </ScrollFrame>
            </SettingsSection>
            <SettingsSection id="rules" title="Rules">
              <SecondFactorRule team={team} />
            </SettingsSection>
          </>
        )}
      </SettingsPageBody>
      {inviting && <InviteDialog of={null} onClose={() => setInviting(false)} />}
    </Page>
  );
}

function sentenceOf({ builders }: NodeTeam): string {
  const without = builders.filter((one) => !one.has_second_factor).length;
  const can = `${counted(builders.length, 'builder')} can sign in to this node.`;
  return without === 0 ? can : `${can} ${without} ${without === 1 ? 'has' : 'have'} no second factor.`;
}
