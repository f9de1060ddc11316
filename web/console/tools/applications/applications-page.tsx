import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { type RowColumn, RowTable } from '../../../ui/row-table.tsx';
import { Sheet, SheetFoot, SheetWords } from '../../../ui/sheet.tsx';
import { counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { Page } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { type Application, applications } from '../../queries/applications.ts';
import { connection } from '../../queries/apps.ts';
import { appSettings } from '../../queries/settings.ts';
import { appTeam } from '../../queries/team.ts';
import { SettingsFrame, settingsCrumbs } from '../settings/settings-frame.tsx';
import { ApplicationPanel } from './application-panel.tsx';
import { RegisterDialog } from './register-dialog.tsx';

type Row = Application & { readonly id: string };

const columns: readonly RowColumn<Row>[] = [
  { name: 'Name', width: 200, cell: ({ client_name: name }) => name ?? <span className="soft">no name</span> },
  { name: 'Type', width: 110, cell: ({ client_type: type }) => type },
  { name: 'Members', width: 90, cell: ({ grants }) => grants },
  { name: 'Registered', width: 130, cell: ({ created_at: made }) => <TimeAgo iso={made} /> },
  { name: 'Redirect addresses', width: 320, cell: ({ redirect_uris: uris }) => uris.join(', ') },
];

/** Page on which a builder registers, changes and deletes the applications that sign members in with the app. */
export function ApplicationsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/applications' });
  const settings = useQuery(appSettings(ref));
  const isProvider = settings.data?.get('oauth_server_enabled')?.value === true;
  const list = useQuery({ ...applications(ref), enabled: isProvider });
  const team = useQuery(appTeam(ref));
  const app = useQuery(connection(ref));
  const [chosen, setChosen] = useState<string | null>(null);
  const [isRegistering, setIsRegistering] = useState(false);
  const readOnly = team.data && team.data.own_role !== 'reader' ? null : 'Developers of the app change applications.';
  const rows = list.data?.map((application): Row => ({ ...application, id: application.client_id }));
  const selected = rows?.find(({ id }) => id === chosen);
  const failed = settings.error ?? list.error;
  return (
    <Page
      bare
      appRef={ref}
      crumbs={settingsCrumbs(ref, 'Applications')}
      fetching={settings.isLoading || list.isLoading}
      panel={
        selected && (
          <ApplicationPanel
            key={selected.id}
            appRef={ref}
            application={selected}
            issuer={app.data ? `${app.data.origin ?? app.data.url}/auth/v1` : ''}
            readOnly={readOnly}
            onClose={() => setChosen(null)}
          />
        )
      }
    >
      <SettingsFrame appRef={ref}>
        {settings.data && !isProvider ? (
          <Sheet title="Applications" foot={<SheetFoot shown="No application can sign members in" />}>
            <SheetWords>
              <Empty title="The app is not an OpenID provider">
                <p>
                  Switch on{' '}
                  <Link to="/app/$ref/sign-in-methods" params={{ ref }} hash="applications">
                    OpenID provider
                  </Link>{' '}
                  to let other applications sign members in.
                </p>
              </Empty>
            </SheetWords>
          </Sheet>
        ) : (
          <Sheet
            title="Applications"
            tools={
              <Button small offBecause={readOnly} onClick={() => setIsRegistering(true)}>
                Register application
              </Button>
            }
            notice={failed && <Failure facts={failureFacts(failed)} onRetry={() => void list.refetch()} />}
            foot={
              <SheetFoot
                shown={rows ? counted(rows.length, 'application') : 'Counting'}
                remark="Members sign in to these applications with their account of the app, and can revoke each on their account page."
              />
            }
          >
            <RowTable<Row>
              label="Applications"
              columns={columns}
              rows={rows}
              total={rows?.length ?? -1}
              selected={chosen}
              stale={list.isError}
              onOpen={({ id }) => setChosen(id)}
            />
          </Sheet>
        )}
      </SettingsFrame>
      {isRegistering && <RegisterDialog appRef={ref} onClose={() => setIsRegistering(false)} />}
    </Page>
  );
}
