import { createHash, randomBytes } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import { seal, unseal } from '../../apps/registry/seal.ts';
import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';
import type { ExternalIdentity } from './external-sign-in.ts';
import type { ProviderTokens } from './flow-states.ts';

/** An identity that a provider has reported. The account gets it only after the member has confirmed this. */
export interface PendingLink {
  readonly identity: ExternalIdentity;
  /** The name of the provider for people. */
  readonly providerTitle: string;
  readonly tokens: ProviderTokens;
}

/** A pending link with the flow that it belongs to. */
export interface FoundLink extends PendingLink {
  readonly flowId: string;
  readonly referrer: string | null;
  readonly isPkce: boolean;
  /** The account that gets the identity. */
  readonly account: { readonly id: string; readonly email: string | null; readonly phone: string | null };
  /** The encrypted link as it is stored. It identifies this pending link. */
  readonly sealed: string;
}

const PURPOSE = 'auth.flow_state link';

const keyOf = (secret: string): Buffer => createHash('sha256').update(`pending link ${secret}`).digest();

/** Statement that stores a pending link in its flow. The flow must be taken, and must have no code yet. */
const STORE = `update auth.flow_state set provider_access_token = $2, updated_at = pg_catalog.now()
where id = $1::uuid and auth_code is null returning pg_catalog.to_jsonb(true)`;

/**
 * Stores a link with its flow, encrypted with a secret. Returns the secret, which the database does not contain, so
 * that a reader of the table can neither read nor confirm the link.
 */
export async function storePendingLink(database: Executor, flowId: string, link: PendingLink): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const stored = await jsonAsAuthAdmin<true>(database, STORE, [flowId, seal(link, keyOf(secret), PURPOSE)]);
  if (stored === null) throw new Error('the flow of a link is gone');
  return secret;
}

/** SQL text that is false if the member began the flow $1 in a session that has ended. */
const SESSION_GOES_ON = `not exists (
  select from ninefold.linking_sessions l where l.flow_id = $1::uuid
    and not exists (select from auth.sessions s where s.id = l.session_id))`;

/**
 * Query for a pending link. $2 is its maximum age in seconds, measured from the provider's answer
 * (auth_code_issued_at).
 */
const FIND = `select pg_catalog.jsonb_build_object(
  'flowId', f.id, 'referrer', f.referrer, 'isPkce', f.code_challenge is not null, 'sealed', f.provider_access_token,
  'account', pg_catalog.jsonb_build_object('id', u.id, 'email', nullif(u.email, ''), 'phone', nullif(u.phone, '')))
from auth.flow_state f join auth.users u on u.id = f.linking_target_id and u.deleted_at is null
where f.id = $1::uuid and f.auth_code is null and nullif(f.provider_access_token, '') is not null and ${SESSION_GOES_ON}
  and f.auth_code_issued_at > pg_catalog.now() - pg_catalog.make_interval(secs => $2::float8)`;

/**
 * Returns the link that waits with a flow; null if there is none, if it has expired, if the session that began it has
 * ended, or if the secret belongs to another link.
 */
export async function findPendingLink(database: Executor, flowId: string, secret: string): Promise<FoundLink | null> {
  const params = [flowId, String(limits.linkConfirmationSeconds.default)];
  const found = await jsonAsAuthAdmin<Omit<FoundLink, keyof PendingLink>>(database, FIND, params);
  if (found === null) return null;
  try {
    return { ...found, ...unseal<PendingLink>(found.sealed, keyOf(secret), PURPOSE) };
  } catch {
    return null;
  }
}

const TAKE = `update auth.flow_state set provider_access_token = null, updated_at = pg_catalog.now()
where id = $1::uuid and provider_access_token = $2 and ${SESSION_GOES_ON} returning pg_catalog.to_jsonb(true)`;

/** Uses up a pending link. Returns false if it was used before. Of several concurrent callers only one succeeds. */
export const takePendingLink = async (database: Executor, { flowId, sealed }: FoundLink): Promise<boolean> =>
  (await jsonAsAuthAdmin<true>(database, TAKE, [flowId, sealed])) !== null;
