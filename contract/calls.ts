import { accountCalls } from './calls/accounts.ts';
import type { AuthCall } from './calls/call.ts';
import { factorCalls } from './calls/factors.ts';
import { mailCalls } from './calls/mails.ts';
import { oauthCalls } from './calls/oauth-server.ts';
import { phoneCalls } from './calls/phones.ts';
import { providerCalls } from './calls/providers.ts';

export type { AuthCall } from './calls/call.ts';

/** Every call of `/auth/v1`, in the order in which an app uses them. */
export const authCalls: readonly AuthCall[] = [
  ...accountCalls,
  ...providerCalls,
  ...mailCalls,
  ...factorCalls,
  ...oauthCalls,
  ...phoneCalls,
];
