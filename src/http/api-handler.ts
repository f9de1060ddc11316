import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { App } from '../apps/app.ts';
import type { Identity } from '../identity/identity.ts';
import type { TraceRecorder } from '../observe/events.ts';
import type { BodyBound } from './read-body.ts';

/** One API of an app (`rest`, `auth`, `storage`, `realtime`, `portal`), which handles requests below /apps/<ref>/<area>/v1. */
export interface ApiHandler {
  readonly name: 'rest' | 'auth' | 'portal' | 'storage' | 'realtime' | 'functions';
  /**
   * Handles a request.
   * @param identify Returns the identity of the caller, or throws an error that `renderError` turns into a 401. APIs
   * with public routes call it only where they need the identity.
   * @param trace Receives times and names of the request.
   */
  handle(app: App, request: CallRequest, identify: () => Promise<Identity>, trace: TraceRecorder): Promise<Reply>;
  /**
   * The maximum size of the body of a request to this API, and the error for a larger body. If absent, the app's
   * settings limit the body.
   */
  readonly body?: BodyBound;
  /** True if the API reads `CallRequest.stream` itself and bounds the bytes that it accepts. */
  readonly takesStream?: true;
  /** True if the API answers preflight requests of browsers itself. */
  readonly answersPreflight?: true;
  /**
   * Renders an error in the format of this API; null if that format cannot express the error.
   * @param identity The identity of the caller; null if it was not determined before the error.
   */
  renderError(error: unknown, app: App | null, request: CallRequest, identity: Identity | null): Promise<Reply | null>;
}
