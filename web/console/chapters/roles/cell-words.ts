/** "the member has role lead or the member has role agent": each role after the first repeats the words. */
const roles = /the member has role (\w+)((?: or the member has role \w+)*)/g;

/**
 * The condition of a cell, as short as a cell is narrow: "own, or role agent or lead", "role lead, 3 of 4 fields". What
 * is left out, the fields and tables that a row is judged by, is told in the panel. Pure.
 */
export const cellWords = (words: string): string =>
  words
    .replace(/own row \(by [^()]*\)/g, 'own')
    .replace(roles, (_, first: string, others: string) => {
      const more = others.split(' or the member has role ').slice(1);
      return `role ${[first, ...more].join(', ').replace(/, ([^,]*)$/, ' or $1')}`;
    })
    .replace(/own or role/g, 'own, or role')
    .replace(/^as far as rows of .* can be seen/, 'as its tables allow')
    .replace(/\b\w+ is not the member/g, 'not own');
