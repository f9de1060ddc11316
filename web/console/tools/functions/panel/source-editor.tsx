import CodeMirror, { EditorView, keymap, Prec } from '@uiw/react-codemirror';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { Language } from '../../../../ui/highlight.ts';
import editorStyles from '../../sql/editor/editor.module.css';
import { highlighting } from '../../sql/editor/highlighting.ts';
import { type LineFault, showFaults, shownFaults } from './fault-marks.ts';

const setup = { syntaxHighlighting: false, foldGutter: false, highlightActiveLine: false, searchKeymap: true };

/**
 * Editor of one file, in its own chunk. Ctrl or Cmd and S deploys. Tab indents; Esc and then Tab leaves the editor
 * (WCAG 2.1.2). The editor owns the text: `text` is read only with another `revision`, because it arrives
 * one render late. Another file needs another editor.
 */
export function SourceEditor({
  text,
  revision,
  language,
  label,
  faults,
  goTo,
  onChange,
  onDeploy,
}: {
  text: string;
  /** Identifies the text. If it changes, the editor shows `text`, which its undo reverts. */
  revision: string;
  language: Language;
  label: string;
  faults: readonly LineFault[];
  /** The line to show, counted from 1. A new object shows the line again. */
  goTo: { readonly line: number } | null;
  onChange: (text: string) => void;
  onDeploy: () => void;
}) {
  const [initial] = useState(text);
  const [view, setView] = useState<EditorView | null>(null);
  const handlers = useRef({ onChange, onDeploy });
  useEffect(() => {
    handlers.current = { onChange, onDeploy };
  });
  const extensions = useMemo(
    () => extensionsOf({ language, label, deploy: () => handlers.current.onDeploy() }),
    [language, label],
  );
  const replace = useEffectEvent(() => {
    if (view && view.state.doc.toString() !== text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    }
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: Only another revision replaces the text; the builder's own edits do not.
  useEffect(() => {
    replace();
  }, [revision]);
  useEffect(() => {
    view?.dispatch({ effects: showFaults.of(faults) });
  }, [view, faults]);
  useEffect(() => {
    if (!view || !goTo) return;
    const { from } = view.state.doc.line(Math.max(1, Math.min(goTo.line, view.state.doc.lines)));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    view.focus();
  }, [view, goTo]);
  const changed = useMemo(() => (now: string) => handlers.current.onChange(now), []);
  return (
    <CodeMirror
      className={editorStyles.editor ?? ''}
      value={initial}
      height="100%"
      theme="none"
      basicSetup={setup}
      extensions={extensions}
      onCreateEditor={setView}
      onChange={changed}
    />
  );
}

const extensionsOf = ({ language, label, deploy }: { language: Language; label: string; deploy: () => void }) => [
  highlighting(language),
  shownFaults,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': `${label}. Escape, then Tab leaves the editor.` }),
  Prec.highest(
    keymap.of([
      {
        key: 'Mod-s',
        run: () => {
          deploy();
          return true;
        },
      },
    ]),
  ),
];
