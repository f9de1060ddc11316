import { Popover, TextInput } from '@mantine/core';
import { IconDeviceFloppy, IconHistory, IconKey, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  type FormEvent,
  lazy,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import { code } from '../../../ui/recovery/code.ts';
import { caps } from '../../../ui/shortcuts/bindings.ts';
import { isMac, useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { phoneOnlyClass, pushClass, Toolbar, Workbench, wideOnlyClass } from '../../../ui/workbench.tsx';
import { Page } from '../../layout/page.tsx';
import { ApiFailure } from '../../queries/api-failure.ts';
import { entityList } from '../../queries/entities.ts';
import { sqlFailureOf } from '../../queries/sql.ts';
import { type MarkedError, markedErrorAt } from './editor/position.ts';
import type { SqlEditorHandle } from './editor/sql-editor.tsx';
import { Results } from './results/results.tsx';
import { SchemaTree, Snippets } from './schema-tree.tsx';
import styles from './sql-page.module.css';
import { StatementList } from './statement-list.tsx';
import { type SqlPageState, titleOf, withoutSaved, withRun, withSaved } from './statements.ts';
import { type Run, useRun } from './use-run.ts';
import { useSqlState } from './use-sql-state.ts';

const editorCode = code(() => import('./editor/sql-editor.tsx'));
const SqlEditor = lazy(async () => ({ default: (await editorCode()).SqlEditor }));

/** Page that runs SQL as the app's owner: the editor, the results, the history and saved statements. */
export function SqlPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/sql' });
  const { sql: given } = useSearch({ from: '/signed-in/app/$ref/sql' });
  const [listed, setListed] = useState(false);
  const editor = useRef<SqlEditorHandle>(null);
  const { kept, keep, open, entities, running, last, run, cancel } = useStatement(ref, given, editor);
  const draft = useCallback((text: string) => keep((before) => ({ ...before, draft: text })), [keep]);

  const error = useMemo(
    () => (last && last.text === kept.draft ? markedErrorOf(last, entities?.map(nameOf) ?? []) : null),
    [last, kept.draft, entities],
  );

  useSqlKeys(run, editor);

  const title = kept.open ?? titleOf(kept.draft);
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'SQL' }, { text: title }]}
      fetching={running !== null}
      bare
      tools={<Owner appRef={ref} />}
    >
      <Workbench
        listFirst={listed}
        list={
          <Lists
            {...{ kept, entities, editor }}
            onOpen={(sql, name) => {
              open(sql, name);
              setListed(false);
              editor.current?.focus();
            }}
            onForget={(name) => keep((before) => withoutSaved(before, name))}
            onInserted={() => setListed(false)}
          />
        }
      >
        <Toolbar title={title}>
          <span className={`${styles.buttons} ${pushClass}`}>
            <span className={phoneOnlyClass}>
              <Button
                small
                square
                kind="quiet"
                icon={IconHistory}
                label="Saved and history"
                onClick={() => setListed(true)}
              />
            </span>
            <Save
              name={kept.open ?? ''}
              offBecause={kept.draft.trim() === '' ? 'There is nothing to save yet.' : null}
              onSave={(name) => keep((before) => withSaved(before, name))}
            />
            <RunButton running={running} isEmpty={kept.draft.trim() === ''} onRun={run} onCancel={cancel} />
          </span>
        </Toolbar>
        <div className={styles.halves}>
          <Suspense fallback={<pre className={styles.waiting}>{kept.draft}</pre>}>
            <SqlEditor
              key={ref}
              ref={editor}
              initial={kept.draft}
              entities={entities}
              error={error}
              onChange={draft}
              onRun={run}
            />
          </Suspense>
          <section className={styles.results} aria-label="Results" aria-busy={running !== null || undefined}>
            <Results run={last} />
          </section>
        </div>
      </Workbench>
    </Page>
  );
}

/** The lists beside the editor: saved statements, the schema, snippets and the history. */
function Lists({
  entities,
  editor,
  onInserted,
  ...list
}: {
  kept: SqlPageState;
  entities: readonly Entity[] | undefined;
  editor: RefObject<SqlEditorHandle | null>;
  onOpen: (sql: string, name: string | null) => void;
  onForget: (name: string) => void;
  onInserted: () => void;
}) {
  return (
    <StatementList {...list}>
      <SchemaTree
        entities={entities}
        onInsert={(text) => {
          onInserted();
          editor.current?.insert(text);
        }}
      />
      <Snippets entities={entities} onOpen={(sql) => list.onOpen(sql, null)} />
    </StatementList>
  );
}

/**
 * Returns the statement of the page, the functions that open and run it, and the last run.
 * @param given Statement in the page's address. It becomes the draft and is then removed from the address.
 */
function useStatement(ref: string, given: string | undefined, editor: RefObject<SqlEditorHandle | null>) {
  const navigate = useNavigate({ from: '/app/$ref/sql' });
  const [kept, keep] = useSqlState(ref);
  const { data: entities } = useQuery(entityList(ref));
  const { running, last, start, cancel } = useRun(ref);

  const open = useCallback(
    (sql: string, name: string | null) => {
      keep((before) => ({ ...before, draft: sql, open: name }));
      editor.current?.write(sql);
    },
    [keep, editor],
  );
  useEffect(() => {
    if (given === undefined) return;
    open(given, null);
    void navigate({ search: {}, replace: true });
  }, [given, open, navigate]);

  const run = useCallback(() => {
    const asked = editor.current?.toRun();
    if (!asked || asked.sql.trim() === '') return;
    void start(asked).then((ending) => {
      if (!ending) return;
      keep((before) => withRun(before, { sql: asked.sql, at: Date.now(), failed: ending.kind !== 'done' }));
    });
  }, [start, keep, editor]);
  return { kept, keep, open, entities, running, last, run, cancel };
}

const nameOf = ({ schema, name }: { schema: string; name: string }): string =>
  schema === 'public' ? name : `${schema}.${name}`;

/** Returns the error of a run for the editor; null if the error has no position in the text. */
function markedErrorOf({ ending, text, offset }: Run, tables: readonly string[]): MarkedError | null {
  if (ending.kind !== 'failed') return null;
  const failure = sqlFailureOf(ending.error);
  const requestId = ending.error instanceof ApiFailure ? ending.error.requestId : null;
  const keys = caps('alt+enter', isMac)[0] ?? '';
  return failure && markedErrorAt(failure, { text, offset, tables, requestId, keys });
}

function useSqlKeys(run: () => void, editor: RefObject<SqlEditorHandle | null>): void {
  useKeys(
    useMemo(
      () => [
        { keys: 'mod+enter', group: 'SQL', does: 'Run the selection, or everything', run, inFields: true },
        { keys: 'alt+enter', group: 'SQL', does: 'Take the suggestion', run: () => editor.current?.focus() },
      ],
      [run, editor],
    ),
  );
}

/** Names the role that statements run as. */
const Owner = ({ appRef }: { appRef: string }) => (
  <>
    Runs as
    <span className={styles.owner}>
      <Icon of={IconKey} small />
      owner of {appRef}
    </span>
  </>
);

/** Runs the statement, or cancels the run. */
function RunButton({
  running,
  isEmpty,
  onRun,
  onCancel,
}: {
  running: { readonly since: number } | null;
  isEmpty: boolean;
  onRun: () => void;
  onCancel: () => void;
}) {
  if (running) {
    return (
      <>
        <Button small icon={IconPlayerStop} onClick={onCancel}>
          Cancel
        </Button>
        <Running since={running.since} />
      </>
    );
  }
  return (
    <Button
      small
      kind="first"
      icon={IconPlayerPlay}
      offBecause={isEmpty ? 'Write a statement first.' : null}
      onClick={onRun}
    >
      Run
      <span className={`${styles.caps} ${wideOnlyClass}`}>
        <Kbd keys={caps('mod+enter', isMac)} />
      </span>
    </Button>
  );
}

/** Shows "Running, 2.4 s". The seconds appear after the first second. */
function Running({ since }: { since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, []);
  const seconds = (now - since) / 1000;
  return (
    <Button small kind="first" busy={seconds >= 1 ? `Running, ${seconds.toFixed(1)} s` : 'Running'}>
      Run
    </Button>
  );
}

/** Saves the statement under a name in this browser. The name appears in the list. */
function Save({
  name,
  offBecause,
  onSave,
}: {
  name: string;
  offBecause: string | null;
  onSave: (name: string) => void;
}) {
  const [opened, setOpened] = useState(false);
  const [draft, setDraft] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim() === '') return;
    onSave(draft.trim());
    setOpened(false);
  };
  return (
    <Popover position="bottom-end" trapFocus returnFocus opened={opened} onChange={setOpened}>
      <Popover.Target>
        <Button
          small
          icon={IconDeviceFloppy}
          offBecause={offBecause}
          onClick={() => {
            setDraft(name);
            setOpened(!opened);
          }}
        >
          Save
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form className={styles.save} onSubmit={submit}>
          <TextInput
            label="Name"
            placeholder="Overdue tickets by agent"
            description="Kept in this browser."
            value={draft}
            maxLength={80}
            onChange={(event) => setDraft(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <Button small kind="first" type="submit">
            Save
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
