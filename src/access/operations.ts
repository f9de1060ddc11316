/** The operations of statements on rows, in the order of the matrix. */
export const operations = ['select', 'insert', 'update', 'delete'] as const;

export type RowOperation = (typeof operations)[number];
export type WriteOperation = Exclude<RowOperation, 'select'>;

/** A privilege on a table that the data API uses. */
export type TablePrivilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** The privilege that each operation needs on the relation. */
export const privilegeOf: Readonly<Record<RowOperation, TablePrivilege>> = {
  select: 'SELECT',
  insert: 'INSERT',
  update: 'UPDATE',
  delete: 'DELETE',
};

/** Bits of the result of pg_relation_is_updatable(). */
export const writeBit = { update: 4, insert: 8, delete: 16 } as const;

/** Bits of the column pg_trigger.tgtype. */
export const triggerBit = { row: 1, before: 2, insert: 4, delete: 8, update: 16, instead: 64 } as const;

/**
 * Returns the operation of a foreign key on the rows that reference a deleted or changed row; null for none.
 * @param operation The operation on the referenced row.
 * @param action pg_constraint.confdeltype or confupdtype.
 */
export function cascade(operation: 'update' | 'delete', action: string): 'update' | 'delete' | null {
  if (action === 'c') return operation;
  return action === 'n' || action === 'd' ? 'update' : null;
}
