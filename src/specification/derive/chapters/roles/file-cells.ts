import { type BucketEntry, type FileOperation, fileOperations } from '../../../../../contract/specification-files.ts';
import type { FileCell } from '../../../../../contract/specification-roles.ts';
import { Access } from '../../../../access/access.ts';
import type { ChapterRole } from '../../../../access/calling-roles.ts';
import { always, type Decision, denied } from '../../../../access/decision.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { RowOperation } from '../../../../access/operations.ts';
import type { RelationFact } from '../../../../catalog/entities.ts';
import { fileTables } from '../files.ts';
import { decisionWords } from './condition-words.ts';
import { inBucket, rowOf } from './in-bucket.ts';

/**
 * The statements on storage.objects that an operation needs. An upload that replaces is an INSERT with ON CONFLICT, and
 * the decision about UPDATE includes that the caller sees the row.
 */
export const statementsOf: Readonly<Record<FileOperation, readonly RowOperation[]>> = {
  read: ['select'],
  list: ['select'],
  upload: ['insert'],
  replace: ['insert', 'update'],
  move: ['update'],
  delete: ['delete'],
};

/**
 * Decides what each role may do with the files of each bucket. The policies on storage.objects decide, as for rows; in
 * the words of a cell, the bucket is known.
 */
export function fileCells(look: Lookup, buckets: readonly BucketEntry[]): FileCell[] {
  const tables = fileTables(look, look.facts);
  if (!tables) return [];
  const decisions = new TableDecisions(look, tables.objects);
  return buckets.flatMap((bucket) =>
    fileOperations.flatMap((operation) =>
      look.shared.roles.map((role) => cell(role, bucket, operation, decisions.of(role, operation))),
    ),
  );
}

/** The decisions about storage.objects as a whole. */
class TableDecisions {
  readonly #access: Access;
  readonly #objects: RelationFact;
  readonly #made = new Map<string, Decision>();

  constructor(look: Lookup, objects: RelationFact) {
    this.#access = new Access(look);
    this.#objects = objects;
  }

  of(role: ChapterRole, operation: FileOperation): Decision[] {
    return statementsOf[operation].map((statement) => {
      const key = `${role.name} ${statement}`;
      const made =
        this.#made.get(key) ??
        (role.barred === null ? this.#access.decide(role.caller, this.#objects, statement) : denied(role.barred));
      this.#made.set(key, made);
      return made;
    });
  }
}

function cell(
  role: ChapterRole,
  bucket: BucketEntry,
  operation: FileOperation,
  ofTable: readonly Decision[],
): FileCell {
  const row = rowOf(bucket.id);
  const decisions = ofTable.map((decision, i) => {
    const statement = statementsOf[operation][i] ?? 'select';
    return inBucket(decision, row, statement === 'insert');
  });
  const decision =
    operation === 'read' && bucket.public
      ? always('everybody may read the files of a public bucket')
      : joined(decisions);
  const verdict = decision.verdict === 'always' && decision.errors.length > 0 ? 'when' : decision.verdict;
  return {
    role: role.name,
    bucket: bucket.id,
    operation,
    verdict,
    words: verdict === 'when' ? decisionWords(decision) : '',
    reason: decision.reason,
    policies: decision.policies,
  };
}

/** Returns the decision about an operation that needs several statements. */
function joined(decisions: readonly Decision[]): Decision {
  const refused = decisions.find(({ verdict }) => verdict === 'never');
  const [first, ...more] = decisions;
  if (refused || !first || more.length === 0) return refused ?? first ?? always('');
  const names = new Set(decisions.flatMap(({ policies }) => policies));
  return {
    ...first,
    verdict: decisions.some(({ verdict }) => verdict === 'when') ? 'when' : 'always',
    conditions: uniqueConditions(decisions),
    errors: decisions.flatMap(({ errors }) => errors),
    reason: [...new Set(decisions.map(({ reason }) => reason))].join('; '),
    policies: [...names],
  };
}

/** Returns the conditions of all decisions without those whose words repeat. */
function uniqueConditions(decisions: readonly Decision[]): Decision['conditions'] {
  const found = new Map<string, Decision['conditions'][number]>();
  for (const decision of decisions) {
    for (const condition of decision.conditions) {
      const words = decisionWords({ ...decision, conditions: [condition], errors: [] });
      if (!found.has(words)) found.set(words, condition);
    }
  }
  return [...found.values()];
}
