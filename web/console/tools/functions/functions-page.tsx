import { IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { FunctionsState } from '../../../../contract/functions.ts';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Empty, EmptyChoices } from '../../../ui/empty.tsx';
import { figureLink } from '../../../ui/live-value.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { LoadingRows, Table } from '../../../ui/table.tsx';
import { counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { useSearchParameter } from '../../layout/use-search-parameter.ts';
import { WarningList } from '../../node/warning-list.tsx';
import { functionsState } from '../../queries/functions.ts';
import { appTeam } from '../../queries/team.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { CliDialog, deployCommand } from './dialogs/cli-dialog.tsx';
import { NewFunctionDialog } from './dialogs/new-function-dialog.tsx';
import { FunctionTable } from './function-table.tsx';
import styles from './functions.module.css';
import type { CodeDraft } from './panel/code-draft.ts';
import { FunctionPanel } from './panel/function-panel.tsx';
import { SecretsSection } from './secrets-section.tsx';

/** Page of an app's edge functions: their figures and secrets, and a panel with the output, versions and code of one function. */
export function FunctionsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/functions' });
  const state = useQuery(functionsState(ref));
  const team = useQuery(appTeam(ref));
  const [chosen, choose] = useSearchParameter('function');
  const [tab, setTab] = useSearchParameter('tab');
  const [drafts, setDrafts] = useState<Readonly<Record<string, CodeDraft | undefined>>>({});
  const [dialog, setDialog] = useState<'new' | 'cli' | null>(null);
  const create = useCallback(() => setDialog('new'), []);
  const { data } = state;
  const rows = useMemo(() => data?.functions.map((each) => ({ ...each, id: each.name })), [data]);
  const steps = usePanelSteps(rows, chosen, choose);
  const selected = rows?.find(({ name }) => name === chosen);
  // Until the role is known, the page offers nothing that the server might refuse.
  const isReader = team.data === undefined || team.data.own_role === 'reader';
  const readOnly = isReader ? 'Developers of the app change functions.' : null;
  useKeys(
    useMemo(
      () => (isReader ? [] : [{ keys: 'n', group: 'This page', does: 'New function', run: create }]),
      [isReader, create],
    ),
  );
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'Functions' }]}
      fetching={state.isLoading}
      widePanel={tab === 'code'}
      panel={
        selected && (
          <FunctionPanel
            key={selected.name}
            {...steps}
            {...{ appRef: ref, selected, readOnly, tab }}
            isReader={isReader}
            draft={drafts[selected.name]}
            onTab={setTab}
            onDraft={(draft) => setDrafts((before) => ({ ...before, [selected.name]: draft }))}
          />
        )
      }
    >
      <Head readOnly={readOnly} onCli={() => setDialog('cli')} onCreate={create} />
      <QueryFailure query={state} />
      {data && !data.runs && <WarningList warnings={[functionsOff]}>{() => null}</WarningList>}
      {state.isLoading && <Loading />}
      {data && (
        <Contents
          {...{ appRef: ref, state: data, chosen, isReader }}
          at={state.dataUpdatedAt}
          isLive={!state.isError}
          onChoose={choose}
          onCreate={create}
        />
      )}
      {dialog === 'new' && (
        <NewFunctionDialog
          appRef={ref}
          taken={rows?.map(({ name }) => name) ?? []}
          onCreated={(name) => {
            setDialog(null);
            choose(name);
          }}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'cli' && <CliDialog appRef={ref} onClose={() => setDialog(null)} />}
    </Page>
  );
}

/** The name of the page, and what creates functions. */
const Head = ({ readOnly, onCli, onCreate }: { readOnly: string | null; onCli: () => void; onCreate: () => void }) => (
  <header className={styles.head}>
    <h1>Functions</h1>
    <span className="buttons">
      <Button icon={IconTerminal2} onClick={onCli}>
        Deploy from the CLI
      </Button>
      <Button kind="first" icon={IconPlus} offBecause={readOnly} onClick={onCreate}>
        New function
      </Button>
    </span>
  </header>
);

const Loading = () => (
  <Table label="Functions">
    <tbody>
      <LoadingRows rows={4} widths={[160, 60, 72, 40]} />
    </tbody>
  </Table>
);

const functionsOff = {
  id: 'off',
  isError: false,
  title: 'This node runs no edge functions',
  detail:
    'Versions and secrets are stored, but calls are refused. Set NINEFOLD_FUNCTIONS=on in the environment of the node, and restart it.',
};

/** The sentence, the table of functions, and the secrets. */
function Contents({
  appRef,
  state,
  chosen,
  isReader,
  at,
  isLive,
  onChoose,
  onCreate,
}: {
  appRef: string;
  state: FunctionsState;
  chosen: string | null;
  isReader: boolean;
  at: number;
  isLive: boolean;
  onChoose: (name: string) => void;
  onCreate: () => void;
}) {
  return (
    <>
      {state.functions.length === 0 ? (
        <NoFunctions appRef={appRef} isReader={isReader} onCreate={onCreate} />
      ) : (
        <>
          <Summary {...{ state, at, isLive }} />
          <FunctionTable functions={state.functions} {...{ chosen, onChoose }} isStale={!isLive} />
        </>
      )}
      {!isReader && <SecretsSection appRef={appRef} state={state} />}
    </>
  );
}

const figure = figureLink('functions');

/** The calls of the last 24 hours in a sentence. It names the function with the most failed calls. */
function Summary({ state: { functions }, at, isLive }: { state: FunctionsState; at: number; isLive: boolean }) {
  const all = functions.reduce((sum, { calls }) => sum + calls.count, 0);
  const failed = functions.reduce((sum, { calls }) => sum + calls.failed, 0);
  const worst = functions.toSorted((a, b) => b.calls.failed - a.calls.failed)[0];
  return (
    <p className={styles.summary}>
      {figure(counted(functions.length, 'function'))} {functions.length === 1 ? 'was' : 'were'} called{' '}
      {figure(counted(all, 'time'))} in 24 hours
      {all === 0 && '. '}
      {all > 0 && failed === 0 && '; no call failed. '}
      {failed > 0 && worst && (
        <>
          ; {figure(counted(failed, 'call'), true)} failed
          {functions.length > 1 && (
            <>
              , {worst.calls.failed === failed ? (failed === 1 ? 'in' : 'all in') : `${worst.calls.failed} of them in`}{' '}
              <code>{worst.name}</code>
            </>
          )}
          .{' '}
        </>
      )}
      <AsOf at={at} live={isLive} />
    </p>
  );
}

/** Empty state: says how to deploy the first function. */
const NoFunctions = ({ appRef, isReader, onCreate }: { appRef: string; isReader: boolean; onCreate: () => void }) => (
  <div className={styles.empty}>
    <p className={styles.summary}>
      No functions yet. An edge function answers requests with code of yours, which has the secrets and the database of
      the app.
    </p>
    <EmptyChoices>
      <Empty title="Write one here">
        <p>Begin with a function that says hello, and edit it in the console.</p>
        <Button
          icon={IconPlus}
          offBecause={isReader ? 'Developers of the app change functions.' : null}
          onClick={onCreate}
        >
          New function
        </Button>
      </Empty>
      <Empty title="Deploy a project">
        <p>
          Deploy the functions of a Supabase project as they are. <code>serve</code> in place of <code>deploy</code>{' '}
          deploys at each change.
        </p>
        <Code code={deployCommand(appRef)} language="shell" label="the command" wrap />
      </Empty>
      <Empty title="Call it from the app">
        <p>Clients of supabase-js call a function by its name.</p>
        <Code
          code={`await supabase.functions.invoke('hello', {\n  body: { name: 'Ines' },\n})`}
          language="javascript"
          label="the call in supabase-js"
        />
      </Empty>
    </EmptyChoices>
  </div>
);
