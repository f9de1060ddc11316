import type { AccessOperation } from '../../../contract/access.ts';
import type { TablePrivilege } from '../../access/operations.ts';
import { type PolicyCheck, policyChecks } from '../../access/row-security.ts';
import type { SqlName } from '../../catalog/schema-cache.ts';
import { filterColumns } from '../plan/function-call.ts';
import type { MutatePlan, ReadNode, ReadPlan } from '../plan/plan.ts';
import { columnsNeeded } from '../plan/returning.ts';

/** A privilege that a request needs on a relation. */
export interface Need {
  readonly privilege: TablePrivilege;
  /** The columns on which the request needs the privilege; `*` for all columns, empty if any one column is enough. */
  readonly columns: readonly string[];
  /** The purpose of the privilege in words. */
  readonly purpose: string;
}

/** The privileges and policies that a statement needs on its relation. */
export interface Needs {
  readonly operation: Exclude<AccessOperation, 'execute'>;
  readonly privileges: readonly Need[];
  /**
   * Reason why a write must also pass the policies for SELECT, because it reads columns (rewrite/rowsecurity.c); null
   * if it need not.
   */
  readonly reads: string | null;
}

/** Returns the privileges and policies that the statement of a plan needs. */
export function needsOf(plan: ReadPlan | MutatePlan): Needs {
  if (plan.kind === 'read') {
    const columns = withAll(columnsNeeded(plan.read, []), filterColumns(plan.read.where));
    return { operation: 'select', privileges: [{ privilege: 'SELECT', columns, purpose: 'to read' }], reads: null };
  }
  const { mutation, onConflict, returning } = plan;
  const privileges: Need[] = [];
  const add = (privilege: TablePrivilege, columns: readonly string[], purpose: string): void => {
    privileges.push({ privilege, columns, purpose });
  };
  const given = plan.columns.map((column) => column.name);
  const arbiters = onConflict?.columns ?? [];
  let reads: string | null = null;
  switch (mutation) {
    case 'insert':
    case 'upsert-one':
      add('INSERT', given, 'to insert');
      if (arbiters.length > 0) {
        add('SELECT', arbiters, 'to find rows in conflict');
        reads = 'because the call looks for rows in conflict';
        if (onConflict?.resolution === 'merge-duplicates' && given.length > 0) {
          add('UPDATE', given, 'to change rows in conflict');
          add('SELECT', given, 'to take values over into rows in conflict');
        }
      }
      break;
    case 'update':
      // Without columns to set, the UPDATE only reads, so it needs no UPDATE privilege.
      if (given.length > 0) add('UPDATE', given, 'to change');
      else add('SELECT', [], 'to read');
      break;
    case 'delete':
      add('DELETE', [], 'to delete');
      break;
  }
  // Only the filters of an UPDATE or a DELETE read the table. The filters of a PUT are compared with the body instead.
  if ((mutation === 'update' || mutation === 'delete') && plan.where.length > 0) {
    add('SELECT', [...new Set(filterColumns(plan.where))], 'for the filters');
    reads = 'because the call filters';
  }
  if (returning.length > 0) {
    add('SELECT', returning, 'to give rows back');
    reads = 'because the call gives rows back';
  }
  const inserts = mutation === 'insert' || mutation === 'upsert-one';
  const operation = inserts ? (arbiters.length > 0 ? 'upsert' : 'insert') : mutation;
  return { operation, privileges, reads };
}

const withAll = (columns: readonly string[], others: readonly string[]): readonly string[] =>
  columns.includes('*') ? columns : [...new Set([...columns, ...others])].sort();

/** A privilege on an embedded relation or its junction. */
export interface EmbeddedNeed {
  readonly relation: SqlName;
  readonly need: Need;
}

/** Returns the privileges for all embedded relations at any depth, except results of functions. */
export function embeddedNeeds(read: ReadNode): EmbeddedNeed[] {
  return read.children.flatMap((child): EmbeddedNeed[] => {
    const relationship = child.embedding?.relationship;
    const deeper = embeddedNeeds(child);
    if (!relationship || relationship.kind === 'computed') return deeper;
    const need = (columns: readonly string[]): Need => ({ privilege: 'SELECT', columns, purpose: 'to embed' });
    const isJoined = relationship.kind === 'many-to-many';
    const linked = isJoined
      ? relationship.targetColumns.map(([own]) => own)
      : relationship.columns.map(([, own]) => own);
    const columns = withAll(columnsNeeded(child, []), [...filterColumns(child.where), ...linked]);
    const junction = isJoined
      ? [
          {
            relation: relationship.junction,
            need: need([...relationship.sourceColumns, ...relationship.targetColumns].map(([, own]) => own)),
          },
        ]
      : [];
    return [...junction, { relation: child.relation, need: need(columns) }, ...deeper];
  });
}

/** A set of policies that PostgreSQL evaluates for a row. */
export interface Asked extends PolicyCheck {
  readonly because: string | null;
}

/** Returns the policies in the order in which PostgreSQL evaluates them. */
export function policiesAsked({ operation, reads }: Needs): Asked[] {
  const own = operation === 'upsert' ? 'insert' : operation;
  return policyChecks(own, reads !== null).map((check) => ({
    ...check,
    because: check.command === own ? null : reads,
  }));
}
