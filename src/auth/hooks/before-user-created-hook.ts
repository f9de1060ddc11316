import type { NewUser } from '../../accounts/users/users.ts';
import { callHook, type HookContext, waitAsHook } from '../../jobs/call-hook.ts';

/** The account that a request is about to create. */
export type PlannedUser = Pick<NewUser, 'email' | 'phone' | 'userMetadata' | 'isAnonymous'> & {
  readonly id: string;
  /** The provider of the sign-up; null for an anonymous account. */
  readonly provider: string | null;
};

/** The time that GoTrue reports for an account that is not stored yet. */
const NEVER = '0001-01-01T00:00:00Z';

/**
 * Calls the hook before_user_created, if it is enabled, outside of any transaction. If it throws, no account is
 * created.
 * @throws the hook's refusal, and what `callHook` throws
 */
export async function beforeUserCreated(context: HookContext, address: string, planned: PlannedUser): Promise<void> {
  if (!context.settings.hook_before_user_created_enabled) return;
  const { id, email = '', phone = '', userMetadata = {}, isAnonymous = false, provider } = planned;
  const user = {
    id,
    aud: 'authenticated',
    role: '',
    email,
    phone,
    app_metadata: provider === null ? {} : { provider, providers: [provider] },
    user_metadata: userMetadata,
    identities: [],
    created_at: NEVER,
    updated_at: NEVER,
    is_anonymous: isAnonymous,
  };
  await callHook(context, { name: 'before_user_created', address, payload: { user } });
}

/**
 * Waits as long as the hook before_user_created takes. Used by a request that creates no account, so that the time of
 * its response does not reveal this.
 */
export const waitAsBeforeUserCreated = (context: HookContext): Promise<void> =>
  waitAsHook(context, 'before_user_created');
