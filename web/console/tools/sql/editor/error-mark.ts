import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutterLineClass,
  RangeSet,
  StateEffect,
  StateField,
  WidgetType,
} from '@uiw/react-codemirror';
import type { SqlFailure } from '../../../../../contract/admin.ts';
import styles from './editor.module.css';
import { type Fix, lineAndColumn, type Place } from './position.ts';

/** An error at its position in the editor, with a fix if one is known. */
export interface MarkedError {
  failure: SqlFailure;
  place: Place;
  fix: Fix | null;
  requestId: string | null;
  /** The keys that apply the fix, as they are shown. */
  keys: string;
}

export const markError = StateEffect.define<MarkedError | null>();

/** The visible error; any change of the text removes the error. */
export const markedError = StateField.define<MarkedError | null>({
  create: () => null,
  update: (now, transaction) => {
    for (const effect of transaction.effects) if (effect.is(markError)) return effect.value;
    return transaction.docChanged ? null : now;
  },
  provide: (field) => [
    EditorView.decorations.compute([field], (state) => decorate(state.field(field), state.doc)),
    gutterLineClass.compute([field], (state) => numberOf(state.field(field), state.doc)),
  ],
});

type Doc = EditorView['state']['doc'];

function decorate(error: MarkedError | null, doc: Doc): DecorationSet {
  if (!error || error.place.to > doc.length) return Decoration.none;
  const { from, to } = error.place;
  const line = doc.lineAt(from);
  return Decoration.set(
    [
      Decoration.line({ class: styles.hit ?? '' }).range(line.from),
      ...(to > from ? [Decoration.mark({ class: styles.squiggle ?? '' }).range(from, to)] : []),
      Decoration.widget({ widget: new ErrorWords(error), block: true, side: 1 }).range(line.to),
    ],
    true,
  );
}

class HitNumber extends GutterMarker {
  override elementClass = styles.hitNumber ?? '';
}
const hitNumber = new HitNumber();

/** Returns the gutter marker of the error's line. */
const numberOf = (error: MarkedError | null, doc: Doc): RangeSet<GutterMarker> =>
  error && error.place.to <= doc.length
    ? RangeSet.of([hitNumber.range(doc.lineAt(error.place.from).from)])
    : RangeSet.empty;

/** Applies the fix of the visible error; returns false without a fix. */
export function takeFix(view: EditorView): boolean {
  const error = view.state.field(markedError);
  if (!error?.fix) return false;
  const { from, to, text } = error.fix;
  view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
  view.focus();
  return true;
}

const element = (tag: string, className: string | undefined, ...children: (Node | string)[]): HTMLElement => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
};

/** PostgreSQL's message, in the line below the error. */
class ErrorWords extends WidgetType {
  readonly #error: MarkedError;

  constructor(error: MarkedError) {
    super();
    this.#error = error;
  }

  override eq(other: ErrorWords): boolean {
    return other.#error === this.#error;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { failure, fix, place, requestId, keys } = this.#error;
    const { line, column } = lineAndColumn(view.state.doc.toString(), place.from);
    const words = element(
      'div',
      undefined,
      element('b', styles.code, failure.sqlstate),
      ` ${failure.message}. `,
      element('span', styles.soft, `Line ${line}, column ${column}.`),
    );
    const parts: HTMLElement[] = [words];
    for (const more of [failure.detail, fix ? null : failure.hint])
      if (more) parts.push(element('div', undefined, more));
    const foot = element('div', styles.foot);
    if (fix) {
      const button = element('button', styles.fix, 'Replace', element('kbd', undefined, keys));
      button.setAttribute('type', 'button');
      button.addEventListener('click', () => takeFix(view));
      foot.append(element('span', undefined, 'Did you mean ', element('code', undefined, fix.text), '?'), button);
    }
    if (requestId) foot.append(element('code', styles.soft, requestId));
    parts.push(foot);
    return element('div', styles.error, element('div', styles.errorWords, ...parts));
  }

  override ignoreEvent(): boolean {
    return true;
  }
}
