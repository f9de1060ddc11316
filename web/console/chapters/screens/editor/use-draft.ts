import type { LabelTexts } from '../../../../../contract/description.ts';
import type { Definition, MenuDefinition, PageDefinition, ScreenDefinition } from './definitions.ts';
import { type Draft, withLabel } from './draft.ts';
import { type Steps, useSteps } from './use-steps.ts';

/** The draft in the editor, and the functions that change it. Each change is a step that can be undone. */
export interface DraftState extends Pick<Steps<Draft>, 'undo' | 'redo'> {
  readonly draft: Draft;
  /** Changes the screen or page. */
  readonly set: (part: Partial<ScreenDefinition> | Partial<PageDefinition>, typed?: string) => void;
  readonly setLabel: (language: string, key: string, part: Partial<LabelTexts>) => void;
  readonly setMenus: (menus: readonly MenuDefinition[]) => void;
}

export function useDraft(initial: Draft): DraftState {
  const { now, change, undo, redo } = useSteps(initial);
  return {
    ...{ draft: now, undo, redo },
    set: (part, typed) => change((draft) => ({ ...draft, item: { ...draft.item, ...part } as Definition }), typed),
    setLabel: (language, key, part) =>
      change(
        (draft) => ({ ...draft, labels: withLabel(draft.labels, language, key, part) }),
        `${language} ${key} ${Object.keys(part).join()}`,
      ),
    setMenus: (menus) => change((draft) => ({ ...draft, menus })),
  };
}
