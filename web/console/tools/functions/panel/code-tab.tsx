import { NativeSelect, TextInput } from '@mantine/core';
import { IconFilePlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import {
  type BundleFault,
  type EdgeFunction,
  type FunctionSources,
  VERSION_NOTE_CHARACTERS,
} from '../../../../../contract/functions.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Kbd } from '../../../../ui/kbd.tsx';
import { code } from '../../../../ui/recovery/code.ts';
import { caps } from '../../../../ui/shortcuts/bindings.ts';
import { isMac } from '../../../../ui/shortcuts/keyboard.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { counted } from '../../../format/format.ts';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { bundleFaults, deployFunction, functionSources } from '../../../queries/functions.ts';
import { activeVersion } from '../function-words.ts';
import styles from '../functions.module.css';
import { AddFileDialog } from './add-file-dialog.tsx';
import { type CodeDraft, draftedFiles, editedVersion, languageOf, pathsOf, placeOf, withFile } from './code-draft.ts';

const SourceEditor = lazy(code(() => import('./source-editor.tsx').then((all) => ({ default: all.SourceEditor }))));

interface CodeTabProps {
  appRef: string;
  selected: EdgeFunction;
  draft: CodeDraft | undefined;
  onDraft: (draft: CodeDraft | undefined) => void;
}

/** Reads the code of the version that runs, and shows it in an editor that deploys. */
export function CodeTab(props: CodeTabProps) {
  const { appRef, selected, draft } = props;
  const base = draft?.base ?? editedVersion(selected);
  const query = useQuery(functionSources(appRef, selected.name, base));
  return (
    <>
      <QueryFailure query={query} />
      {query.isPending && <Skeleton width={220} />}
      {query.data && <CodeEditor {...props} base={base} sources={query.data} />}
    </>
  );
}

type CodeProps = CodeTabProps & { base: number; sources: FunctionSources };

/** Returns the files with the changes of the builder, and what changes, deploys and discards them. */
function useDeployment({ appRef, selected, draft, base, sources, onDraft }: CodeProps) {
  const [note, setNote] = useState('');
  // Identifies the text of the editor. Discarded changes make it another one.
  const [discards, setDiscards] = useState(0);
  const deploying = useMutation(deployFunction(appRef));
  const { error } = deploying;
  const faults = useMemo(() => bundleFaults(error), [error]);
  const files = draftedFiles(sources.files, draft);
  const deploy = () => {
    if (draft === undefined || deploying.isPending) return;
    const { import_map: map, entrypoint } = sources;
    deploying.mutate(
      {
        name: selected.name,
        ...{ files, entrypoint, verify_jwt: selected.verify_jwt },
        ...(map !== null && Object.hasOwn(files, map) && { import_map: map }),
        ...(note.trim() !== '' && { message: note.trim() }),
      },
      {
        onSuccess: () => {
          onDraft(undefined);
          setNote('');
        },
      },
    );
  };
  const discard = () => {
    onDraft(undefined);
    deploying.reset();
    setDiscards(discards + 1);
  };
  const change = (file: string, text: string | null) =>
    onDraft(withFile(sources.files, draft ?? { base, files: {} }, file, text));
  return { files, faults, note, setNote, change, deploy, discard, revision: `${base} ${discards}`, deploying };
}

/** The files of a version with the changes of the builder. A deployment that fails shows its faults, and changes nothing. */
function CodeEditor(props: CodeProps) {
  const { selected, sources } = props;
  const [chosen, setChosen] = useState<string | null>(null);
  const [goTo, setGoTo] = useState<{ line: number } | null>(null);
  const deployment = useDeployment(props);
  const { files, faults, change, deploy, revision, deploying } = deployment;
  const path = chosen !== null && Object.hasOwn(files, chosen) ? chosen : sources.entrypoint;
  const faultsOfFile = useMemo(
    () => faults.flatMap(({ file, line, message }) => (file === path && line !== null ? [{ line, message }] : [])),
    [faults, path],
  );
  const show = (file: string, line: number | null) => {
    setChosen(file);
    setGoTo(line === null ? null : { line });
  };
  return (
    <div className={styles.code}>
      <FileBar
        {...{ files, path }}
        entrypoint={sources.entrypoint}
        onChoose={(file) => show(file, null)}
        onChange={change}
      />
      <div className={styles.editor}>
        <Suspense fallback={<Skeleton width={220} />}>
          <SourceEditor
            key={path}
            {...{ revision, goTo }}
            text={files[path] ?? ''}
            language={languageOf(path)}
            label={path}
            faults={faultsOfFile}
            onChange={(text) => change(path, text)}
            onDeploy={deploy}
          />
        </Suspense>
      </div>
      {deploying.error && (
        <Faults
          error={deploying.error}
          faults={faults}
          runs={activeVersion(selected)?.number ?? null}
          isOwn={(file) => Object.hasOwn(files, file)}
          onGo={show}
        />
      )}
      <DeployBar {...props} deployment={deployment} />
    </div>
  );
}

/** The note about the change, and what deploys or discards it. */
function DeployBar({
  selected,
  draft,
  base,
  deployment: { note, setNote, deploy, discard, deploying },
}: CodeProps & { deployment: ReturnType<typeof useDeployment> }) {
  return (
    <>
      <TextInput
        label="Note about the change"
        placeholder="attach the PDF"
        maxLength={VERSION_NOTE_CHARACTERS}
        autoComplete="off"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <div className="buttons">
        <Button
          kind="first"
          offBecause={draft === undefined ? 'Nothing is changed.' : null}
          busy={deploying.isPending && 'Deploying'}
          onClick={deploy}
        >
          Deploy
        </Button>
        {draft !== undefined && <Button onClick={discard}>Discard changes</Button>}
        <Kbd keys={caps('mod+s', isMac)} />
        <span role="status" className="soft">
          {stateWords(selected, draft, base, deploying.isSuccess)}
        </span>
      </div>
    </>
  );
}

/** Describes which version the code belongs to. Pure. */
function stateWords(one: EdgeFunction, draft: CodeDraft | undefined, base: number, isDeployed: boolean): string {
  const current = editedVersion(one);
  if (draft === undefined) return isDeployed ? `Version ${base} runs.` : `Code of version ${base}.`;
  const changed = `${counted(Object.keys(draft.files).length, 'file')} changed since version ${base}`;
  return current === base ? `${changed}.` : `${changed}. Version ${current} runs, and a deployment replaces it.`;
}

/** Chooses a file, adds one, and deletes one. */
function FileBar({
  files,
  path,
  entrypoint,
  onChoose,
  onChange,
}: {
  files: FunctionSources['files'];
  path: string;
  entrypoint: string;
  onChoose: (path: string) => void;
  onChange: (path: string, text: string | null) => void;
}) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <div className={styles.fileBar}>
      <NativeSelect
        aria-label="File"
        data={pathsOf(files, entrypoint)}
        value={path}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
      <Button kind="quiet" square icon={IconFilePlus} label="Add file" onClick={() => setIsAdding(true)} />
      <Button
        kind="quiet"
        square
        icon={IconTrash}
        label={`Delete ${path}`}
        offBecause={path === entrypoint ? 'The function begins with this file.' : null}
        onClick={() => onChange(path, null)}
      />
      {isAdding && (
        <AddFileDialog
          files={files}
          onAdd={(file) => {
            onChange(file, '');
            onChoose(file);
            setIsAdding(false);
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
    </div>
  );
}

/** The faults of a deployment, each with its place, which a click shows in the editor. Another error is shown as it is. */
function Faults({
  error,
  faults,
  runs,
  isOwn,
  onGo,
}: {
  error: Error;
  faults: readonly BundleFault[];
  /** Number of the version that still runs; null for none. */
  runs: number | null;
  /** Returns true if the editor has the file. */
  isOwn: (file: string) => boolean;
  onGo: (file: string, line: number) => void;
}) {
  if (faults.length === 0) return <FailureNote facts={failureFacts(error)} />;
  return (
    <div className={styles.faults} role="alert">
      <b>
        Not deployed: {counted(faults.length, 'fault')}. {runs !== null && `Version ${runs} still runs.`}
      </b>
      <ul>
        {faults.map((fault) => {
          const { file, line, message } = fault;
          const place = placeOf(fault);
          return (
            <li key={`${place} ${message}`}>
              {place !== null &&
                (file !== null && line !== null && isOwn(file) ? (
                  <button type="button" className={styles.place} onClick={() => onGo(file, line)}>
                    {place}
                  </button>
                ) : (
                  <code>{place}</code>
                ))}
              <span>{message}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
