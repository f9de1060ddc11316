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

/** The languages whose messages are loaded when they are used. English is part of the pages. */
const loaders: Readonly<Partial<Record<Language, () => Promise<Messages>>>> = {
  de: () => import('../../language/de.ts').then(({ de }) => de),
  ar: () => import('../../language/ar.ts').then(({ ar }) => ar),
};

export const isLanguage = (tag: unknown): tag is Language =>
  typeof tag === 'string' && Object.hasOwn(languageNames, tag);

/** Returns the language that the member chose on this device; null without one. */
export function chosenLanguage(): Language | null {
  const stored = attempt(() => localStorage.getItem(KEY));
  return isLanguage(stored) ? stored : null;
}

/** Stores the language for this device. Null means the language of the browser. */
export function chooseLanguage(language: Language | null): void {
  attempt(() => (language === null ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, language)));
}

/**
 * Changes to the language that the member stored in the account, unless one is chosen on this device. The page is loaded
 * again.
 */
export function followAccount({ locale }: Readonly<Record<string, unknown>>): void {
  if (chosenLanguage() !== null || !isLanguage(locale) || locale === currentLanguage()) return;
  chooseLanguage(locale);
  // Without storage, the page would be loaded again and again.
  if (chosenLanguage() === locale) location.reload();
}

/** Returns the first language of the browser that the pages have; English without one. */
const browserLanguage = (tags: readonly string[]): Language =>
  tags.map((tag) => tag.split('-')[0]?.toLowerCase()).find(isLanguage) ?? 'en';

/** Loads the messages of the member's language, and sets language and direction of the page. */
export async function loadLanguage(): Promise<void> {
  const language = chosenLanguage() ?? browserLanguage(navigator.languages);
  const messages = await loaders[language]?.();
  if (messages) setLanguage(language, messages);
  document.documentElement.lang = language;
  document.documentElement.dir = currentDirection();
}

/** Runs `work`; returns null if the browser refuses to store. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
