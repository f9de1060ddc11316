import type { Entity } from '../../../../contract/specification-entities.ts';
import type { Operation, RoleCell, RolesChapter, Verdict } from '../../../../contract/specification-roles.ts';

/**
 * A row of the matrix: one operation on one entity or function, with one cell for each role in the order of the roles.
 */
export interface MatrixRow {
  /** Id of the entity or function. */
  entity: string;
  operation: Operation;
  cells: RoleCell[];
}

/** The rows of one entity or function. */
export interface MatrixGroup {
  entity: string;
  /** Name without the schema public and without argument types. */
  name: string;
  /**
   * Text below the name: the number of rows of an entity ("12,408 rows"), or the argument types of a function ("bigint,
   * bigint"). Null if there is no such text.
   */
  rowsEstimate: number | null;
  argumentTypes: string | null;
  rows: MatrixRow[];
}

/** Returns the name of a cell in the address bar. */
export const cellKey = ({ entity, operation, role }: Pick<RoleCell, 'entity' | 'operation' | 'role'>): string =>
  `${entity} ${operation} ${role}`;

/** Arranges the cells as a matrix. Groups and rows have the order of their first cells. Pure. */
export function matrixOf({ roles, cells }: RolesChapter, entities: readonly Entity[]): MatrixGroup[] {
  const estimates = new Map(entities.map(({ id, figures }) => [id, figures?.rows_estimate ?? null]));
  const groups = new Map<string, Map<Operation, Map<string, RoleCell>>>();
  for (const cell of cells) {
    const operations = groups.get(cell.entity) ?? new Map<Operation, Map<string, RoleCell>>();
    const byRole = operations.get(cell.operation) ?? new Map<string, RoleCell>();
    groups.set(cell.entity, operations.set(cell.operation, byRole.set(cell.role, cell)));
  }
  return [...groups].map(([entity, operations]) => ({
    entity,
    ...parts(entity),
    rowsEstimate: estimates.get(entity) ?? null,
    rows: [...operations].map(([operation, byRole]) => ({
      entity,
      operation,
      cells: roles.flatMap(({ name }) => byRole.get(name) ?? []),
    })),
  }));
}

function parts(id: string): { name: string; argumentTypes: string | null } {
  const open = id.endsWith(')') ? id.lastIndexOf('(') : -1;
  const name = (open < 0 ? id : id.slice(0, open)).replace(/^public\./, '');
  return { name, argumentTypes: open < 0 ? null : id.slice(open + 1, -1) };
}

/** Counts the cells of each verdict. */
export function tally(cells: readonly RoleCell[]): Record<Verdict, number> {
  const result = { always: 0, when: 0, never: 0 };
  for (const { verdict } of cells) result[verdict] += 1;
  return result;
}

/** Returns the cell that an arrow, Home or End leads to, as row and column; null for every other key. Pure. */
export function step(
  key: string,
  [row, column]: readonly [row: number, column: number],
  rows: number,
  columns: number,
): [row: number, column: number] | null {
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  switch (key) {
    case 'ArrowUp':
      return [within(row - 1, rows), column];
    case 'ArrowDown':
      return [within(row + 1, rows), column];
    case 'ArrowLeft':
      return [row, within(column - 1, columns)];
    case 'ArrowRight':
      return [row, within(column + 1, columns)];
    case 'Home':
      return [row, 0];
    case 'End':
      return [row, columns - 1];
    default:
      return null;
  }
}
