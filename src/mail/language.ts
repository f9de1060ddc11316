import { limits } from '../../contract/limits.ts';

/** Matches a language tag as members and browsers write it: en, de-AT, zh_Hant. */
const TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,3}$/i;

/** Returns the tags of an Accept-Language header in order of preference. */
function accepted(header: string): string[] {
  return header
    .slice(0, limits.acceptLanguageCharacters.default)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, weight: q === undefined ? 1 : Number(q.slice(2)) };
    })
    .filter(({ tag, weight }) => TAG.test(tag) && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

const normal = (tag: string): string => tag.replaceAll('_', '-').toLowerCase();

/**
 * Returns the available tag that fits a wanted tag best: the same tag, or a tag of the same language; null if there is
 * none.
 */
function match(wanted: string, available: readonly string[]): string | undefined {
  const tag = normal(wanted);
  const base = tag.split('-')[0];
  return (
    available.find((one) => normal(one) === tag) ??
    available.find((one) => normal(one) === base) ??
    available.find((one) => normal(one).split('-')[0] === base)
  );
}

/**
 * Chooses the language of a mail: the locale in the member's metadata, then the request's Accept-Language header, then
 * the setting.
 * @param available Available tags, at least one.
 */
export function chooseLanguage(
  available: readonly string[],
  { locale, acceptLanguage, standard }: { locale: unknown; acceptLanguage: string | null; standard: string },
): string {
  const wanted = [
    ...(typeof locale === 'string' && TAG.test(locale) ? [locale] : []),
    ...accepted(acceptLanguage ?? ''),
    standard,
    'en',
  ];
  for (const tag of wanted) {
    const found = match(tag, available);
    if (found !== undefined) return found;
  }
  return available[0] ?? 'en';
}

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** Returns the text direction of a language. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(normal(language).split('-')[0] ?? '') ? 'rtl' : 'ltr';
