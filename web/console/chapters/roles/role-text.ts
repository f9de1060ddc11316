import { cellCondition } from '../../../../contract/cell-condition.ts';
import type { RoleCell, RoleEntry } from '../../../../contract/specification-roles.ts';
import { counted } from '../../format/format.ts';

/** The verdict of a cell as a sentence: "When own row (by user_id).", "Never: no policy lets it through." */
export function verdictSentence({
  operation,
  verdict,
  words,
  reason,
}: Pick<RoleCell, 'operation' | 'verdict' | 'words' | 'reason'>): string {
  switch (verdict) {
    case 'always':
      return operation === 'execute' ? 'Always.' : 'Always, on every row.';
    case 'when':
      return words === '' ? `Not always: ${reason}.` : whenSentence(words);
    case 'never':
      return reason === '' ? 'Never.' : `Never: ${reason}.`;
  }
}

/** A condition may end with, or be, how many of the fields the grant names. */
function whenSentence(words: string): string {
  const [, condition = '', fields = ''] = /^(.*?)(?:, )?(\d+ of \d+ fields)?$/s.exec(words) ?? [];
  if (condition === '') return `Always, for ${fields}.`;
  const when = cellCondition(condition).replace(/^./, (first) => first.toUpperCase());
  return fields === '' ? `${when}.` : `${when}; for ${fields}.`;
}

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

/** What a role means, and how many members have it: “2 members · Answers tickets.” */
export const roleWords = ({ meaning, figures }: RoleEntry): string =>
  figures ? `${counted(figures.members, 'member')} · ${meaning}` : meaning;
