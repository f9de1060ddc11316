import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isTusRequest, tusHeader } from './uploads/tus-headers.ts';

/**
 * The words of Supabase Storage for errors in the field `error`, by code. It sends some of them in place of the code,
 * and clients compare them.
 */
const words: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Bucket not found',
  NoSuchKey: 'not_found',
  BucketAlreadyExists: 'Duplicate',
  KeyAlreadyExists: 'Duplicate',
  EntityTooLarge: 'Payload too large',
  InvalidMimeType: 'invalid_mime_type',
  AccessDenied: 'Unauthorized',
  InvalidRequest: 'invalid_request',
};

/**
 * Returns an error in the format of Supabase Storage: `{statusCode, error, message, code}`. Unlike there, the status of
 * the response is `statusCode`, and not 400 for each error. Returns null for an error that is not a NinefoldError.
 */
export function storageErrorReply(error: unknown, request: Pick<CallRequest, 'path'>): Reply | null {
  if (!(error instanceof NinefoldError)) return null;
  const { status, message } = inStorageWords(error);
  const code = codeInReply(error);
  return {
    status,
    code,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(isTusRequest(request) && tusHeader),
      ...error.headers,
    },
    body: JSON.stringify({ statusCode: String(status), error: words[code] ?? code, message, code }),
  };
}

/** Returns the code of an error in the response. */
export const codeInReply = (error: NinefoldError): string => (isOfToken(error) ? 'InvalidJWT' : error.code);

/** Errors of tokens with PostgREST's codes come from code that data calls use too. */
const isOfToken = ({ code }: NinefoldError): boolean => code === 'PGRST301' || code === 'PGRST303';

const inStorageWords = (error: NinefoldError): { status: number; message: string } =>
  isOfToken(error)
    ? {
        status: 400,
        message:
          error.message === 'JWT expired'
            ? '"exp" claim timestamp check failed'
            : `Invalid Compact JWS: ${error.message}`,
      }
    : { status: error.status, message: error.message };
