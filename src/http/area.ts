import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { App } from '../apps/app.ts';
import type { Identity } from '../identity/identity.ts';
import type { CallTrace } from '../observe/call-trace.ts';
import type { BodyBound } from './read-body.ts';

/** One part of an app's API (`rest`, `auth`, `portal`): what answers below /apps/<ref>/<area>/v1. */
export interface Area {
  readonly name: 'rest' | 'auth' | 'portal';
  /**
   * Answers a call. `identify` gives who is calling, or throws what the area's `renderError` turns into a 401; an area
   * that also answers nobody in particular asks only where it must know. `trace` takes what the call tells of itself.
   */
  handle(app: App, exchange: Exchange, identify: () => Promise<Identity>, trace: CallTrace): Promise<Reply>;
  /** The largest body that any call of the area takes, and the error for a larger one; the app's settings bound it when absent. */
  readonly body?: BodyBound;
  /** An error in the area's own shape; null where the area has no word for it. `identity` is null where it was not asked for. */
  renderError(error: unknown, app: App | null, exchange: Exchange, identity: Identity | null): Promise<Reply | null>;
}
