import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { OptionName } from './faults.ts';
import type { DraftState } from './use-draft.ts';

/** The data that the options of a screen or a page share. */
export interface EditorContext {
  readonly appRef: string;
  readonly state: DraftState;
  readonly entities: readonly Entity[];
  /** True for a screen or page that the app does not have yet. */
  readonly isNew: boolean;
  /** Chapter 2 at the beginning. */
  readonly chapter: ScreensChapter;
  /** Names of the roles of members. */
  readonly roles: readonly string[];
  /** Ids of the functions that members may call, without their arguments. */
  readonly functions: readonly string[];
  /** Tags of the languages that the app has labels in, and of those that the builder added. */
  readonly languages: readonly string[];
  readonly addLanguage: (tag: string) => void;
  /** Returns the reasons why an option is refused or would break the screen. */
  readonly faultsOf: (option: OptionName) => readonly string[];
}

/** Name of a language in English: "German". */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Returns the tags of the languages that the texts of chapter 2 have. Pure. */
export function languagesOf({ labels = {}, pages = [], menus = [] }: ScreensChapter): string[] {
  const texts = [
    ...menus.flatMap(({ groups }) => groups.map(({ titles }) => titles)),
    ...pages.flatMap(({ parts }) =>
      parts.map((part) => (part.kind === 'text' ? part.texts : part.kind === 'buttons' ? undefined : part.titles)),
    ),
  ];
  return [...new Set([...Object.keys(labels), ...texts.flatMap((one) => Object.keys(one ?? {}))])].sort();
}
