/**
 * Reason why the embedded PostgreSQL cannot start, as one sentence for the person at the terminal. Nothing was changed.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Returns Node.js's `code` of a failed system call, such as `EACCES`; empty for any other error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Converts the error of a failed write to a StartError that names the folder. */
export function cannotWrite(folder: string, error: unknown): StartError {
  const reason = systemCode(error) || (error instanceof Error ? error.message : String(error));
  return new StartError(
    `The folder ${folder} cannot be written (${reason}): make it writable for this user, or set NINEFOLD_HOME to another folder.`,
    { cause: error },
  );
}
