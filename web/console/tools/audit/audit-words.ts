import type { AuditKind, AuditLine } from '../../queries/audit.ts';

/** Descriptions of the actions in the logs of an app. They are written so that they can follow the name of the actor. */
const appWords = {
  members: {
    login: 'signed in',
    login_refused: 'failed to sign in',
    logout: 'signed out',
    session_ended: 'ended a session',
    token_revoked: 'lost a session: a refresh token was used twice',
    user_signedup: 'created an account',
    user_confirmation_requested: 'asked to confirm an address',
    user_repeated_signup: 'signed up again with a known address',
    user_recovery_requested: 'asked for a recovery mail',
    user_reauthenticate_requested: 'asked for a code',
    user_invited: 'invited a member',
    user_updated_password: 'changed a password',
    user_modified: 'changed an account',
    user_deleted: 'deleted an account',
    identity_linked: 'linked an account of a provider',
    identity_unlinked: 'unlinked an account of a provider',
    factor_in_progress: 'began to add a second factor',
    challenge_created: 'was asked for a second factor',
    verification_attempted: 'answered with a second factor',
    factor_unenrolled: 'removed a second factor',
    factor_updated: 'renamed a second factor',
    factor_deleted: 'deleted a second factor',
    generate_recovery_codes: 'created recovery codes',
    recovery_codes_deleted: 'removed recovery codes',
    passkey_created: 'added a passkey',
    passkey_updated: 'renamed a passkey',
    passkey_deleted: 'removed a passkey',
  },
  builders: {
    app_created: 'created the app',
    app_renamed: 'renamed the app',
    app_deleted: 'deleted the app',
    app_cloned: 'cloned the app',
    sql_run: 'ran SQL',
    migrations_applied: 'applied migrations',
    setting_changed: 'changed a setting',
    setting_reset: 'reset a setting',
    api_key_created: 'created an API key',
    api_key_rotated: 'rotated an API key',
    api_key_revoked: 'revoked an API key',
    api_key_revealed: 'revealed an API key',
    s3_key_created: 'created an access key of the S3 protocol',
    s3_key_deleted: 'deleted an access key of the S3 protocol',
    queue_created: 'created a queue',
    queue_dropped: 'dropped a queue',
    queue_purged: 'purged a queue',
    queue_message_sent: 'sent a message to a queue',
    queue_message_archived: 'archived a message of a queue',
    queue_message_deleted: 'deleted a message of a queue',
    url_key_rotated: 'replaced the key of signed links',
    keys_added: 'added a signing key',
    keys_rotated: 'rotated the signing keys',
    key_revoked: 'revoked a signing key',
    application_registered: 'registered an application',
    application_changed: 'changed an application',
    application_deleted: 'deleted an application',
    application_secret_renewed: 'renewed the secret of an application',
    sessions_ended: 'ended all sessions',
    session_ended: 'ended a session',
    mail_deleted: 'deleted a mail',
    builder_invited: 'invited a builder',
    invitation_withdrawn: 'revoked an invitation',
    specification_link_created: 'shared the specification by a link',
    specification_link_withdrawn: 'withdrew a link to the specification',
    builder_role_changed: 'changed the role of a builder',
    builder_removed: 'removed a builder',
    builder_left: 'left the app',
    rows_imported: 'imported rows',
    import_undone: 'undid an import of rows',
    members_imported: 'imported members',
    acted_as_member: 'acted as a member',
    site_published: 'published the front end',
    site_removed: 'stopped serving the front end',
    function_deployed: 'deployed an edge function',
    function_changed: 'changed an edge function',
    function_deleted: 'deleted an edge function',
    function_secrets_set: 'changed secrets of edge functions',
  },
} as const satisfies Partial<Record<AuditKind, Readonly<Record<string, string>>>>;

const words: Readonly<Record<AuditKind, Readonly<Record<string, string>>>> = {
  ...appWords,
  node: {
    ...appWords.members,
    app_created: 'created an app',
    app_cloned: 'cloned an app',
    app_deleted: 'deleted an app',
    builder_invited: 'invited a builder',
    invitation_withdrawn: 'revoked an invitation',
    builder_role_changed: 'changed the role of a builder',
    builder_removed: 'removed a builder',
    builder_password_set: 'set the password of a builder',
    builder_recovery_begun: 'created a recovery link',
    second_factor_rule_changed: 'changed whether builders need a second factor',
    backup_requested: 'started a backup or a drill',
    recovery_phrase_made: 'made a recovery phrase',
    app_restored: 'restored an app from a backup',
  },
};

/** Returns the name of an actor: the address of an account, or the key of a server. */
export const actorOf = (actor: string): string => (actor === 'service_role' ? 'secret key' : actor || 'unknown');

/** Returns the actions of a log with their descriptions, as options of a select field. */
export const actionsOf = (kind: AuditKind): readonly { value: string; label: string }[] =>
  Object.entries(words[kind]).map(([value, label]) => ({ value, label }));

/** Describes an action; returns an unknown action unchanged. */
export const actionWords = (kind: AuditKind, action: string): string =>
  words[kind][action] ?? action.replaceAll('_', ' ');

/** Returns the details of an entry on one line. */
export const objectOf = ({ details }: AuditLine): string =>
  Object.entries(details)
    .filter(([name, value]) => value !== null && value !== '' && name !== 'session_id')
    .map(
      ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(', ');

/** Matches a text that a spreadsheet reads as a formula, also after a tab or a line break. */
const FORMULA = /^[\s]*[=+\-@]/;

/** Returns one field of CSV (RFC 4180). A text that a spreadsheet would evaluate gets a leading apostrophe. */
export function csvField(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const names = ['at', 'actor', 'actor_id', 'action', 'details', 'refused', 'address', 'request_id'];

/** Returns entries as CSV with a header line. */
export const asCsv = (lines: readonly AuditLine[]): string =>
  [
    names,
    ...lines.map(({ at, actor, actorId, action, details, refused, address, requestId }) => [
      ...[at, actor, actorId ?? '', action, JSON.stringify(details), refused ?? '', address, requestId ?? ''],
    ]),
  ]
    .map((fields) => `${fields.map(csvField).join(',')}\r\n`)
    .join('');

/** Returns entries as JSON Lines. */
export const asJsonLines = (lines: readonly AuditLine[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');
