import type { RoleCell } from '../../../../contract/specification.ts';

/** The verdict of a cell as a sentence: "When own row (user_id is the member).", "Never: no policy lets it through." */
export function verdictSentence({ verdict, words, reason }: Pick<RoleCell, 'verdict' | 'words' | 'reason'>): string {
  switch (verdict) {
    case 'always':
      return 'Always, on every row.';
    case 'when':
      return words === '' ? `Not always: ${reason}.` : `When ${words}.`;
    case 'never':
      return reason === '' ? 'Never.' : `Never: ${reason}.`;
  }
}
