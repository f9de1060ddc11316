import type { SignInCounts } from '../../contract/admin.ts';
import type { Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { readSignInCounts } from '../accounts/sign-in-counts.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';
import { json } from './router.ts';

/** Handles GET /apps/:ref/sign-ins: returns the number of sign-ins by method. */
export async function showSignInCounts(context: AdminContext, ref: string): Promise<Reply> {
  const { database } = await openApp(context, ref);
  const counts: SignInCounts = { days: limits.signInsShownDays.default, ways: await readSignInCounts(database) };
  return json(counts);
}
