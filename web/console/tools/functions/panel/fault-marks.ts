import {
  Decoration,
  type DecorationSet,
  EditorView,
  StateEffect,
  StateField,
  type Text,
  WidgetType,
} from '@uiw/react-codemirror';
import editor from '../../sql/editor/editor.module.css';

/** A fault in a line of the editor, counted from 1. */
export interface LineFault {
  readonly line: number;
  readonly message: string;
}

/** Replaces the faults that the editor shows. */
export const showFaults = StateEffect.define<readonly LineFault[]>();

/** The faults of a deployment, each below its line. They stay at their line while the text changes. */
export const shownFaults = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects, newDoc }) => {
    const shown = effects.findLast((effect) => effect.is(showFaults));
    return shown ? decorate(shown.value, newDoc) : marks.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorate(faults: readonly LineFault[], doc: Text): DecorationSet {
  const marks = faults
    .filter(({ line }) => line >= 1 && line <= doc.lines)
    .flatMap(({ line, message }) => {
      const { from, to } = doc.line(line);
      return [
        Decoration.line({ class: editor.hit ?? '' }).range(from),
        Decoration.widget({ widget: new FaultWords(message), block: true, side: 1 }).range(to),
      ];
    });
  return Decoration.set(marks, true);
}

/** The message of the bundler, in the line below the fault. */
class FaultWords extends WidgetType {
  readonly #message: string;

  constructor(message: string) {
    super();
    this.#message = message;
  }

  override eq(other: FaultWords): boolean {
    return other.#message === this.#message;
  }

  override toDOM(): HTMLElement {
    const words = document.createElement('div');
    words.className = editor.errorWords ?? '';
    words.textContent = this.#message;
    const element = document.createElement('div');
    element.className = editor.error ?? '';
    element.append(words);
    return element;
  }
}
