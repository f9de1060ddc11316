import { IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EdgeFunction } from '../../../../../contract/functions.ts';
import { Button } from '../../../../ui/button.tsx';
import { CopiedCode } from '../../../../ui/copy-button.tsx';
import { Panel, type PanelSteps, VerdictLine } from '../../../../ui/panel.tsx';
import { Tabs } from '../../../../ui/tabs.tsx';
import { Tag } from '../../../../ui/tag.tsx';
import { counted } from '../../../format/format.ts';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import { deleteFunction } from '../../../queries/functions.ts';
import { activeVersion, callsInWords } from '../function-words.ts';
import styles from '../functions.module.css';
import type { CodeDraft } from './code-draft.ts';
import { CodeTab } from './code-tab.tsx';
import { LogsTab } from './logs-tab.tsx';
import { TryTab } from './try-tab.tsx';
import { VerifySwitch } from './verify-switch.tsx';
import { VersionsTab } from './versions-tab.tsx';

/** The tabs by the names that the address has. */
const tabNames: readonly string[] = ['logs', 'try', 'versions', 'code'];

interface PartsProps {
  appRef: string;
  selected: EdgeFunction;
  /** The reason why the builder cannot change the function; null if the builder can. */
  readOnly: string | null;
  /** The tab that is open; null for the first one. */
  tab: string | null;
  /** Changes of the code that are not deployed; undefined without one. */
  draft: CodeDraft | undefined;
  onTab: (tab: string | null) => void;
  onDraft: (draft: CodeDraft | undefined) => void;
}

/** One function: who may call it, its output, a form that calls it, its versions and its code. */
export function FunctionPanel({
  appRef,
  selected,
  readOnly,
  isReader,
  tab,
  draft,
  onTab,
  onDraft,
  ...steps
}: PartsProps & {
  /** True if the builder may see neither output nor code. */
  isReader: boolean;
} & PanelSteps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const active = activeVersion(selected);
  return (
    <Panel
      tall
      label={`Function ${selected.name}`}
      title={
        <>
          <code>{selected.name}</code>{' '}
          {active ? <span className="soft">v{active.number}</span> : <Tag kind="warn">off</Tag>}
        </>
      }
      tools={
        <Button
          kind="quiet"
          small
          square
          icon={IconTrash}
          label="Delete function"
          offBecause={readOnly}
          onClick={() => setIsDeleting(true)}
        />
      }
      {...steps}
    >
      <VerdictLine>
        {active ? callsInWords(selected) : 'Switched off: its calls are refused with the status 404.'}
      </VerdictLine>
      <p className={styles.address}>
        <CopiedCode text={selected.url} what="the address" />
      </p>
      <VerifySwitch {...{ appRef, selected, readOnly }} />
      {isReader ? (
        <VersionsTab {...{ appRef, selected, readOnly }} />
      ) : (
        <Parts {...{ appRef, selected, readOnly, tab, draft, onTab, onDraft }} />
      )}
      {isDeleting && (
        <DeleteDialog
          appRef={appRef}
          selected={selected}
          onDeleted={steps.onClose}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </Panel>
  );
}

/** The tabs of a builder who may change the function. */
function Parts({ appRef, selected, readOnly, tab, draft, onTab, onDraft }: PartsProps) {
  const tabs = [
    { name: 'Logs', content: <LogsTab appRef={appRef} name={selected.name} /> },
    { name: 'Try it', content: <TryTab appRef={appRef} selected={selected} /> },
    { name: 'Versions', content: <VersionsTab {...{ appRef, selected, readOnly }} /> },
    { name: 'Code', content: <CodeTab {...{ appRef, selected, draft, onDraft }} /> },
  ];
  return (
    <div className={styles.tabs}>
      <Tabs
        label="Parts of the function"
        tabs={tabs}
        initial={Math.max(0, tabNames.indexOf(tab ?? ''))}
        onChoose={(index) => onTab(index === 0 ? null : (tabNames[index] ?? null))}
      />
    </div>
  );
}

function DeleteDialog({
  appRef,
  selected: { name, versions },
  onDeleted,
  onClose,
}: {
  appRef: string;
  selected: EdgeFunction;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(deleteFunction(appRef, name));
  return (
    <ConfirmByTyping
      title="Delete function"
      name={name}
      verb={['Delete function', 'Deleting function']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      This deletes the function with {counted(versions.length, 'version')}. Its calls are refused from then on. Secrets
      remain. You cannot undo this; to refuse calls for a while, switch the function off.
    </ConfirmByTyping>
  );
}
