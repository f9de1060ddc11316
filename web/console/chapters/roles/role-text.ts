import { type ConditionTree, NEW_ROW, partsOfCell, readCondition } from '../../../../contract/cell-words.ts';
import type { Operation, RoleCell, RoleEntry } from '../../../../contract/specification-roles.ts';
import { counted, listed, shortId } from '../../format/format.ts';

/** The parts of a cell of chapter 6, or of a cell on files, that its sentence depends on. */
export type SentenceCell = Pick<RoleCell, 'entity' | 'operation' | 'verdict' | 'words' | 'reason'> &
  Partial<Pick<RoleCell, 'columns'>>;

/**
 * Describes a cell in one sentence that states who may do what, with which fields, under which condition, and what may
 * still refuse it: "A signed-in member may read a row of tickets if its customer is that member." Pure.
 * @param of What the operation applies to: by default the rows of the cell's entity.
 */
export function cellSentence(
  cell: SentenceCell,
  role: Pick<RoleEntry, 'name' | 'member_role' | 'bypasses_row_level_security'>,
  of: Target = rowsOf(cell.entity),
): string {
  const { operation, verdict, words, reason } = cell;
  const who = callerWords(role);
  if (verdict === 'never') {
    const what = operation === 'execute' ? shortId(cell.entity) : of.any;
    return `${who} may not ${verbOf(operation, of)} ${what}${reason === '' ? '' : `: ${reason}`}.`;
  }
  const { condition, errors } = partsOfCell(words);
  const limits = [
    ...(verdict === 'when' && words === '' ? [`, with this limit: ${reason}`] : []),
    ...(condition === '' ? [] : [conditionClause(condition)]),
    ...(errors === '' ? [] : [`, ${errorClause(errors)}`]),
  ];
  return `${who} may ${actionWords(cell, of, condition !== '')}${limits.join('')}.`;
}

/** The rows that an operation applies to, in words. */
interface Target {
  /** "a row of tickets" */
  one: string;
  /** "every row of tickets" */
  every: string;
  /** "rows of tickets" */
  any: string;
  /** Verbs in place of the usual ones. */
  verbs?: Partial<Record<Operation, string>>;
}

const rowsOf = (entity: string): Target => ({
  one: `a row of ${shortId(entity)}`,
  every: `every row of ${shortId(entity)}`,
  any: `rows of ${shortId(entity)}`,
});

/** Returns the words for the files of a bucket. */
export const filesOf = (bucket: string): Target => ({
  one: `a file of the bucket ${bucket}`,
  every: `every file of the bucket ${bucket}`,
  any: `files of the bucket ${bucket}`,
  verbs: { insert: 'upload', update: 'replace or move' },
});

const verbs: Readonly<Record<Operation, string>> = {
  select: 'read',
  insert: 'add',
  update: 'change',
  delete: 'delete',
  execute: 'call',
};

/** Returns the callers of a role as the subject of a sentence. */
function callerWords({
  name,
  member_role,
  bypasses_row_level_security,
}: Pick<RoleEntry, 'name' | 'member_role' | 'bypasses_row_level_security'>): string {
  if (member_role !== null) return `A member with the role ${member_role}`;
  if (name === 'anon') return 'A visitor without a session';
  if (name === 'authenticated') return 'A signed-in member';
  if (name === 'service_role' && bypasses_row_level_security) return 'A program with the secret key';
  return `A caller with the database role ${name}`;
}

function actionWords({ entity, operation, columns }: SentenceCell, of: Target, isLimited: boolean): string {
  if (operation === 'execute') return `call ${shortId(entity)}`;
  const fields = columns == null ? null : `the ${columns.length === 1 ? 'field' : 'fields'} ${listed(columns)}`;
  const rows = isLimited ? of.one : of.every;
  if (operation === 'insert') {
    const added = isLimited ? of.one : of.any;
    return `${verbOf(operation, of)} ${added}${fields === null ? '' : ` and set ${fields} in it`}`;
  }
  return `${verbOf(operation, of)} ${fields === null || operation === 'delete' ? '' : `${fields} of `}${rows}`;
}

const verbOf = (operation: Operation, { verbs: own }: Target): string => own?.[operation] ?? verbs[operation];

/** Returns a condition as a clause that follows the action: " if customer is that member, or …". */
function conditionClause(condition: string): string {
  if (/^(as|only|with|without) /.test(condition)) return `, ${condition.replace(/^as far as/, 'but only as far as')}`;
  if (condition.startsWith('filters on ')) return `, with ${condition}`;
  const [before = '', after] = condition.split(NEW_ROW).map((part) => readable(readCondition(part)));
  return after === undefined ? ` if ${before}` : ` if ${before}, and if for the new row ${after}`;
}

/** Writes the words of a condition on a known caller as a full sentence does: "customer is the caller". */
export const conditionSentence = (words: string): string =>
  readable(readCondition(words)).replace(/\bth(at|is) member\b/g, 'the caller');

/** Writes a condition as a full sentence does, without brackets. */
function readable(tree: ConditionTree, isInside = false): string {
  if (tree.kind === 'single') return readableWords(tree.words);
  const words = tree.items.map((item) => readable(item, true));
  if (tree.kind === 'and') return words.join(' and ');
  const isLong = tree.items.some(({ kind }) => kind === 'and');
  return `${isInside ? 'either ' : ''}${words.join(isLong ? ', or ' : ' or ')}`;
}

/** Names the caller and the row in a condition as a sentence does. */
const readableWords = (words: string): string =>
  words
    .replace(/\bown row \(by ([^()]*)\)/g, '$1 is that member')
    .replace(/^not (\w+)$/, '$1 is false')
    .replace(/^(?!signed)(\w+)$/, '$1 is true')
    .replace(/\bthe member has role /g, 'the member has the role ')
    .replace(/\bthat the member\b/g, 'that this member')
    .replace(/\bthe member\b/g, 'that member');

/** Returns what may still refuse the call: "unless the trigger a raises “…” (HD001), or the trigger b raises …". */
const errorClause = (errors: string): string => errors.replace(/, unless /g, ', or ');

/** Describes a role in a few words: the number of its members, or the callers that have it. */
export const shortRoleWords = ({ meaning, member_role, figures }: RoleEntry): string =>
  figures ? counted(figures.members, 'member') : member_role === null ? meaning : 'a role of members';

/** Describes a role and the number of its members: “2 members · Answers tickets.” */
export const roleWords = ({ meaning, figures }: RoleEntry): string =>
  figures ? `${counted(figures.members, 'member')} · ${meaning}` : meaning;
