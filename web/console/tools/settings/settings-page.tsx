import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { DeleteAppDialog } from '../../apps/delete-app-dialog.tsx';
import { counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { useAppName } from '../../layout/use-app-name.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { connection } from '../../queries/apps.ts';
import { type AppSettings, appSettings } from '../../queries/settings.ts';
import { RevokeAllDialog } from '../sessions/revoke-dialogs.tsx';
import { useDraft } from './draft.ts';
import { KeysSection, LimitsSection } from './glance-sections.tsx';
import { LookRows } from './look-rows.tsx';
import { NameRow } from './name-row.tsx';
import { RedirectCheckRow } from './redirect-check-row.tsx';
import { SettingRows } from './setting-rows.tsx';
import { sections } from './setting-words.ts';
import styles from './settings.module.css';
import { SettingsFrame, SettingsPageBody, SettingsSection } from './settings-frame.tsx';
import { SiteSection } from './site-section.tsx';

/** Page of an app's addresses and data API, and of the actions that cannot be undone. */
export function SettingsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/settings' });
  const { data, error, refetch, isFetching, isLoading } = useQuery(appSettings(ref));
  return (
    <Page bare appRef={ref} crumbs={[{ text: 'Settings' }]} fetching={isLoading}>
      <SettingsFrame appRef={ref} ready={data !== undefined}>
        {data ? (
          <Sections key={ref} appRef={ref} settings={data} />
        ) : (
          error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />
        )}
      </SettingsFrame>
    </Page>
  );
}

function Sections({ appRef, settings }: { appRef: string; settings: AppSettings }) {
  const draft = useDraft(appRef, settings);
  const name = useAppName(appRef);
  const app = useQuery(connection(appRef));
  const changed = [...settings.values()].filter(({ is_set }) => is_set).length;
  return (
    <SettingsPageBody
      title="Settings"
      sentence={
        changed === 0
          ? 'Every setting is at its default.'
          : `${counted(changed, 'setting')} of ${settings.size} ${changed === 1 ? 'is' : 'are'} not at the default.`
      }
      draft={draft}
    >
      <SettingsSection id="general" title="General">
        <NameRow appRef={appRef} name={name} />
        <div className={styles.row}>
          <div>
            <b>Ref</b>
            <p>The name in addresses. It cannot be changed.</p>
          </div>
          <code>{appRef}</code>
        </div>
        {app.data?.origin && (
          <div className={styles.row}>
            <div>
              <b>Pages for members</b>
              <p>Members sign up, sign in and look after their account there.</p>
            </div>
            <a href={`${app.data.origin}/`} target="_blank" rel="noreferrer">
              {app.data.origin}
            </a>
          </div>
        )}
      </SettingsSection>
      <SettingsSection id="look" title="Look" aside="of the pages for members">
        <LookRows appRef={appRef} name={name} />
      </SettingsSection>
      <SettingsSection id="addresses" title="Addresses">
        <SettingRows draft={draft} keys={sections.addresses} />
        <RedirectCheckRow appRef={appRef} draft={draft} />
      </SettingsSection>
      <SiteSection appRef={appRef} />
      <SettingsSection id="data-api" title="Data API" aside="the settings of PostgREST">
        <SettingRows draft={draft} keys={sections.dataApi} />
      </SettingsSection>
      <SettingsSection id="records" title="Records">
        <SettingRows draft={draft} keys={sections.audit} />
      </SettingsSection>
      <KeysSection appRef={appRef} />
      <LimitsSection appRef={appRef} />
      <DangerZone appRef={appRef} />
    </SettingsPageBody>
  );
}

/** Section of the actions that cannot be undone. */
function DangerZone({ appRef }: { appRef: string }) {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'sessions' | 'delete' | null>(null);
  const [ended, setEnded] = useState<number | null>(null);
  return (
    <SettingsSection id="danger-zone" title="Danger zone" aside="owners only" isDanger>
      <div className={styles.row}>
        <div>
          <b>End all sessions</b>
          <p role="status">
            {ended === null ? 'Every member is signed out within a second.' : `${counted(ended, 'session')} ended.`}
          </p>
        </div>
        <div>
          <Button kind="danger" onClick={() => setDialog('sessions')}>
            End all sessions
          </Button>
        </div>
      </div>
      <div className={styles.row}>
        <div>
          <b>Delete</b>
          <p>Deletes the app with its tables and rows, its members and their sessions, and its keys.</p>
        </div>
        <div>
          <Button kind="danger" onClick={() => setDialog('delete')}>
            Delete app
          </Button>
        </div>
      </div>
      {dialog === 'sessions' && (
        <RevokeAllDialog
          appRef={appRef}
          onDone={(count) => {
            setEnded(count);
            setDialog(null);
          }}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'delete' && (
        <DeleteAppDialog appRef={appRef} onClose={() => setDialog(null)} onDeleted={() => void navigate({ to: '/' })} />
      )}
    </SettingsSection>
  );
}
