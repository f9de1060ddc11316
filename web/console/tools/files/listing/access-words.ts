import { cellCondition } from '../../../../../contract/cell-condition.ts';
import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import { listed } from '../../../format/format.ts';

const verbs: Readonly<Partial<Record<RoleCell['operation'], string>>> = {
  select: 'read',
  insert: 'add',
  update: 'change',
  delete: 'delete',
};

/**
 * Describes who may do what with the files of a bucket, from the cells of members and of callers without a session.
 * Operations with the same condition are in one sentence. Pure.
 */
export function accessWords(cells: readonly RoleCell[], isPublic: boolean): string {
  const members = sentencesOf(cells, 'authenticated', 'Members');
  const others = sentencesOf(cells, 'anon', 'Without a session, callers');
  const reading = isPublic ? ['Everybody with its address downloads a file.'] : [];
  const none = isPublic
    ? 'No policy lets members add, change or delete files.'
    : 'No policy lets members reach the files. Only the console and the secret key do.';
  return [...reading, ...(members.length + others.length > 0 ? [...members, ...others] : [none])].join(' ');
}

function sentencesOf(cells: readonly RoleCell[], role: string, who: string): string[] {
  const byCondition = new Map<string, string[]>();
  for (const { role: of, operation, verdict, words } of cells) {
    const verb = verbs[operation];
    if (of !== role || verdict === 'never' || verb === undefined) continue;
    const condition = verdict === 'always' ? '' : cellCondition(words);
    byCondition.set(condition, [...(byCondition.get(condition) ?? []), verb]);
  }
  return [...byCondition].map(
    ([condition, does]) => `${who} ${listed(does)} ${condition === '' ? 'every file' : `files ${condition}`}.`,
  );
}
