import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { appRoles } from '../../../../contract/least-roles.ts';
import type { AppTeam } from '../../../../contract/team.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { Skeleton, Table, TableHead } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { appTeam } from '../../queries/team.ts';
import { SettingsFrame, SettingsPageBody, SettingsSection, settingsCrumbs } from '../settings/settings-frame.tsx';
import { BuilderPanel } from './builder-panel.tsx';
import { BuilderRules } from './builder-rules.tsx';
import { canDo } from './can-do.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import styles from './team.module.css';
import { TeamTable } from './team-table.tsx';

/**
 * Page of an app's builders with their roles, the open invitations, the rules for builders, and what each role may do.
 * The panel shows one builder.
 */
export function TeamPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/team' });
  const { builder: selected } = useSearch({ from: '/signed-in/app/$ref/team' });
  const navigate = useNavigate({ from: '/app/$ref/team' });
  const closePanel = useCallback(() => void navigate({ search: {}, replace: true }), [navigate]);
  const { data: team, error, isLoading, refetch } = useQuery(appTeam(ref));
  const [inviting, setInviting] = useState(false);
  const isOwner = team?.own_role === 'owner';
  return (
    <Page
      bare
      appRef={ref}
      crumbs={settingsCrumbs(ref, 'Team')}
      fetching={isLoading}
      panel={
        selected !== undefined &&
        team && (
          <BuilderPanel
            key={selected}
            appRef={ref}
            builder={team.builders.find(({ id }) => id === selected)}
            isOwner={isOwner}
            ownsNode={
              selected !== team.own_id && team.builders.some(({ id, owns_node }) => id === team.own_id && owns_node)
            }
            onClose={closePanel}
          />
        )
      }
    >
      <SettingsFrame appRef={ref} ready={team !== undefined}>
        <SettingsPageBody title="Team" sentence={team ? sentenceOf(team) : 'Builders of this app.'} draft={null}>
          {error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} />}
          <SettingsSection
            id="builders"
            title="Builders"
            tools={
              <Button
                small
                offBecause={isOwner ? null : 'Owners of the app invite builders.'}
                onClick={() => setInviting(true)}
              >
                Invite builder
              </Button>
            }
          >
            <ScrollFrame>
              {team ? <TeamTable appRef={ref} team={team} selected={selected} /> : <Skeleton width={220} />}
            </ScrollFrame>
          </SettingsSection>
          {isOwner && (
            <SettingsSection id="invitations" title="Invitations">
              <ScrollFrame>
                <Invitations of={ref} invitations={team.invitations} />
              </ScrollFrame>
            </SettingsSection>
          )}
          {team && (
            <SettingsSection id="rules" title="Rules">
              <BuilderRules team={team} />
            </SettingsSection>
          )}
          <SettingsSection id="roles" title="Permissions of the roles">
            <ScrollFrame>
              <RoleTable />
            </ScrollFrame>
          </SettingsSection>
        </SettingsPageBody>
      </SettingsFrame>
      {inviting && <InviteDialog of={ref} onClose={() => setInviting(false)} />}
    </Page>
  );
}

function sentenceOf({ builders }: AppTeam): string {
  const without = builders.filter((one) => one.has_second_factor === false).length;
  const can = `${counted(builders.length, 'builder')} can open this app.`;
  return without === 0 ? can : `${can} ${without} ${without === 1 ? 'has' : 'have'} no second factor.`;
}

/** Table of what each role may do on an app. */
function RoleTable() {
  return (
    <Table label="Permissions of the roles">
      <TableHead names={['Call', ...appRoles]} />
      <tbody>
        {canDo.map(({ words, marks }) => (
          <tr key={words}>
            <th scope="row" className={styles.words}>
              {words}
            </th>
            {appRoles.map((role) => (
              <td key={role}>
                <Verdict of={marks[role]} words={marks[role] === 'when' ? 'in part' : ''} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
