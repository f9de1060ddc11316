import { cellCondition } from '../../../../contract/cell-condition.ts';
import type { RoleCell } from '../../../../contract/specification-roles.ts';

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
