import {
  currentDirection,
  currentLanguage,
  type Language,
  languageNames,
  type Messages,
  setLanguage,
} from '../../language/messages.ts';

/** Storage key of the language that a member chose on this device. */
const KEY = 'ninefold-language';

/** Loads the messages of a language. They are a file of their own, so that a page loads only one language. */
const loaders: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: () => import('../../language/en.ts').then(({ en }) => en),
  de: () => import('../../language/de.ts').then(({ de }) => de),
  ar: () => import('../../language/ar.ts').then(({ ar }) => ar),
};

export const isLanguage = (tag: unknown): tag is Language =>
  typeof tag === 'string' && Object.hasOwn(languageNames, tag);

/** Returns the language that the member chose on this device; null if the member chose none. */
export function chosenLanguage(): Language | null {
  const stored = attempt(() => localStorage.getItem(KEY));
  return isLanguage(stored) ? stored : null;
}

/** Returns the time zone of this device. */
export const timeZoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';

/** Stores the language of the pages on this device. Null means the language of the browser. */
export function chooseLanguage(language: Language | null): void {
  attempt(() => (language === null ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, language)));
}

/**
 * Changes to the language that the member's account stores, unless another language was chosen on this device. Then
 * loads the page again.
 */
export function followAccount({ locale }: Readonly<Record<string, unknown>>): void {
  if (chosenLanguage() !== null || !isLanguage(locale) || locale === currentLanguage()) return;
  chooseLanguage(locale);
  // If the browser stores nothing, the page is not loaded again, because it would be loaded without end.
  if (chosenLanguage() === locale) location.reload();
}

/** Returns the first language of the browser that the pages have; English if they have none of them. */
const browserLanguage = (tags: readonly string[]): Language =>
  tags.map((tag) => tag.split('-')[0]?.toLowerCase()).find(isLanguage) ?? 'en';

/** Loads the messages of the member's language, and sets language and direction of the page. */
export async function loadLanguage(): Promise<void> {
  const language = chosenLanguage() ?? browserLanguage(navigator.languages);
  setLanguage(language, await loaders[language]());
  document.documentElement.lang = language;
  document.documentElement.dir = currentDirection();
}

/** Runs `work`. Returns null if the browser refuses access to its storage. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
