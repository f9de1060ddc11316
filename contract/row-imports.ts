/** Imports of rows that the console can undo. The rows are deleted by the SQL of the caller. */

/** POST /admin/v1/apps/:ref/row-imports: an import that ended. */
export interface RowImportRequest {
  /** Schema and name, as SQL writes them. */
  entity: string;
  /** Name of the file. */
  file: string;
  rows: number;
  /** The transaction that inserted the rows (`xmin`). A row that was changed since has another one. */
  transaction: string;
}

/** An entry of GET /admin/v1/apps/:ref/row-imports, newest first. */
export interface RowImport extends RowImportRequest {
  id: string;
  /** ISO 8601. */
  at: string;
  /** Name of the builder, or `operator`. */
  imported_by: string;
}
