import type { ChangeCell } from '../../../../contract/specification-roles.ts';

/** Returns who receives the changes of a table in words: "authenticated if own row (by owner); service_role always". Pure. */
export function receiverWords(changes: readonly ChangeCell[] | undefined, entity: string): string {
  const cells = changes?.filter((cell) => cell.entity === entity && cell.verdict !== 'never');
  if (!cells || changes?.every((cell) => cell.entity !== entity))
    return 'each change goes to those who may read the row';
  const words = new Map<string, string[]>();
  for (const cell of cells) {
    const when = cell.verdict === 'always' ? 'always' : cell.words === '' ? 'for some rows' : `if ${cell.words}`;
    words.set(when, [...(words.get(when) ?? []), cell.role]);
  }
  return cells.length === 0
    ? 'nobody may read it, so nobody receives its changes'
    : [...words].map(([when, roles]) => `${roles.join(', ')} ${when}`).join('; ');
}
