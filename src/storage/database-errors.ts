import { statusOfSqlstate } from '../../contract/errors/sqlstate-status.ts';
import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Constraints of the tables of schema storage, with the errors of a violation. */
const byConstraint: Readonly<Record<string, () => NinefoldError>> = {
  buckets_pkey: () => new NinefoldError('BucketAlreadyExists'),
  buckets_name_key: () => new NinefoldError('BucketAlreadyExists'),
  objects_bucket_id_name_key: () => new NinefoldError('KeyAlreadyExists'),
  uploads_complete_once: () => new NinefoldError('NoSuchUpload'),
  used_upload_tokens_pkey: () => new NinefoldError('InvalidUploadSignature'),
};

/** SQLSTATEs of a schema or a table that does not exist. */
const notInstalled: ReadonlySet<string> = new Set(['3F000', '42P01']);

/** SQLSTATEs of a text with NUL or an unpaired surrogate, which PostgreSQL does not store. */
const unstorable: ReadonlySet<string> = new Set(['22021', '22P05']);

/** SQLSTATEs that the server causes, whatever code runs: connections, resources, an operator's command, the system. */
const ofServer = /^(?:08|53|57|58|XX)/;

/**
 * Returns the error of Supabase Storage for an error of PostgreSQL. A message of RAISE reaches the client; any other
 * message could contain data of the app, so the client receives only the SQLSTATE or the name of a constraint.
 */
export function fromDatabase(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { sqlstate, fields } = error;
  const known = byConstraint[fields.constraint ?? ''];
  if (sqlstate === '23505' && known) return known();
  if (sqlstate === '23503' && fields.constraint === 'objects_bucket_id_fkey') {
    return new NinefoldError(
      fields.table === 'objects' && isInsert(fields.message) ? 'NoSuchBucket' : 'BucketNotEmpty',
    );
  }
  if (sqlstate === '42501') return denied(error);
  if (unstorable.has(sqlstate)) {
    return new NinefoldError('InvalidRequest', {
      message: 'The request has a character that PostgreSQL does not store.',
      cause: error,
    });
  }
  if (notInstalled.has(sqlstate) && fields.where === undefined) {
    return new NinefoldError('StorageNotInstalled', { cause: error });
  }
  if (sqlstate === 'P0001' || fields.where?.split('\n')[0]?.endsWith(' at RAISE')) {
    return new NinefoldError('database_refused', {
      message: fields.message,
      status: statusOfSqlstate(sqlstate),
      cause: error,
    });
  }
  const { constraint } = fields;
  if (/^2[23]/.test(sqlstate)) {
    // The statements of the storage cause none: a policy or a trigger of the app does.
    return new NinefoldError('database_refused', {
      message: constraint === undefined ? failedWords(sqlstate) : `A rule of this app refused this: ${constraint}`,
      status: statusOfSqlstate(sqlstate),
      cause: error,
    });
  }
  if (fields.where === undefined || ofServer.test(sqlstate)) return error;
  return new NinefoldError('database_refused', { message: failedWords(sqlstate), status: 500, cause: error });
}

const failedWords = (sqlstate: string): string =>
  `A policy or a trigger of this app failed (${sqlstate}), so nothing was changed; the server’s log contains the reason under the request id.`;

const isInsert = (message: string): boolean => message.startsWith('insert');

/** Returns the error of a missing policy or privilege. Policies of other tables can be the cause, so their names stay out. */
const denied = (cause: DatabaseError): NinefoldError =>
  new NinefoldError('AccessDenied', {
    message: cause.fields.message.startsWith('new row violates')
      ? 'new row violates row-level security policy'
      : 'The caller may not do this',
    cause,
  });
