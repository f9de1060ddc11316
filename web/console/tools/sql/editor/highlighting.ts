import {
  Decoration,
  type DecorationSet,
  type EditorView,
  RangeSetBuilder,
  ViewPlugin,
  type ViewUpdate,
} from '@uiw/react-codemirror';
import { highlight, type Language } from '../../../../ui/highlight.ts';
import styles from './editor.module.css';

/** Maximum number of characters of a text that is coloured. A longer text is not coloured, so that typing stays fast. */
const coloured = 200_000;

const marks = Object.fromEntries(
  (['keyword', 'string', 'number', 'name', 'note'] as const).map((kind) => [
    kind,
    Decoration.mark({ class: styles[kind] ?? '' }),
  ]),
);

function decorate({ state: { doc } }: EditorView, language: Language): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  if (doc.length > coloured) return builder.finish();
  let at = 0;
  for (const { kind, text } of highlight(doc.toString(), language)) {
    const mark = marks[kind];
    if (mark) builder.add(at, at + text.length, mark);
    at += text.length;
  }
  return builder.finish();
}

/** Returns an extension that colours code in the same way as other code in the console. */
export const highlighting = (language: Language) =>
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = decorate(view, language);
      }

      update({ docChanged, view }: ViewUpdate) {
        if (docChanged) this.decorations = decorate(view, language);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
