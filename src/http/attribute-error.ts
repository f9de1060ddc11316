import type { Reply } from '../../contract/call-request.ts';
import { allErrors } from '../../contract/errors.ts';
import type { LimitName } from '../../contract/limits.ts';
import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Characters of the name of a cause. */
const LONGEST = 200;

/** Names that say what caused a failed request. They contain no values from the request. */
export interface ErrorAttribution {
  /** The code in the response body. */
  readonly code: string;
  /**
   * The constraint that was violated, as schema.table.name, or the function that raised the error, as name(types); null
   * if unknown.
   */
  readonly subject: string | null;
  readonly limit: LimitName | null;
}

/**
 * Returns the cause of an error.
 * @param left True if the client disconnected. The statement was then cancelled for this reason and not because it
 * exceeded a limit.
 */
export function attributeError(error: unknown, reply: Reply, left: boolean): ErrorAttribution {
  const known = error instanceof NinefoldError ? error : null;
  const raised = raisedIn(error);
  const code = reply.code ?? raised?.sqlstate ?? known?.code ?? 'internal';
  const limit = known?.limit ?? (left ? null : (limitOf(raised?.sqlstate) ?? limitOf(code)));
  return { code, subject: raised && subjectOf(raised), limit };
}

/** Returns PostgreSQL's error from the chain of causes, or null. */
export function raisedIn(error: unknown): DatabaseError | null {
  if (error instanceof DatabaseError) return error;
  return error instanceof Error ? raisedIn(error.cause) : null;
}

const limitOf = (code: string | undefined): LimitName | null =>
  code !== undefined && Object.hasOwn(allErrors, code) ? (allErrors[code]?.limit ?? null) : null;

/**
 * Matches the context line of PL/pgSQL for an exception that a function raised. On a server with translated messages it
 * does not match, and the error then has no subject.
 */
const RAISED = /^PL\/pgSQL function (.+?\)) line \d+ at RAISE/;
/**
 * SQLSTATEs of errors about a single field: a missing value (23502), and the errors of state machines, which belong to
 * a field.
 */
const ofField = /^(?:23502|NF00\d)$/;

function subjectOf({ fields }: DatabaseError): string | null {
  const { schema, table, column, constraint, dataType, where } = fields;
  const name = constraint ?? (ofField.test(fields.sqlstate) ? column : undefined);
  if (name !== undefined)
    return [schema, table ?? dataType, name]
      .filter((part) => part !== undefined)
      .join('.')
      .slice(0, LONGEST);
  return RAISED.exec(where ?? '')?.[1]?.slice(0, LONGEST) ?? null;
}
