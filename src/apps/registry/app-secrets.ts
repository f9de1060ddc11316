import { type AuthSecret, authSecrets } from '../../../contract/settings-auth.ts';
import type { Executor } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import { seal, unseal } from './seal.ts';

/** The secret settings of an app that have a value. */
export type Secrets = Readonly<Partial<Record<AuthSecret, string>>>;

/** Returns the additional data of an encrypted value, which binds it to its app and name. */
const contextOf = (ref: string, name: string): string => `secret of app ${ref}: ${name}`;

/** Stores the secret settings of all apps in the console's database. */
export class SecretStore {
  readonly #database: Executor;
  readonly #masterKey: Buffer;

  /** @param database The console's database, with the superuser's login. */
  constructor(database: Executor, masterKey: Buffer) {
    this.#database = database;
    this.#masterKey = masterKey;
  }

  /**
   * Returns the secrets of an app. Omits values that were encrypted for another app or name, or with another master
   * key.
   */
  async read(ref: string): Promise<Secrets> {
    const sealed = Object.entries(await this.#sealed(ref));
    return Object.fromEntries(
      sealed.flatMap(([name, value]) => {
        const opened = this.#open(ref, name, value);
        return opened === null ? [] : [[name, opened]];
      }),
    );
  }

  /** Returns the names of the secrets that have a value. */
  async names(ref: string): Promise<ReadonlySet<string>> {
    return new Set(Object.keys(await this.#sealed(ref)));
  }

  /** Stores a secret, or removes it if the value is null. The console's database notifies all workers. */
  async write(ref: string, name: AuthSecret, value: string | null, by: string): Promise<void> {
    await this.#database.run([
      value === null
        ? { text: 'delete from node.app_secrets where app = $1 and name = $2', params: [ref, name] }
        : {
            text: `insert into node.app_secrets (app, name, sealed, set_by) values ($1, $2, $3, $4)
              on conflict (app, name) do update set sealed = excluded.sealed, set_at = now(), set_by = excluded.set_by`,
            params: [ref, name, seal(value, this.#masterKey, contextOf(ref, name)), by],
          },
    ]);
  }

  async #sealed(ref: string): Promise<Record<string, string>> {
    const [result] = await this.#database.run([
      {
        text: 'select pg_catalog.json_object_agg(name, sealed) from node.app_secrets where app = $1',
        params: [ref],
        planKey: 'superuser',
      },
    ]);
    return (result && firstJson<Record<string, string>>(result)) ?? {};
  }

  #open(ref: string, name: string, sealed: string): string | null {
    if (!Object.hasOwn(authSecrets, name)) return null;
    try {
      return unseal<string>(sealed, this.#masterKey, contextOf(ref, name));
    } catch {
      return null;
    }
  }
}
