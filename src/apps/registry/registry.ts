import { randomBytes } from 'node:crypto';
import type { Builder } from '../../../contract/admin.ts';
import type { Database } from '../../database/database.ts';
import { firstJson, rowsAsText } from '../../database/statement.ts';
import { JWT_SECRET_KID } from '../keys/app-keys.ts';
import { findKey } from '../keys/signing-keys.ts';
import { BuilderAudit } from '../team/builder-audit.ts';
import { SpecificationLinks } from '../team/specification-links.ts';
import { HAS_FACTOR, TeamStore } from '../team/team-store.ts';
import type { AppEntry, AppRecord, AppSecrets } from './app-record.ts';
import { SecretStore } from './app-secrets.ts';
import { seal, unseal } from './seal.ts';
import { ServerStore } from './server-store.ts';

/** Context of the sealed secret of the set-up link. No app has a ref with a space. */
const SETUP_LINK = 'setup link';

interface Row {
  ref: string;
  name: string;
  database: string;
  schema_file: string;
  created_at: string;
  sealed: string;
  server: string | null;
  moving: boolean;
}

// A console that an earlier version created, such as a restored one, has no columns about servers.
const columns = `json_build_object('ref', a.ref, 'name', a.name, 'database', a.database, 'schema_file', a.schema_file,
  'created_at', a.created_at, 'sealed', s.sealed, 'server', to_jsonb(a) ->> 'server', 'moving', to_jsonb(a) ->> 'moving_to' is not null)`;

/** Error of an app's secrets that cannot be decrypted, because they were encrypted with another master key. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
}

/** The records of all apps in the console's database. Secrets are encrypted with the node's master key. */
export class Registry {
  /** The secret settings of apps. */
  readonly secrets: SecretStore;
  /** The roles of builders, their invitations and recovery links. */
  readonly team: TeamStore;
  /** The links by which readers without an account read specifications. */
  readonly links: SpecificationLinks;
  /** The further PostgreSQL servers. */
  readonly servers: ServerStore;
  /** The log of builders' actions. */
  readonly audit: BuilderAudit;
  readonly #database: Database;
  readonly #masterKey: Buffer;

  /** @param database The console's database, with the superuser's login. */
  constructor(database: Database, masterKey: Buffer) {
    this.#database = database;
    this.#masterKey = masterKey;
    this.secrets = new SecretStore(database, masterKey);
    this.team = new TeamStore(database);
    this.links = new SpecificationLinks(database);
    this.servers = new ServerStore(database, masterKey);
    this.audit = new BuilderAudit(database);
  }

  /** Returns the record of one app, or null. */
  async find(ref: string): Promise<AppRecord | null> {
    const [result] = await this.#database.run([
      {
        text: `select ${columns} from public.apps a join node.secrets s on s.app = a.ref where a.ref = $1`,
        params: [ref],
        planKey: 'superuser',
      },
    ]);
    const row = result ? firstJson<Row>(result) : null;
    return row ? this.#open(row) : null;
  }

  /** Returns the secret of the set-up link, which all nodes of the server share. Creates it if there is none. */
  async setupToken(): Promise<string> {
    const created = seal(randomBytes(24).toString('base64url'), this.#masterKey, SETUP_LINK);
    const [, result] = await this.#database.run([
      { text: 'insert into node.setup_link (sealed) values ($1) on conflict do nothing', params: [created] },
      { text: 'select sealed from node.setup_link', params: [] },
    ]);
    return unseal<string>((result && rowsAsText(result)[0]?.sealed) ?? '', this.#masterKey, SETUP_LINK);
  }

  /** Returns all apps without their secrets, oldest first. */
  async list(): Promise<AppEntry[]> {
    const [result] = await this.#database.run([
      {
        text: `select json_agg(json_strip_nulls(json_build_object('ref', ref, 'name', name, 'database', database, 'schemaFile', schema_file,
                 'createdAt', created_at, 'serverRef', to_jsonb(a) ->> 'server', 'isMoving', case when to_jsonb(a) ->> 'moving_to' is not null then true end))
                 order by created_at, ref) from public.apps a`,
        params: [],
        planKey: 'superuser',
      },
    ]);
    return (result && firstJson<AppEntry[]>(result)) ?? [];
  }

  /**
   * Stores a new app and its first builder.
   * @throws DatabaseError 23505 if the ref is in use.
   */
  async insert(record: AppRecord, builder: string | null): Promise<void> {
    const { ref, name, database, schemaFile, createdAt, serverRef = null, host: _, isMoving: __, ...secrets } = record;
    await this.#database.run([
      {
        text: 'insert into public.apps (ref, name, database, schema_file, created_at, server) values ($1, $2, $3, $4, $5, $6)',
        params: [ref, name, database, schemaFile, createdAt, serverRef],
      },
      {
        text: 'insert into node.secrets (app, sealed) values ($1, $2)',
        params: [ref, seal(secrets satisfies AppSecrets, this.#masterKey, ref)],
      },
      {
        text: `insert into public.memberships (app, user_id, role)
               select $1, user_id, 'owner' from public.builders where user_id = $2::uuid`,
        params: [ref, builder],
      },
    ]);
  }

  /**
   * Changes the secrets of an app; all workers of all nodes then read the record again. Concurrent changes of one app
   * run one after the other. Returns the changed record; null if there is no such app. Throws the errors of `change`.
   */
  async changeSecrets(ref: string, change: (secrets: AppSecrets) => AppSecrets): Promise<AppRecord | null> {
    return this.#database.transaction(async (tx) => {
      const [found] = await tx.run([
        {
          text: `select ${columns} from public.apps a join node.secrets s on s.app = a.ref where a.ref = $1 for update of s`,
          params: [ref],
        },
      ]);
      const row = found ? firstJson<Row>(found) : null;
      if (!row) return null;
      const sealed = seal(change(this.#unseal(row)), this.#masterKey, ref);
      await tx.run([
        { text: 'update node.secrets set sealed = $2 where app = $1', params: [ref, sealed] },
        // This update changes no value, but the trigger on the table notifies the workers.
        { text: 'update public.apps set ref = ref where ref = $1', params: [ref] },
      ]);
      return this.#open({ ...row, sealed });
    });
  }

  /** Records the last schema file that was applied to an app's database. */
  async recordSchemaFile(ref: string, file: string): Promise<void> {
    await this.#database.run([{ text: 'update public.apps set schema_file = $2 where ref = $1', params: [ref, file] }]);
  }

  /** Changes the name of an app; every worker then reads the record again. Returns false if there is no such app. */
  async rename(ref: string, name: string): Promise<boolean> {
    const [result] = await this.#database.run([
      { text: 'update public.apps set name = $2 where ref = $1 returning ref', params: [ref, name] },
    ]);
    return (result?.rows.length ?? 0) > 0;
  }

  /** Deletes the record of an app. Returns false if there is no such app. */
  async remove(ref: string): Promise<boolean> {
    const [result] = await this.#database.run([
      { text: 'delete from public.apps where ref = $1 returning ref', params: [ref] },
    ]);
    return (result?.rows.length ?? 0) > 0;
  }

  /** Returns the id of the builder who joined the app first; null for an app without builders. */
  async firstBuilderOf(ref: string): Promise<string | null> {
    const [result] = await this.#database.run([
      {
        text: 'select user_id from public.memberships where app = $1 order by created_at, user_id limit 1',
        params: [ref],
        planKey: 'superuser',
      },
    ]);
    return (result && rowsAsText(result)[0]?.user_id) ?? null;
  }

  /** Returns the name of a builder; null if there is none with this id. */
  async builderName(userId: string): Promise<string | null> {
    const [result] = await this.#database.run([
      { text: 'select name from public.builders where user_id = $1::uuid', params: [userId], planKey: 'superuser' },
    ]);
    return (result && rowsAsText(result)[0]?.name) ?? null;
  }

  /** Returns the builders of the node, oldest first. */
  async builders(): Promise<Builder[]> {
    const [result] = await this.#database.run([
      {
        text: `select json_agg(json_build_object('id', b.user_id, 'name', b.name, 'email', u.email, 'is_owner', b.is_owner,
                   'creates_apps', b.creates_apps or b.is_owner, 'has_second_factor', ${HAS_FACTOR},
                   'last_sign_in_at', u.last_sign_in_at, 'last_seen_at', b.seen_at,
                   'apps', (select coalesce(json_object_agg(m.app, m.role order by m.app), '{}') from public.memberships m
                     where m.user_id = b.user_id))
                 order by u.created_at, u.id)
               from public.builders b join auth.users u on u.id = b.user_id`,
        params: [],
        planKey: 'superuser',
      },
    ]);
    return (result && firstJson<Builder[]>(result)) ?? [];
  }

  async hasBuilder(): Promise<boolean> {
    const [result] = await this.#database.run([{ text: 'select 1 from public.builders limit 1', params: [] }]);
    return (result?.rows.length ?? 0) > 0;
  }

  /**
   * Makes a member of the console the first builder, who owns the node. Returns false if there is a builder already.
   */
  async claimNode(userId: string, name: string): Promise<boolean> {
    // LOCK TABLE works only in a transaction block, and statements that are sent with one Sync are no transaction
    // block.
    const [result] = await this.#database.transaction(async (tx) => {
      await tx.run([{ text: 'lock table public.builders in exclusive mode', params: [] }]);
      return tx.run([
        {
          text: `insert into public.builders (user_id, name, is_owner, creates_apps)
                 select $1::uuid, $2, true, true where not exists (select from public.builders) returning user_id`,
          params: [userId, name],
        },
      ]);
    });
    return (result?.rows.length ?? 0) > 0;
  }

  #unseal({ ref, sealed }: Row): AppSecrets {
    try {
      return unseal<AppSecrets>(sealed, this.#masterKey, ref);
    } catch (cause) {
      throw new MasterKeyError(`the secrets of the app ${ref} were sealed with another master key`, { cause });
    }
  }

  async #open(row: Row): Promise<AppRecord> {
    const secrets = this.#unseal(row);
    const { ref, name, database, schema_file: schemaFile, created_at: createdAt } = row;
    const host = row.server === null ? null : await this.servers.hostOf(row.server);
    return withoutRevoked({
      ...{ ...secrets, ref, name, database, schemaFile, createdAt },
      ...(row.server !== null && host && { serverRef: row.server, host }),
      ...(row.moving && { isMoving: true }),
    });
  }
}

/**
 * Removes the legacy keys if the shared secret is revoked, because anyone who knows the secret could have created them.
 */
function withoutRevoked(record: AppRecord): AppRecord {
  const isRevoked = findKey(record, JWT_SECRET_KID)?.state === 'revoked';
  return isRevoked ? { ...record, anonKey: '', serviceRoleKey: '' } : record;
}
