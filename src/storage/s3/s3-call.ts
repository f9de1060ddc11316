import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { StorageContext } from '../context.ts';
import type { RequestBody } from './body/request-body.ts';
import type { BucketOperation, ObjectOperation, OperationName, QueryParameters } from './request/operation.ts';

/** One authenticated request of the S3 protocol. */
export interface S3Call {
  readonly context: StorageContext;
  readonly request: CallRequest;
  /** The caller: the service role for an access key of the app, or the member of a session token. */
  readonly identity: Identity;
  readonly query: QueryParameters;
  readonly headers: CallRequest['headers'];
  readonly body: RequestBody;
  /** The region that the client signed for. */
  readonly region: string;
  /** The operation that policies can read with `storage.operation()`. */
  readonly operation: string;
}

export interface BucketCall extends S3Call {
  readonly bucket: string;
}

export interface ObjectCall extends BucketCall {
  readonly key: string;
}

export type CallOf<Name extends OperationName> = Name extends ObjectOperation
  ? ObjectCall
  : Name extends BucketOperation
    ? BucketCall
    : S3Call;

export type Handler<Call extends S3Call> = (call: Call) => Promise<Reply>;

/**
 * Reads a parameter that limits the entries of a page.
 * @returns The default for a missing parameter, and at most the default.
 * @throws NinefoldError InvalidArgument
 */
export function pageSize(query: QueryParameters, name: string): number {
  const max = limits.s3ListKeys.default;
  const text = query.get(name) ?? String(max);
  if (!/^\d{1,10}$/.test(text)) throw invalidArgument(`The parameter ${name} is a number.`);
  return Math.min(Number(text), max);
}

export const invalidArgument = (message: string): NinefoldError => new NinefoldError('InvalidArgument', { message });
export const notImplemented = (message: string): NinefoldError => new NinefoldError('NotImplemented', { message });
