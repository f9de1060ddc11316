/** Matches a name of the schema in a sentence, with the brackets of a call, but no part of a path or an address. */
const NAME = /(?<![\w./@-])(?:[a-z]\w*\.)?([a-z]\w*_\w*)(?:\(\))?(?![\w/@-]|\.\w)/gi;

/**
 * Returns a sentence for members. Names of the schema are no words of a member's language, so their underscores become
 * blanks: "Choose one of free_times." becomes "Choose one of free times." Pure.
 */
export const plainWords = (sentence: string): string =>
  sentence.replaceAll(NAME, (_, name: string) => name.replaceAll(/^_+|_+$/g, '').replaceAll('_', ' '));
