import { accountLimits } from './limits/accounts.ts';
import { answerLimits } from './limits/answers.ts';
import { appLimits } from './limits/apps.ts';
import { backupLimits } from './limits/backups.ts';
import { builderLimits } from './limits/builders.ts';
import { databaseLimits } from './limits/database.ts';
import { factorLimits } from './limits/factors.ts';
import { functionLimits } from './limits/functions.ts';
import { hookLimits } from './limits/hooks.ts';
import { importLimits } from './limits/imports.ts';
import { jobLimits } from './limits/jobs.ts';
import { mailLimits } from './limits/mails.ts';
import { notificationLimits } from './limits/notifications.ts';
import { oauthServerLimits } from './limits/oauth-server.ts';
import { passwordLimits } from './limits/passwords.ts';
import { probeLimits } from './limits/probe.ts';
import { providerLimits } from './limits/providers.ts';
import { queueLimits } from './limits/queues.ts';
import { rateLimits } from './limits/rates.ts';
import { realtimeLimits } from './limits/realtime.ts';
import { auditLimits, recordLimits } from './limits/records.ts';
import { requestLimits } from './limits/requests.ts';
import { s3Limits } from './limits/s3.ts';
import { sessionLimits } from './limits/sessions.ts';
import { settingLimits } from './limits/settings.ts';
import { siteLimits } from './limits/site.ts';
import { storageLimits } from './limits/storage.ts';
import { textLimits } from './limits/texts.ts';
import { versionLimits } from './limits/versions.ts';

export type { AppBounds } from './limits/apps.ts';
export { type Limit, limitGroups } from './limits/limit.ts';

/**
 * Every number that limits a call, one file for each kind of resource. No number in another place may limit calls; a
 * test searches the sources for such numbers. `npm run docs` writes `docs/limits.md` from them, and a test compares both.
 */
export const limits = {
  ...requestLimits,
  ...answerLimits,
  ...sessionLimits,
  ...passwordLimits,
  ...rateLimits,
  ...accountLimits,
  ...factorLimits,
  ...databaseLimits,
  ...appLimits,
  ...settingLimits,
  ...jobLimits,
  ...mailLimits,
  ...notificationLimits,
  ...builderLimits,
  ...versionLimits,
  ...probeLimits,
  ...recordLimits,
  ...auditLimits,
  ...providerLimits,
  ...oauthServerLimits,
  ...hookLimits,
  ...importLimits,
  ...textLimits,
  ...siteLimits,
  ...storageLimits,
  ...s3Limits,
  ...realtimeLimits,
  ...functionLimits,
  ...queueLimits,
  ...backupLimits,
};

export type LimitName = keyof typeof limits;
