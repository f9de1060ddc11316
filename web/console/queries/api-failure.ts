import type { ApiError } from '../../../contract/admin.ts';
import { errors } from '../../../contract/errors.ts';
import type { FailureFacts } from '../../ui/failure.tsx';
import { MissingCode } from '../../ui/recovery/code.ts';

/** A failed request, with the server's error or the fact that the server could not be reached. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: string;
  /** HTTP status of the response; null if there was no response. */
  readonly status: number | null;
  readonly details: unknown;
  readonly hint: string | null;
  readonly requestId: string | null;

  constructor(
    message: string,
    parts: { code: string; status: number | null; details?: unknown; hint?: string | null; requestId?: string | null },
  ) {
    super(message);
    this.code = parts.code;
    this.status = parts.status;
    this.details = parts.details ?? null;
    this.hint = parts.hint ?? null;
    this.requestId = parts.requestId ?? null;
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/**
 * Reads the body of an error response. Every part may be missing, because a proxy may have sent the response. Also
 * reads the bodies of PostgREST and GoTrue (`msg`, `error_code`), which the builder proxy forwards unchanged.
 */
export function failureOf(status: number, body: unknown, requestId: string | null): ApiFailure {
  const said: Partial<Record<keyof ApiError | 'msg' | 'error_code', unknown>> =
    typeof body === 'object' && body !== null ? body : {};
  return new ApiFailure(text(said.message) ?? text(said.msg) ?? `The server answered ${status}.`, {
    code: text(said.error_code) ?? text(said.code) ?? `http_${status}`,
    status,
    details: said.details,
    hint: text(said.hint),
    requestId: text(said.request_id) ?? requestId,
  });
}

/** Reads the body of an error response that is a text. The status 0 means that there was no response. */
export function failureOfText(status: number, text: string, requestId: string | null): ApiFailure {
  if (status === 0) return new ApiFailure('The server does not answer.', { code: 'unreachable', status: null });
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy can answer with a page. The status says enough then.
  }
  return failureOf(status, body, requestId);
}

/** What a builder can do if an app is not served. The action in the catalog is written for all callers, so it is not used. */
const mendOutdated =
  'Remove the conflicting object from the database. You can use the SQL page. Ninefold retries the step with the next request, after a few seconds.';

const known: Readonly<Record<string, { meaning: string; action: string } | undefined>> = errors;

/** Returns true if the app is not served because its database refused an update of Ninefold's schema. */
export const isOutdated = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'app_outdated';

/** Returns true if the builder cancelled the proof of identity, so that no failure needs to be shown. */
export const needsProof = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code === 'recent_sign_in_needed';

/** Describes an error of any kind for a page. The message comes from the error; meaning and action come from the catalog of errors. */
export function failureFacts(error: unknown): FailureFacts {
  if (error instanceof ApiFailure) {
    const entry = Object.hasOwn(known, error.code) ? known[error.code] : undefined;
    return {
      code: error.code,
      status: error.status,
      message: error.message,
      meaning: entry?.meaning ?? null,
      // The node has a page for every code, also for those that an app raises.
      ...(error.status !== null && { page: `/docs/errors/${encodeURIComponent(error.code)}` }),
      action: error.hint ?? (isOutdated(error) ? mendOutdated : entry?.action) ?? unreachableAction(error),
      requestId: error.requestId,
    };
  }
  if (error instanceof MissingCode) {
    return {
      code: 'console_not_loaded',
      status: null,
      message: 'A part of the console could not be loaded.',
      meaning: null,
      action: 'Check that `ninefold start` is running. The console reloads this page when the server answers.',
      requestId: null,
    };
  }
  return {
    code: 'console_failed',
    status: null,
    message: 'An error occurred in the console.',
    meaning: error instanceof Error ? error.message : String(error),
    action: 'Reload the page, then check whether your last change was saved.',
    requestId: null,
  };
}

const unreachableAction = (error: ApiFailure): string | null =>
  error.status === null
    ? 'See that `ninefold start` is running and that this machine is online, then try again.'
    : null;
