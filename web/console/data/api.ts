import { accessToken } from './console-client.ts';
import { type ApiCall, openApi } from './open-api.ts';

/**
 * Calls the management API as the builder who is signed in. `path` is below /admin/v1: "/apps/helpdesk/activity".
 *
 * @throws {ApiFailure} for every answer that is no success, and where none came
 */
export const api = async <T>(path: string, call: ApiCall = {}): Promise<T> =>
  openApi<T>(path, call, await accessToken());

/** One segment of a path: refs and ids come from the address bar, so they are encoded. */
export const segment = (value: string): string => encodeURIComponent(value);
