import { cellCondition, cellFailure } from '../../../../contract/cell-condition.ts';
import { partsOfCell } from '../../../../contract/cell-words.ts';
import type { RoleCell } from '../../../../contract/specification-roles.ts';
import type { Conditions } from './conditions.ts';

/** The parts of a cell that its text depends on: of rows, functions or files. */
export type ShownCell = Pick<RoleCell, 'role' | 'verdict' | 'words' | 'reason' | 'code'> &
  Partial<Pick<RoleCell, 'columns'>>;

/** Returns what a cell allows, in Markdown: `always`, `–`, `if [1], 3 of 9 fields`. */
export function cellText(cell: ShownCell | undefined, conditions: Conditions): string {
  if (!cell) return '–';
  if (cell.verdict === 'never') {
    const code = cellFailure(cell);
    return code === null ? '–' : `– (${code})`;
  }
  if (cell.verdict === 'always') return 'always';
  return limitsText(cell, conditions).join(', ');
}

/** Returns the limits of a cell with the verdict `when`, each with its conjunction. */
export function limitsText({ words, reason }: Pick<ShownCell, 'words' | 'reason'>, conditions: Conditions): string[] {
  const { condition, fields, errors } = partsOfCell(words);
  const said = cellCondition(condition);
  const limits = [
    ...(condition === ''
      ? []
      : [said.startsWith('when ') ? `if ${conditions.mention(condition)}` : conditions.mention(said)]),
    ...(fields === '' ? [] : [fields]),
    ...(errors === '' ? [] : [`unless ${conditions.mention(errors.replace(/^unless /, ''))}`]),
  ];
  return limits.length > 0 ? limits : [`not always: ${conditions.mention(reason)}`];
}
