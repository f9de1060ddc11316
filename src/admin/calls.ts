import { acceptInvitationCalls } from './account/accept-invitation.ts';
import { accountCalls } from './account/account.ts';
import { builderSessionCalls } from './account/builder-session.ts';
import { proofCalls } from './account/proof.ts';
import { recoveryCalls } from './account/recovery.ts';
import { secondFactorCalls } from './account/second-factor.ts';
import { setupCalls } from './account/setup.ts';
import { activityCalls } from './apps/activity.ts';
import { appCalls } from './apps/apps.ts';
import { statusCalls } from './apps/status.ts';
import { backupCalls } from './backups/backups.ts';
import type { AdminCall } from './call.ts';
import { fileKeyCalls } from './files/s3-keys.ts';
import { fileUsageCalls } from './files/usage.ts';
import { verifyCalls } from './files/verify.ts';
import { functionCalls } from './functions/functions.ts';
import { apiKeyCalls } from './keys/api-keys.ts';
import { applicationCalls } from './keys/applications.ts';
import { signingKeyCalls } from './keys/signing-keys.ts';
import { auditCalls } from './logs/audit.ts';
import { logCalls } from './logs/logs.ts';
import { observedRequestCalls } from './logs/observed-requests.ts';
import { mailTemplateCalls } from './mails/mail-templates.ts';
import { mailTestCalls } from './mails/mail-test.ts';
import { mailCalls } from './mails/mails.ts';
import { actAsMemberCalls } from './members/act-as-member.ts';
import { memberImportCalls } from './members/member-imports.ts';
import { rowImportCalls } from './members/row-imports.ts';
import { sessionCalls } from './members/sessions.ts';
import { queueMessageCalls } from './queues/messages.ts';
import { queueCalls } from './queues/queues.ts';
import { realtimeCalls } from './realtime/realtime-state.ts';
import { serverCalls } from './servers/servers.ts';
import { hookFunctionCalls } from './settings/hook-functions.ts';
import { settingCalls } from './settings/settings.ts';
import { siteCalls } from './site/site.ts';
import { specificationLinkCalls } from './specification/links.ts';
import { probeCalls } from './specification/probe.ts';
import { specificationCalls } from './specification/specification.ts';
import { versionCalls } from './specification/versions.ts';
import { migrateCalls } from './sql/migrate.ts';
import { migrationTrialCalls } from './sql/migration-trial.ts';
import { saveMigrationCalls } from './sql/save-migration.ts';
import { sqlCalls } from './sql/sql.ts';
import { appTeamCalls } from './team/app-team.ts';
import { builderCalls } from './team/builders.ts';
import { nodeTeamCalls } from './team/node-team.ts';

/** The calls of the management API by their subject, which is a heading of docs/management-api.md. */
export const callsBySubject: Readonly<Record<string, readonly AdminCall[]>> = {
  'Set-up and sign-in': [...setupCalls, ...builderSessionCalls, ...acceptInvitationCalls, ...recoveryCalls],
  'Your account': [...accountCalls, ...proofCalls, ...secondFactorCalls],
  'The node': [...statusCalls, ...builderCalls, ...nodeTeamCalls, ...backupCalls, ...serverCalls],
  Apps: [...appCalls, ...activityCalls],
  Team: appTeamCalls,
  Keys: [...apiKeyCalls, ...signingKeyCalls, ...applicationCalls],
  Settings: [...settingCalls, ...hookFunctionCalls],
  'SQL and migrations': [...sqlCalls, ...migrateCalls, ...migrationTrialCalls, ...saveMigrationCalls],
  Specification: [...specificationCalls, ...versionCalls, ...specificationLinkCalls, ...probeCalls],
  Members: [...sessionCalls, ...actAsMemberCalls, ...memberImportCalls, ...rowImportCalls],
  Mails: [...mailCalls, ...mailTestCalls, ...mailTemplateCalls],
  'Logs and statistics': [...logCalls, ...observedRequestCalls, ...auditCalls],
  Realtime: realtimeCalls,
  Queues: [...queueCalls, ...queueMessageCalls],
  Files: [...fileUsageCalls, ...fileKeyCalls, ...verifyCalls],
  'Edge functions': functionCalls,
  Site: siteCalls,
};

/** Every call of the management API. */
export const adminCalls: readonly AdminCall[] = Object.values(callsBySubject).flat();
