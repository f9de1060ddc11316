/** SQLSTATE undefined_file. */
const UNDEFINED_FILE = '58P01';

/**
 * Returns advice on PostgreSQL's error for a function whose library it cannot load: the extension was created by a
 * PostgreSQL that had its files. Returns null for other errors (src/backend/utils/fmgr/dfmgr.c).
 */
export const adviceOnLibrary = (sqlstate: string, message: string): string | null =>
  sqlstate === UNDEFINED_FILE && /^could not (?:access file|load library) /.test(message)
    ? 'PostgreSQL lacks the library of an extension that the app uses. Ask the operator of the node to install the extension for this PostgreSQL.'
    : null;
