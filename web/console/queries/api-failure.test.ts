import { describe, expect, it } from 'vitest';
import { errors } from '../../../contract/errors.ts';
import { ApiFailure, failureFacts, failureOf } from './api-failure.ts';

describe('failureOf', () => {
  it('reads code, message, hint and request id from the body', () => {
    const body = {
      code: 'app_exists',
      message: 'There is one.',
      details: { ref: 'a' },
      hint: 'Other.',
      request_id: 'r1',
    };
    expect(failureOf(409, body, 'r2')).toMatchObject({
      code: 'app_exists',
      status: 409,
      message: 'There is one.',
      details: { ref: 'a' },
      hint: 'Other.',
      requestId: 'r1',
    });
  });

  it('reads both error formats of the sign-in service', () => {
    expect(failureOf(422, { code: 422, error_code: 'weak_password', msg: 'Too weak.' }, null)).toMatchObject({
      code: 'weak_password',
      message: 'Too weak.',
    });
  });

  it.each([null, 'Bad gateway', 17, [], { message: 5, code: null }])(
    'returns a generic message with the status for a body like %j',
    (body) => {
      expect(failureOf(502, body, 'r3')).toMatchObject({
        code: 'http_502',
        message: 'The server answered 502.',
        requestId: 'r3',
      });
    },
  );
});

describe('failureFacts', () => {
  it('adds meaning and action from the catalog of errors', () => {
    const facts = failureFacts(failureOf(409, { code: 'app_exists', message: 'There is one.' }, null));
    expect(facts.meaning).toBe(errors.app_exists.meaning);
    expect(facts.action).toBe(errors.app_exists.action);
  });

  it("prefers the hint of the failure to the catalog's general action", () => {
    expect(failureFacts(failureOf(409, { code: 'app_exists', hint: 'Try b.' }, null)).action).toBe('Try b.');
  });

  it('adds neither meaning nor action if the catalog does not contain the code', () => {
    const facts = failureFacts(failureOf(400, { code: 'toString', message: 'No.' }, null));
    expect(facts).toMatchObject({ code: 'toString', message: 'No.', meaning: null, action: null });
  });

  it('suggests an action if the server sent no response', () => {
    expect(failureFacts(new ApiFailure('No answer.', { code: 'unreachable', status: null })).action).toMatch(/running/);
  });
});

it('failureFacts has the page about the code of a response, and no page if the server did not respond', () => {
  const failure = (status: number | null) => failureFacts(new ApiFailure('No.', { code: '42501', status }));
  expect(failure(403).page).toBe('/docs/errors/42501');
  expect(failure(null).page).toBe(undefined);
});
