import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../contract/errors.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { s3ErrorReply } from './s3-error.ts';
import { childText, readXml } from './xml/read-xml.ts';

const request = { method: 'GET', target: '/apps/shop/storage/v1/s3/b/a%26b?X-Amz-Signature=secret', requestId: 'r1' };
const rendered = (error: unknown, method = 'GET') => s3ErrorReply(error, { ...request, method });

describe('s3ErrorReply', () => {
  it('renders the code, the message, the path without its query, and the id of the request', () => {
    const reply = rendered(new NinefoldError('NoSuchKey', { message: 'No <object> & no more' }));
    expect(reply).toMatchObject({ status: 404, code: 'NoSuchKey', headers: { 'x-amz-request-id': 'r1' } });
    const error = readXml(Buffer.from(String(reply?.body)));
    expect(['Code', 'Message', 'Resource', 'RequestId'].map((name) => childText(error, name))).toEqual([
      'NoSuchKey',
      'No <object> & no more',
      '/apps/shop/storage/v1/s3/b/a%26b',
      'r1',
    ]);
  });

  it.each<[ErrorCode, string, number]>([
    ['KeyAlreadyExists', 'PreconditionFailed', 412],
    ['RequestExpired', 'AccessDenied', 403],
    ['EntityTooLarge', 'EntityTooLarge', 400],
    ['PGRST303', 'ExpiredToken', 400],
    ['PGRST301', 'InvalidToken', 400],
    ['too_many_requests', 'SlowDown', 503],
    ['TooManyUploads', 'SlowDown', 503],
    ['database_busy', 'SlowDown', 503],
    ['database_unavailable', 'ServiceUnavailable', 503],
    ['internal', 'InternalError', 500],
    ['app_unknown', 'InvalidRequest', 404],
    ['SignatureDoesNotMatch', 'SignatureDoesNotMatch', 403],
  ])('renders %s as %s with the status %i', (code, s3Code, status) => {
    const reply = rendered(new NinefoldError(code));
    expect(reply?.status).toBe(status);
    expect(reply?.body).toContain(`<Code>${s3Code}</Code>`);
  });

  it('renders no body for HEAD', () => {
    expect(rendered(new NinefoldError('NoSuchKey'), 'HEAD')).toMatchObject({ status: 404, body: null });
  });

  it('leaves any other error to its caller, which replaces its text', () => {
    expect(rendered(new Error('password'))).toBeNull();
  });
});
