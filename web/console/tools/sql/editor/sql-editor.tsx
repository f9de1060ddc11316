import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql';
import CodeMirror, { EditorView, keymap, Prec, type ReactCodeMirrorRef } from '@uiw/react-codemirror';
import { type Ref, type RefObject, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { shortType } from '../../../values/field-kind.ts';
import styles from './editor.module.css';
import { markError, markedError, takeFix } from './error-mark.ts';
import { highlighting } from './highlighting.ts';
import type { MarkedError } from './position.ts';

export interface SqlEditorHandle {
  focus: () => void;
  /** Replaces the text of the editor and calls `onChange`. The editor's undo restores the previous text. */
  write: (text: string) => void;
  /** Replaces the selection, or inserts at the cursor. */
  insert: (text: string) => void;
  /** Returns the SQL to run: the selection, or the complete text. `offset` is its start in the complete `text`. */
  toRun: () => { sql: string; offset: number; text: string };
}

const setup = { syntaxHighlighting: false, foldGutter: false, highlightActiveLine: false, searchKeymap: true };

/**
 * Editor of the SQL page, in its own chunk. Ctrl or Cmd and Enter runs the SQL; Alt and Enter applies the fix of an
 * error. Tab indents; Esc and then Tab leaves the editor (WCAG 2.1.2). The editor owns the text: `initial` is the first
 * text, and `write` replaces the text later. If the text were a property, it would arrive one render late and overwrite
 * what was typed in between. `onChange` must be memoised, because the editor is created again for another function and
 * then loses a selection that was not read yet.
 */
export function SqlEditor({
  initial,
  entities,
  error,
  onChange,
  onRun,
  ref,
}: {
  initial: string;
  entities: readonly Entity[] | undefined;
  error: MarkedError | null;
  onChange: (value: string) => void;
  onRun: () => void;
  ref?: Ref<SqlEditorHandle>;
}) {
  const editor = useRef<ReactCodeMirrorRef>(null);
  const [text, setText] = useState(initial);
  const run = useRef(onRun);
  useEffect(() => {
    run.current = onRun;
  }, [onRun]);

  const extensions = useMemo(
    () => [
      sql({ dialect: PostgreSQL, schema: completionsOf(entities ?? []), defaultSchema: 'public' }),
      highlighting('sql'),
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

  useImperativeHandle(ref, () => handleOf(editor, setText));

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
      value={text}
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

/** Returns the functions that the page uses to control the editor. `onInitial` changes the first text before the editor exists. */
const handleOf = (
  editor: RefObject<ReactCodeMirrorRef | null>,
  onInitial: (text: string) => void,
): SqlEditorHandle => ({
  focus: () => editor.current?.view?.focus(),
  write: (insert) => {
    const view = editor.current?.view;
    if (!view) onInitial(insert);
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, selection: { anchor: insert.length } });
  },
  insert: (text) => {
    const view = editor.current?.view;
    view?.dispatch(view.state.replaceSelection(text));
    view?.focus();
  },
  toRun: () => {
    const state = editor.current?.view?.state;
    if (!state) return { sql: '', offset: 0, text: '' };
    const text = state.doc.toString();
    const { from, to } = state.selection.main;
    return from === to ? { sql: text, offset: 0, text } : { sql: text.slice(from, to), offset: from, text };
  },
});

/** Returns the suggestions of the editor: schemas, their tables and views, and their fields with types. */
function completionsOf(entities: readonly Entity[]): SQLNamespace {
  const schemas: Record<string, Record<string, SQLNamespace>> = {};
  for (const { schema, name, kind, fields } of entities) {
    schemas[schema] ??= {};
    schemas[schema][name] = {
      self: { label: name, type: 'type', detail: kind },
      children: fields.map((field) => ({ label: field.name, type: 'property', detail: shortType(field.type) })),
    };
  }
  return schemas;
}
