import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { s3Errors } from '../../../contract/errors/s3.ts';
import { storageErrors } from '../../../contract/errors/storage.ts';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { XML_TYPE } from './s3-reply.ts';
import { renderXmlError } from './xml/write-xml.ts';

/** An error of the S3 protocol. */
interface S3Error {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

/**
 * Codes of Amazon S3 for codes of Ninefold that clients of S3 do not know. Clients repeat a request after SlowDown,
 * ServiceUnavailable and InternalError.
 */
const renamed: Readonly<Record<string, { readonly code: string; readonly status: number }>> = {
  KeyAlreadyExists: { code: 'PreconditionFailed', status: 412 },
  RequestExpired: { code: 'AccessDenied', status: 403 },
  Quarantined: { code: 'AccessDenied', status: 403 },
  InvalidKey: { code: 'InvalidArgument', status: 400 },
  EntityTooLarge: { code: 'EntityTooLarge', status: 400 },
  body_incomplete: { code: 'IncompleteBody', status: 400 },
  InvalidJWT: { code: 'InvalidToken', status: 400 },
  PGRST301: { code: 'InvalidToken', status: 400 },
  PGRST303: { code: 'ExpiredToken', status: 400 },
  session_revoked: { code: 'ExpiredToken', status: 400 },
  key_unknown: { code: 'InvalidAccessKeyId', status: 403 },
  key_revoked: { code: 'InvalidAccessKeyId', status: 403 },
  role_reserved: { code: 'AccessDenied', status: 403 },
  database_refused: { code: 'AccessDenied', status: 403 },
  too_many_requests: { code: 'SlowDown', status: 503 },
  database_busy: { code: 'SlowDown', status: 503 },
  TooManyUploads: { code: 'SlowDown', status: 503 },
  BytesMissing: { code: 'InternalError', status: 500 },
};

const known: ReadonlySet<string> = new Set([...Object.keys(s3Errors), ...Object.keys(storageErrors)]);

/**
 * Renders an error in the format of the S3 protocol. A response to HEAD has no body, so its client sees only the status.
 * @returns null for an error that is not a NinefoldError.
 */
export function s3ErrorReply(
  error: unknown,
  request: Pick<CallRequest, 'method' | 'target' | 'requestId'>,
): Reply | null {
  if (!(error instanceof NinefoldError)) return null;
  const { code, status, message } = toS3(error);
  const [resource = ''] = request.target.split('?');
  const body = renderXmlError({ Code: code, Message: message, Resource: resource, RequestId: request.requestId });
  return {
    status,
    code: error.code,
    headers: { ...error.headers, 'content-type': XML_TYPE, 'x-amz-request-id': request.requestId },
    body: request.method === 'HEAD' ? null : body,
  };
}

function toS3({ code, status, message }: NinefoldError): S3Error {
  const other = renamed[code];
  if (other) return { ...other, message };
  if (known.has(code)) return { code, status, message };
  if (status >= 500) return { code: status === 503 ? 'ServiceUnavailable' : 'InternalError', status, message };
  return { code: status === 403 || status === 401 ? 'AccessDenied' : 'InvalidRequest', status, message };
}

/** Returns the error of a body that is longer than its XML may be. */
export const xmlTooLarge = (): NinefoldError =>
  new NinefoldError('MalformedXML', {
    message: `The XML of the body is longer than ${limits.s3XmlBytes.default} bytes.`,
    limit: 's3XmlBytes',
  });
