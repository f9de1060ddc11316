import { PostgreSQL, sql } from '@codemirror/lang-sql';
import CodeMirror, { EditorView, keymap, Prec, type ReactCodeMirrorRef } from '@uiw/react-codemirror';
import { type Ref, useEffect, useImperativeHandle, useMemo, useRef } from 'react';
import type { Entity } from '../../../../../contract/specification.ts';
import { completionsOf } from './completions.ts';
import styles from './editor.module.css';
import { type MarkedError, markError, markedError, takeFix } from './error-mark.ts';
import { highlighting } from './highlighting.ts';

export interface SqlEditorHandle {
  focus: () => void;
  /** What would be run: the selection, or everything; `offset` is where it begins. */
  toRun: () => { sql: string; offset: number };
}

const setup = { syntaxHighlighting: false, foldGutter: false, highlightActiveLine: false, searchKeymap: true };

/**
 * The editor of the SQL page: a chunk of its own. Ctrl or Cmd and Enter runs, Alt and Enter takes the repair that an
 * error offers. Tab indents; Esc and then Tab leaves (WCAG 2.1.2).
 */
export function SqlEditor({
  value,
  entities,
  error,
  onChange,
  onRun,
  ref,
}: {
  value: string;
  entities: readonly Entity[] | undefined;
  error: MarkedError | null;
  onChange: (value: string) => void;
  onRun: () => void;
  ref?: Ref<SqlEditorHandle>;
}) {
  const editor = useRef<ReactCodeMirrorRef>(null);
  const run = useRef(onRun);
  useEffect(() => {
    run.current = onRun;
  }, [onRun]);

  const extensions = useMemo(
    () => [
      sql({ dialect: PostgreSQL, schema: completionsOf(entities ?? []), defaultSchema: 'public' }),
      highlighting,
      markedError,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'SQL. Escape, then Tab leaves the editor.' }),
      Prec.highest(
        keymap.of([
          {
            key: 'Mod-Enter',
            run: () => {
              run.current();
              return true;
            },
          },
          { key: 'Alt-Enter', run: takeFix },
        ]),
      ),
    ],
    [entities],
  );

  useImperativeHandle(ref, () => ({
    focus: () => editor.current?.view?.focus(),
    toRun: () => {
      const state = editor.current?.view?.state;
      if (!state) return { sql: '', offset: 0 };
      const { from, to } = state.selection.main;
      return from === to ? { sql: state.doc.toString(), offset: 0 } : { sql: state.sliceDoc(from, to), offset: from };
    },
  }));

  useEffect(() => {
    const view = editor.current?.view;
    if (!view) return;
    view.dispatch({
      effects: error
        ? [markError.of(error), EditorView.scrollIntoView(error.place.from, { y: 'nearest', yMargin: 72 })]
        : markError.of(null),
    });
  }, [error]);

  return (
    <CodeMirror
      ref={editor}
      className={styles.editor ?? ''}
      value={value}
      height="100%"
      theme="none"
      basicSetup={setup}
      extensions={extensions}
      autoFocus
      placeholder="select …"
      onChange={onChange}
    />
  );
}
