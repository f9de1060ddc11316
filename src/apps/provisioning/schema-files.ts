import { limits } from '../../../contract/limits.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import base from '../../schema/0001_base.sql';
import auth from '../../schema/0002_auth.sql';
import project from '../../schema/0003_project.sql';
import calls from '../../schema/0005_calls.sql';
import versions from '../../schema/0006_versions.sql';
import description from '../../schema/0007_description.sql';
import states from '../../schema/0008_states.sql';
import probe from '../../schema/0009_probe.sql';
import ninefoldOfVersions from '../../schema/0010_ninefold_of_versions.sql';
import hideOtherApps from '../../schema/0011_hide_other_apps.sql';
import guards from '../../schema/0012_guards.sql';
import advisoryLocks from '../../schema/0013_advisory_locks.sql';
import signInLimits from '../../schema/0014_sign_in_limits.sql';
import supabaseProjects from '../../schema/0015_supabase_projects.sql';
import scheduledJobs from '../../schema/0016_scheduled_jobs.sql';
import httpFromSql from '../../schema/0017_http_from_sql.sql';
import authTables from '../../schema/0018_auth_tables.sql';
import userMappings from '../../schema/0019_user_mappings.sql';
import mails from '../../schema/0020_mails.sql';
import oneTimeTokens from '../../schema/0021_one_time_tokens.sql';
import secondFactors from '../../schema/0022_second_factors.sql';
import providers from '../../schema/0023_providers.sql';
import sessions from '../../schema/0024_sessions.sql';
import phones from '../../schema/0025_phones.sql';
import oauthServer from '../../schema/0026_oauth_server.sql';
import audit from '../../schema/0028_audit.sql';
import members from '../../schema/0029_members.sql';
import mailNotices from '../../schema/0034_mail_notices.sql';
import signInCounts from '../../schema/0035_sign_in_counts.sql';
import quickerSignIn from '../../schema/0036_quicker_sign_in.sql';
import apiKeyUses from '../../schema/0037_api_key_uses.sql';
import oauthRequests from '../../schema/0039_oauth_requests.sql';
import versionIds from '../../schema/0040_version_ids.sql';
import skippedRoles from '../../schema/0044_skipped_roles.sql';
import hostedProjects from '../../schema/0045_hosted_projects.sql';
import sharedCounts from '../../schema/0048_shared_counts.sql';
import screensOfMembers from '../../schema/0051_screens_of_members.sql';
import look from '../../schema/0052_look.sql';
import memberViews from '../../schema/0053_member_views.sql';
import site from '../../schema/0055_site.sql';
import publicNames from '../../schema/0056_public_names.sql';
import unprovenAddresses from '../../schema/0059_unproven_addresses.sql';
import quickerCounts from '../../schema/0060_quicker_counts.sql';
import applicationScopes from '../../schema/0061_application_scopes.sql';
import labels from '../../schema/0062_labels.sql';
import quickerSessions from '../../schema/0063_quicker_sessions.sql';
import unprovenPhones from '../../schema/0066_unproven_phones.sql';
import refusingBound from '../../schema/0067_refusing_bound.sql';
import requestLog from '../../schema/0077_request_log.sql';
import logCountsAndImports from '../../schema/0080_log_counts_and_imports.sql';
import slowRequests from '../../schema/0086_slow_requests.sql';
import serverRole from '../../schema/0090_server_role.sql';
import transitionsUnderPolicies from '../../schema/0091_transitions_under_policies.sql';
import consoleTables from '../../schema/console/0001_console.sql';
import scheduledWork from '../../schema/console/0002_scheduled_work.sql';
import appSecrets from '../../schema/console/0020_app_secrets.sql';
import teams from '../../schema/console/0021_teams.sql';
import builderAudit from '../../schema/console/0023_audit.sql';
import builderRules from '../../schema/console/0025_builder_rules.sql';
import nodeAudit from '../../schema/console/0026_node_audit.sql';

interface SchemaFile {
  name: string;
  sql: string;
  /** True if the file also applies to an app on an existing database. */
  onExisting: boolean;
}

/** The schema files of every app's database, in order. A released file never changes; new files are appended. */
export const appFiles: readonly SchemaFile[] = [
  { name: '0001_base', sql: base, onExisting: true },
  { name: '0002_auth', sql: auth, onExisting: true },
  { name: '0003_project', sql: project, onExisting: false },
  { name: '0005_calls', sql: calls, onExisting: true },
  { name: '0006_versions', sql: versions, onExisting: true },
  { name: '0007_description', sql: description, onExisting: true },
  { name: '0008_states', sql: states, onExisting: true },
  { name: '0009_probe', sql: probe, onExisting: true },
  { name: '0010_ninefold_of_versions', sql: ninefoldOfVersions, onExisting: true },
  { name: '0011_hide_other_apps', sql: hideOtherApps, onExisting: false },
  { name: '0012_guards', sql: guards, onExisting: true },
  { name: '0013_advisory_locks', sql: advisoryLocks, onExisting: true },
  { name: '0014_sign_in_limits', sql: signInLimits, onExisting: true },
  { name: '0015_supabase_projects', sql: supabaseProjects, onExisting: true },
  { name: '0016_scheduled_jobs', sql: scheduledJobs, onExisting: true },
  { name: '0017_http_from_sql', sql: httpFromSql, onExisting: true },
  { name: '0018_auth_tables', sql: authTables, onExisting: true },
  { name: '0019_user_mappings', sql: userMappings, onExisting: true },
  { name: '0020_mails', sql: mails, onExisting: true },
  { name: '0021_one_time_tokens', sql: oneTimeTokens, onExisting: true },
  { name: '0022_second_factors', sql: secondFactors, onExisting: true },
  { name: '0023_providers', sql: providers, onExisting: true },
  { name: '0024_sessions', sql: sessions, onExisting: true },
  { name: '0025_phones', sql: phones, onExisting: true },
  { name: '0026_oauth_server', sql: oauthServer, onExisting: true },
  { name: '0028_audit', sql: audit, onExisting: true },
  { name: '0029_members', sql: members, onExisting: true },
  { name: '0034_mail_notices', sql: mailNotices, onExisting: true },
  { name: '0035_sign_in_counts', sql: signInCounts, onExisting: true },
  { name: '0036_quicker_sign_in', sql: quickerSignIn, onExisting: true },
  { name: '0037_api_key_uses', sql: apiKeyUses, onExisting: true },
  { name: '0039_oauth_requests', sql: oauthRequests, onExisting: true },
  { name: '0040_version_ids', sql: versionIds, onExisting: true },
  { name: '0044_skipped_roles', sql: skippedRoles, onExisting: true },
  { name: '0045_hosted_projects', sql: hostedProjects, onExisting: true },
  { name: '0048_shared_counts', sql: sharedCounts, onExisting: true },
  { name: '0051_screens_of_members', sql: screensOfMembers, onExisting: true },
  { name: '0052_look', sql: look, onExisting: true },
  { name: '0053_member_views', sql: memberViews, onExisting: true },
  { name: '0055_site', sql: site, onExisting: true },
  { name: '0056_public_names', sql: publicNames, onExisting: true },
  { name: '0059_unproven_addresses', sql: unprovenAddresses, onExisting: true },
  { name: '0060_quicker_counts', sql: quickerCounts, onExisting: true },
  { name: '0061_application_scopes', sql: applicationScopes, onExisting: true },
  { name: '0062_labels', sql: labels, onExisting: true },
  { name: '0063_quicker_sessions', sql: quickerSessions, onExisting: true },
  { name: '0066_unproven_phones', sql: unprovenPhones, onExisting: true },
  { name: '0067_refusing_bound', sql: refusingBound, onExisting: true },
  { name: '0077_request_log', sql: requestLog, onExisting: true },
  { name: '0080_log_counts_and_imports', sql: logCountsAndImports, onExisting: true },
  { name: '0086_slow_requests', sql: slowRequests, onExisting: true },
  { name: '0090_server_role', sql: serverRole, onExisting: true },
  { name: '0091_transitions_under_policies', sql: transitionsUnderPolicies, onExisting: true },
];

/** Name of the last schema file. */
export const newestAppFile: string = appFiles[appFiles.length - 1]?.name ?? '';

/** Further schema files of the console's database. */
export const consoleFiles: readonly SchemaFile[] = [
  { name: 'console/0001_console', sql: consoleTables, onExisting: false },
  { name: 'console/0002_scheduled_work', sql: scheduledWork, onExisting: false },
  { name: 'console/0020_app_secrets', sql: appSecrets, onExisting: false },
  { name: 'console/0021_teams', sql: teams, onExisting: false },
  { name: 'console/0023_audit', sql: builderAudit, onExisting: false },
  { name: 'console/0025_builder_rules', sql: builderRules, onExisting: false },
  { name: 'console/0026_node_audit', sql: nodeAudit, onExisting: false },
];

/**
 * Applies the files that a database does not have yet. Each file runs in a transaction, under a lock, so that no other
 * node applies files to the database at the same time. Runs as the superuser with an empty search path, so that no
 * object of an app's owner is called. The app's journal ignores changes by a superuser (`ninefold.note_schema_change`).
 * Returns the names of the applied files.
 * @throws SchemaStepError if the database rejects a file.
 * @throws NinefoldError app_database_unfit if the schema `ninefold` is not Ninefold's.
 */
export async function applySchemaFiles(database: Database, files: readonly SchemaFile[]): Promise<string[]> {
  const [known] = await database.run([{ text: OWN_SCHEMA, params: [] }]);
  const schema = known && rowsAsText(known)[0];
  // An attached database may have another schema `ninefold`. Its views and triggers would run as the superuser, so the
  // database is refused.
  if (schema && schema.is_own !== 't') {
    const reason = 'it has a schema ninefold that is not Ninefold’s';
    throw new NinefoldError('app_database_unfit', { details: { reason } });
  }
  const names = schema?.complete === 't' ? await appliedFiles(database) : new Set();
  const missing = files.filter((file) => !names.has(file.name));
  for (const file of missing) {
    try {
      await database.script(
        `begin; set local search_path = ''; set local lock_timeout = ${limits.schemaStepLockMilliseconds.default};
select pg_catalog.pg_advisory_xact_lock(${SCHEMA_LOCK});
${file.sql}
;insert into ninefold.schema_files (name) values ('${file.name}'); commit;`,
      );
    } catch (error) {
      // Another worker may have applied the file first. Then this worker's attempt fails, but the database is up to
      // date.
      if (!(error instanceof DatabaseError)) throw error;
      if (!(await appliedFiles(database).catch(() => new Set())).has(file.name))
        throw new SchemaStepError(file.name, error);
    }
  }
  return missing.map((file) => file.name);
}

/** Error of a database that rejected a schema file. The message is PostgreSQL's. */
export class SchemaStepError extends Error {
  override readonly name = 'SchemaStepError';
  readonly step: string;

  constructor(step: string, cause: DatabaseError) {
    super(cause.message, { cause });
    this.step = step;
  }
}

async function appliedFiles(database: Database): Promise<Set<string | null | undefined>> {
  const [applied] = await database.run([{ text: 'select name from ninefold.schema_files', params: [] }]);
  return new Set(applied ? rowsAsText(applied).map((row) => row.name) : []);
}

const SCHEMA_LOCK = 9_009_001;

const OWN_SCHEMA = `select r.rolsuper as is_own, pg_catalog.to_regclass('ninefold.schema_files') is not null as complete
  from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner where n.nspname = 'ninefold'`;
