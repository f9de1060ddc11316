import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { AppSummary } from '../../../contract/admin.ts';
import { errors } from '../../../contract/errors.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Figure } from '../../ui/figure.tsx';
import { AsOf, PageHeader } from '../../ui/page-header.tsx';
import { dateTime, listed } from '../format/format.ts';
import { Page } from '../layout/page.tsx';
import { QueryFailure } from '../layout/query-failure.tsx';
import { appList, appSizes } from '../queries/apps.ts';
import { nodeStatus } from '../queries/node.ts';
import { builder } from '../queries/session.ts';
import { CloneApp, MakeApp } from './app-form.tsx';
import { AppTable } from './app-table.tsx';
import { DeleteAppDialog } from './delete-app-dialog.tsx';
import { nodeSentence } from './node-sentence.ts';

/** Page with every app of the node, on which a builder opens, creates, clones and deletes apps. */
export function AppsPage() {
  const apps = useQuery(appList());
  const sizes = useQuery(appSizes());
  const status = useQuery(nodeStatus());
  const { make = false } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<{ kind: 'clone' | 'delete'; ref: string } | null>(null);
  const setMake = (on: boolean) => void navigate({ to: '/', search: on ? { make: true } : {}, replace: true });
  const close = () => setDialog(null);
  const none = apps.data?.length === 0;
  return (
    <Page crumbs={[{ text: 'Apps' }]} question="Which apps run here?" fetching={apps.isLoading}>
      <PageHeader name={`Node ${location.host}`} question="Which apps run here?">
        {apps.data && status.data ? (
          <>
            {nodeSentence(apps.data, sizes.data, status.data, Date.now())}{' '}
            <AsOf at={apps.dataUpdatedAt} live={!apps.isError} />
          </>
        ) : (
          // The line has its place from the beginning, so that what follows does not move under the pointer.
          (apps.isError && 'Currently unavailable.') || '\u00a0'
        )}
      </PageHeader>
      <QueryFailure query={apps} />
      {apps.data && <NotServed apps={apps.data} />}
      <SecondFactorDue />
      {none ? (
        <Empty title="Create your first app">
          <p>
            An app is one PostgreSQL database with its own keys, members and rules. It is ready in less than a second.
          </p>
          <Button kind="first" icon={IconPlus} onClick={() => setMake(true)}>
            Create app
          </Button>
        </Empty>
      ) : (
        <Figure
          number="Apps"
          tools={
            <Button kind="first" icon={IconPlus} onClick={() => setMake(true)}>
              Create app
            </Button>
          }
        >
          <AppTable
            apps={apps.data}
            sizes={sizes.data}
            stale={apps.isError}
            onClone={(ref) => setDialog({ kind: 'clone', ref })}
            onDelete={(ref) => setDialog({ kind: 'delete', ref })}
          />
        </Figure>
      )}
      {make && <MakeApp onClose={() => setMake(false)} />}
      {dialog?.kind === 'clone' && <CloneApp from={dialog.ref} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteAppDialog appRef={dialog.ref} onClose={close} />}
    </Page>
  );
}

/** Shows the time from which the node requires a second factor of this builder, who has none yet. */
function SecondFactorDue() {
  const due = useQuery(builder()).data?.second_factor_due;
  if (!due) return null;
  return (
    <p>
      This node requires a second factor from {dateTime(due)}. <Link to="/account">Add one to your account</Link> to
      keep your access after that.
    </p>
  );
}

/**
 * Lists the apps that are not served because their databases refused an update of Ninefold's schema. Says where the
 * builder finds the error.
 */
function NotServed({ apps }: { apps: readonly AppSummary[] }) {
  const refs = apps.filter(({ outdated }) => outdated).map(({ ref }) => ref);
  if (refs.length === 0) return null;
  const { status, meaning } = errors.app_outdated;
  return (
    <Failure
      facts={{
        code: 'app_outdated',
        status,
        message: `${listed(refs)} ${refs.length === 1 ? 'is' : 'are'} not served.`,
        meaning,
        action: 'Open the app. Its pages show the failed step and the error.',
        requestId: null,
      }}
    />
  );
}
