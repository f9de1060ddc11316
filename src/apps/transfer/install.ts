import { DatabaseError } from '../../database/database-error.ts';
import type { RawSession } from '../../database/raw-session.ts';
import { quoteIdentifier as id, quoteLiteral as literal } from '../../database/statement.ts';
import type { InstallPlan, PlannedEntry } from './install-plan.ts';
import { OWN_SCHEMAS, type SourceFacts } from './read-source.ts';

/** Largest text of entries that are sent at once, in characters. */
const BATCH = 100_000;

/** The two sessions at the target. */
export interface TargetSessions {
  /** The superuser. It evaluates nothing that the app's owner can define. */
  readonly superuser: RawSession;
  /** A login with the privileges of the app's roles. */
  readonly app: RawSession;
  /** Name of the login of `app`. */
  readonly appLogin: string;
}

/** Error of an object that the target does not accept. The message is PostgreSQL's. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
  /** Kind and name of the object. */
  readonly object: string;

  constructor(object: string, cause: DatabaseError) {
    super(`${object}: ${cause.message}`, { cause });
    this.object = object;
  }
}

/** Settings of both sessions, as pg_restore has them. */
export const SESSION_SETTINGS = `set check_function_bodies = off; set row_security = off; set client_min_messages = error;
  set search_path = ''; set lock_timeout = 0; set statement_timeout = 0;`;

/** Runs entries in their order. Consecutive entries of one login are one transaction. */
export async function runEntries(sessions: TargetSessions, planned: readonly PlannedEntry[]): Promise<void> {
  let batch: PlannedEntry[] = [];
  let length = 0;
  const flush = async () => {
    const [first] = batch;
    if (first) await runBatch(sessions[first.login], batch);
    batch = [];
    length = 0;
  };
  for (const next of planned) {
    if ((batch[0] && batch[0].login !== next.login) || length > BATCH) await flush();
    batch.push(next);
    length += next.entry.sql.length;
  }
  await flush();
}

async function runBatch(session: RawSession, batch: readonly PlannedEntry[]): Promise<void> {
  const texts = batch.map(({ entry, login }) => (login === 'superuser' ? unchecked(entry.type, entry.sql) : entry.sql));
  try {
    await session.query(texts.join('\n'));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // One after the other, to find the entry. The transaction of the batch was rolled back.
    for (const [i, text] of texts.entries()) {
      await session.query(text).catch((cause: unknown) => {
        const entry = batch[i]?.entry;
        if (cause instanceof DatabaseError && entry) throw new InstallError(`${entry.type} ${entry.name}`, cause);
        throw cause;
      });
    }
  }
}

/**
 * Returns a foreign key of the superuser's that is added without a look at the rows. The check would run as the superuser and
 * read a table of the app's owner. The rows come from one snapshot in which the key held.
 */
const unchecked = (type: string, sql: string): string =>
  type === 'FK CONSTRAINT' && !/ NOT VALID;$/.test(sql) ? sql.replace(/;$/, ' NOT VALID;') : sql;

/** Marks the foreign keys as checked that `unchecked` added. */
export const markForeignKeysChecked = (
  sessions: TargetSessions,
  planned: readonly PlannedEntry[],
): Promise<unknown> => {
  const added = planned.filter(
    ({ entry, login }) => login === 'superuser' && entry.type === 'FK CONSTRAINT' && !/ NOT VALID;$/.test(entry.sql),
  );
  if (added.length === 0) return Promise.resolve();
  const names = added.map(({ entry }) => {
    // The name of the entry is that of the table and the constraint, with a space between them.
    return `(${literal(entry.schema ?? '')}, ${literal(entry.name)})`;
  });
  return sessions.superuser.query(`update pg_catalog.pg_constraint k set convalidated = true
    from pg_catalog.pg_class c, pg_catalog.pg_namespace n
    where k.contype = 'f' and not k.convalidated and c.oid = k.conrelid and n.oid = c.relnamespace
      and (n.nspname::text, c.relname || ' ' || k.conname) in (values ${names.join(', ')})`);
};

/** Gives objects to their owners. The superuser may do this without the privileges that PostgreSQL asks others for. */
export async function giveToOwners(sessions: TargetSessions, planned: readonly PlannedEntry[]): Promise<void> {
  const statements = planned.flatMap(({ entry }) => entry.ownership ?? []);
  if (statements.length > 0) await sessions.superuser.query(statements.join('\n'));
}

/** Creates the schemas and grants the app's login what it needs to create objects in them. */
export async function installSchemas(
  sessions: TargetSessions,
  { schemas, schemaPrivileges }: InstallPlan,
  facts: SourceFacts,
): Promise<void> {
  if (!facts.hasPublicSchema) await sessions.superuser.query('drop schema public');
  await runEntries(sessions, schemas);
  await giveToOwners(sessions, schemas);
  await runEntries(sessions, schemaPrivileges);
  await sessions.superuser.query(await schemaGrants(sessions, 'grant', 'to'));
}

/** Withdraws the privileges that `installSchemas` granted. */
export const withdrawSchemaGrants = async (sessions: TargetSessions): Promise<void> => {
  await sessions.superuser.query(await schemaGrants(sessions, 'revoke', 'from'));
};

async function schemaGrants({ superuser, appLogin }: TargetSessions, verb: string, word: string): Promise<string> {
  const rows = await superuser.query(`select nspname from pg_catalog.pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'`);
  const wrappers = await superuser.query('select fdwname from pg_catalog.pg_foreign_data_wrapper');
  return [
    ...rows.map(({ nspname }) => {
      const privileges = OWN_SCHEMAS.has(nspname ?? '') ? 'usage' : 'usage, create';
      return `${verb} ${privileges} on schema ${id(nspname ?? '')} ${word} ${id(appLogin)};`;
    }),
    ...wrappers.map(
      ({ fdwname }) => `${verb} usage on foreign data wrapper ${id(fdwname ?? '')} ${word} ${id(appLogin)};`,
    ),
  ].join('\n');
}

/**
 * Creates the extensions before any object of the app exists that their scripts could find. An extension that the owner of the
 * app created itself belongs to the owner again.
 * @param owner Role that owns the app's database.
 */
export async function installExtensions(
  sessions: TargetSessions,
  planned: readonly PlannedEntry[],
  facts: SourceFacts,
  owner: string,
): Promise<void> {
  for (const { entry } of planned) {
    const isOwners = facts.extensions.get(entry.name) === owner;
    if (!isOwners) {
      await runEntries(sessions, [{ entry, login: 'superuser' }]);
      continue;
    }
    // PostgreSQL lets the owner of a database create extensions that are trusted.
    await sessions.app.query(`set role ${id(owner)}`);
    await runEntries(sessions, [{ entry, login: 'app' }]);
    await sessions.app.query('reset role');
  }
}

/** The extensions that `ninefold.give_extension` gave to the owner of the database. */
export const givenExtensions = (facts: SourceFacts): string[] =>
  [...facts.extensions].filter(([, owner]) => owner === 'pg_database_owner').map(([name]) => name);
