import { limits } from '../../../contract/limits.ts';
import type { SpecificationLink } from '../../../contract/specification-links.ts';
import type { Database } from '../../database/database.ts';
import { firstJson, rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { hashLinkSecret, newLinkSecret } from './link-secret.ts';

/** Data of a new link. */
export interface NewSpecificationLink {
  readonly app: string;
  /** Number of a version; null for the specification as of the time of reading. */
  readonly version: number | null;
  /** Null: the link does not end by itself. */
  readonly days: number | null;
  /** Id of the builder who makes the link; null for the operator. */
  readonly createdBy: string | null;
}

/** A link that works. */
export interface OpenSpecificationLink {
  readonly id: string;
  readonly app: string;
  readonly version: number | null;
}

/** Time in which repeated readings write `last_read_at` once, so that a reader cannot make the node write. */
const NOTED_SECONDS = 60;

/** SQL: the link `l` has expired. */
const IS_EXPIRED = 'coalesce(l.expires_at <= now(), false)';

/** SQL: the creator of the link `l` may still make links of its app. */
const HAS_CREATOR = `(l.created_by is null
  or exists (select from public.builders b where b.user_id = l.created_by and b.is_owner)
  or exists (select from public.memberships m where m.user_id = l.created_by and m.app = l.app
    and m.role in ('owner', 'developer')))`;

/** The links by which readers without an account read specifications, in the console's database. */
export class SpecificationLinks {
  readonly #database: Database;

  /** @param database The console's database, with the superuser's login. */
  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the links of an app, newest first. */
  async list(ref: string): Promise<SpecificationLink[]> {
    const [result] = await this.#database.run([
      {
        text: `select json_agg(json_build_object('id', l.id, 'created_at', l.created_at, 'expires_at', l.expires_at,
                 'created_by', coalesce((select b.name from public.builders b where b.user_id = l.created_by), 'operator'),
                 'version', l.version, 'last_read_at', l.last_read_at,
                 'ended', case when ${IS_EXPIRED} then 'expired' when not ${HAS_CREATOR} then 'creator' end)
                 order by l.created_at desc, l.id)
               from node.specification_links l where l.app = $1`,
        params: [ref],
      },
    ]);
    return (result && firstJson<SpecificationLink[]>(result)) ?? [];
  }

  /**
   * Stores a link and returns its secret. Deletes the expired links of the app.
   * @throws NinefoldError links_full
   */
  async create({
    app,
    version,
    days,
    createdBy,
  }: NewSpecificationLink): Promise<{ id: string; secret: string; expiresAt: string | null }> {
    const secret = newLinkSecret();
    const expiresAt = days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString();
    const stored = await this.#database.transaction(async (tx) => {
      const results = await tx.run([
        { text: 'select 1 from public.apps where ref = $1 for update', params: [app] },
        { text: `delete from node.specification_links l where l.app = $1 and ${IS_EXPIRED}`, params: [app] },
        {
          text: `insert into node.specification_links (secret_hash, app, version, created_by, expires_at)
                 select $1, $2, $3::bigint, $4::uuid, $5::timestamptz
                 where (select count(*) from node.specification_links l where l.app = $2) < $6::int returning id`,
          params: [
            ...[hashLinkSecret(secret), app, version === null ? null : String(version), createdBy, expiresAt],
            String(limits.specificationLinks.default),
          ],
        },
      ]);
      return results.at(-1);
    });
    const id = stored && rowsAsText(stored)[0]?.id;
    if (!id) throw new NinefoldError('links_full');
    return { id, secret, expiresAt };
  }

  /**
   * Deletes a link.
   * @throws NinefoldError link_unknown if the app has no link with this id
   */
  async withdraw(ref: string, id: string): Promise<void> {
    const [result] = await this.#database.run([
      {
        text: 'delete from node.specification_links where app = $1 and id = $2::uuid returning id',
        params: [ref, id],
      },
    ]);
    if (!result?.rows.length) throw new NinefoldError('link_unknown');
  }

  /** Returns the link with this secret; null if there is none that works. */
  async open(secret: string): Promise<OpenSpecificationLink | null> {
    const [result] = await this.#database.run([
      {
        text: `select json_build_object('id', l.id, 'app', l.app, 'version', l.version)
               from node.specification_links l
               where l.secret_hash = $1 and not ${IS_EXPIRED} and ${HAS_CREATOR}`,
        params: [hashLinkSecret(secret)],
      },
    ]);
    return (result && firstJson<OpenSpecificationLink>(result)) ?? null;
  }

  /** Records that the link was read. */
  async noteRead(id: string): Promise<void> {
    await this.#database.run([
      {
        text: `update node.specification_links set last_read_at = now() where id = $1::uuid
                 and (last_read_at is null or last_read_at < now() - make_interval(secs => $2::int))`,
        params: [id, String(NOTED_SECONDS)],
      },
    ]);
  }
}
