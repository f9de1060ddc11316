import type { CallRequest } from '../../contract/call-request.ts';
import type { PortalScreens } from '../../contract/portal.ts';
import type { App } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';

/** Returns the screens that a caller may open, as JSON, with an entity tag for this JSON. */
export type ScreensFor = (
  app: App,
  caller: Pick<Identity, 'role' | 'userId'> & { readonly memberRole: string | null },
  acceptLanguage: string | null,
) => Promise<{ readonly body: Uint8Array; readonly etag: string }>;

/** @throws NinefoldError key_missing for a request without a key */
export async function identifiedCaller(identify: () => Promise<Identity>): Promise<Identity> {
  const identity = await identify();
  if (identity.source === 'none') throw new NinefoldError('key_missing');
  return identity;
}

/** Returns the caller of screens. A builder sees those of a role that no member has, or of one role of a member with several. */
export const screensCaller = ({ role, userId, source }: Identity, query: string): Parameters<ScreensFor>[1] => ({
  ...{ role, userId },
  memberRole: source === 'builder' ? new URLSearchParams(query).get('role') : null,
});

/** Returns the screens that the caller may open. */
export async function readScreens(
  app: App,
  identity: Identity,
  { headers, query }: CallRequest,
  screensFor: ScreensFor,
): Promise<PortalScreens> {
  const { body } = await screensFor(app, screensCaller(identity, query), headers['accept-language'] ?? null);
  return JSON.parse(new TextDecoder().decode(body));
}
