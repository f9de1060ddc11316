import { cellCondition } from '../../../../contract/cell-condition.ts';
import type { RoleCell, RoleEntry } from '../../../../contract/specification-roles.ts';
import { counted } from '../../format/format.ts';

/** Describes the verdict of a cell in a sentence: "When own row (by user_id).", "Never: no policy lets it through." */
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

/** Returns the sentence for a verdict "when". Its words are a condition, the number of fields that the grant names, or both. */
function whenSentence(words: string): string {
  const [, condition = '', fields = ''] = /^(.*?)(?:, )?(\d+ of \d+ fields)?$/s.exec(words) ?? [];
  if (condition === '') return `Always, for ${fields}.`;
  const when = cellCondition(condition).replace(/^./, (first) => first.toUpperCase());
  return fields === '' ? `${when}.` : `${when}; for ${fields}.`;
}

/**
 * Shortens the condition of a cell until it fits into the cell: "own, or role agent or lead", "role lead, 3 of 4
 * fields". The panel shows the omitted names of fields and tables. Pure.
 */
export const cellWords = (words: string): string =>
  words
    .replace(/own row \(by [^()]*\)/g, 'own')
    .replaceAll('the member has role ', 'role ')
    .replace(/own or role/g, 'own, or role')
    .replace(/^as far as rows of .* can be seen/, 'as its tables allow')
    .replace(/\b\w+ is not the member/g, 'not own');

/** Describes a role and the number of its members: “2 members · Answers tickets.” */
export const roleWords = ({ meaning, figures }: RoleEntry): string =>
  figures ? `${counted(figures.members, 'member')} · ${meaning}` : meaning;
