import type { AppRole } from '../../../contract/least-roles.ts';
import { limits } from '../../../contract/limits.ts';
import type { AppBuilder, BuilderAccess, Invitation, NodeInvitation, NodeRole } from '../../../contract/team.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { firstJson, type Param, type Result, rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { hashLinkSecret, newLinkSecret } from './link-secret.ts';

/** Permissions of a builder on the node and on each app. */
export interface BuilderRights {
  readonly ownsNode: boolean;
  readonly createsApps: boolean;
  /** True if the builder has a verified second factor. */
  readonly hasSecondFactor: boolean;
  /** The time from which the node refuses a builder without a second factor, in ISO 8601; null if it never does. */
  readonly secondFactorFrom: string | null;
  readonly apps: ReadonlyMap<string, AppRole>;
}

/** Data of a new invitation. */
export interface NewInvitation {
  readonly email: string;
  /** Ref of the app; null for an invitation to the node. */
  readonly app: string | null;
  readonly role: AppRole | NodeRole;
  readonly createsApps: boolean;
  /** Id of the builder who invites; null for the operator. */
  readonly invitedBy: string | null;
}

/** An invitation that was opened by its link. */
export interface OpenInvitation {
  readonly email: string;
  readonly role: AppRole | NodeRole;
  readonly app_name: string | null;
  readonly invited_by: string;
}

/** The secret of a link and its expiry. */
export interface LinkSecret {
  readonly secret: string;
  readonly expiresAt: string;
}

/** SQL that is true if the invitation `i` has not expired and its inviter may still invite. */
const IS_OPEN = `i.expires_at > now() and (i.invited_by is null
  or exists (select from public.builders b where b.user_id = i.invited_by and b.is_owner)
  or exists (select from public.memberships m where m.user_id = i.invited_by and m.app = i.app and m.role = 'owner'))`;

/** SQL: the time from which the node refuses builders without a second factor. */
const REQUIRED_FROM = `(select n.value #>> '{}' from node.settings n where n.key = 'second_factor_required_from')`;

/** SQL: the builder `b` has a second factor. */
export const HAS_FACTOR = `exists (select from auth.mfa_factors f where f.user_id = b.user_id and f.status = 'verified')`;

const INVITED_BY = `coalesce((select b.name from public.builders b where b.user_id = i.invited_by), 'operator')`;

/** The roles of builders, their invitations and recovery links in the console's database. */
export class TeamStore {
  readonly #database: Database;

  /** @param database The console's database, with the superuser's login. */
  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the permissions of a builder; null if the user is no builder. */
  async rightsOf(userId: string): Promise<BuilderRights | null> {
    const [result] = await this.#database.run([
      {
        text: `select json_build_object('owns', b.is_owner, 'creates', b.is_owner or b.creates_apps, 'protected', ${HAS_FACTOR},
                 'required', ${REQUIRED_FROM}, 'unseen', b.seen_at is null or b.seen_at < now() - interval '5 minutes', 'apps', (
                 select coalesce(json_agg(json_build_array(a.ref, case when b.is_owner then 'owner' else m.role end)), '[]')
                 from public.apps a left join public.memberships m on m.app = a.ref and m.user_id = b.user_id
                 where b.is_owner or m.role is not null))
               from public.builders b where b.user_id = $1::uuid`,
        params: [userId],
        planKey: 'superuser',
      },
    ]);
    const found =
      result &&
      firstJson<{
        owns: boolean;
        creates: boolean;
        protected: boolean;
        required: string | null;
        unseen: boolean;
        apps: [string, AppRole][];
      }>(result);
    if (!found) return null;
    if (found.unseen) await this.#noteSeen(userId);
    return {
      ownsNode: found.owns,
      createsApps: found.creates,
      hasSecondFactor: found.protected,
      secondFactorFrom: found.required,
      apps: new Map(found.apps),
    };
  }

  async #noteSeen(userId: string): Promise<void> {
    await this.#database.run([
      { text: 'update public.builders set seen_at = now() where user_id = $1::uuid', params: [userId] },
    ]);
  }

  /** Returns the time from which builders need a second factor, in ISO 8601; null if they need none. */
  async secondFactorFrom(): Promise<string | null> {
    const [result] = await this.#database.run([{ text: `select to_json(${REQUIRED_FROM})`, params: [] }]);
    return (result && firstJson<string>(result)) ?? null;
  }

  /**
   * Sets the time from which builders need a second factor: `graceDays` days after this call.
   * @param graceDays Null: builders never need a second factor.
   */
  async requireSecondFactor(graceDays: number | null, setBy: string): Promise<void> {
    const key = 'second_factor_required_from';
    await this.#database.run([
      graceDays === null
        ? { text: 'delete from node.settings where key = $1', params: [key] }
        : {
            text: `insert into node.settings (key, value, set_by)
                   values ($1, to_jsonb(now() + make_interval(days => $2::integer)), $3)
                   on conflict (key) do update set value = excluded.value, set_at = now(), set_by = excluded.set_by`,
            params: [key, String(graceDays), setBy],
          },
    ]);
  }

  /**
   * Returns the builders of an app including the owners of the node, who are builders of every app. Sorted by age,
   * oldest first.
   */
  async ofApp(ref: string): Promise<AppBuilder[]> {
    return this.#list<AppBuilder>(
      `select json_agg(json_build_object('id', b.user_id, 'name', b.name, 'email', u.email,
         'role', case when b.is_owner then 'owner' else m.role end, 'owns_node', b.is_owner, 'is_member', m.role is not null,
         'has_second_factor', ${HAS_FACTOR}, 'last_seen_at', b.seen_at, 'apps', (
           select coalesce(json_object_agg(o.app, o.role order by o.app), '{}')
           from public.memberships o where o.user_id = b.user_id)) order by b.created_at, b.user_id)
       from public.builders b join auth.users u on u.id = b.user_id
       left join public.memberships m on m.user_id = b.user_id and m.app = $1
       where b.is_owner or m.role is not null`,
      [ref],
    );
  }

  /**
   * Returns the second factors and passkeys of a builder of an app.
   * @throws NinefoldError builder_unknown if the builder has no role on the app
   */
  async keysOf(ref: string, userId: string): Promise<Pick<BuilderAccess, 'factors' | 'passkeys'>> {
    const [result] = await this.#database.run([
      {
        text: `select json_build_object('factors', (
                 select coalesce(json_agg(json_build_object('name', f.friendly_name, 'type', f.factor_type,
                   'created_at', f.created_at) order by f.created_at, f.id), '[]')
                 from auth.mfa_factors f where f.user_id = b.user_id and f.status = 'verified'), 'passkeys', (
                 select coalesce(json_agg(json_build_object('name', w.friendly_name, 'created_at', w.created_at)
                   order by w.created_at, w.id), '[]')
                 from auth.webauthn_credentials w where w.user_id = b.user_id))
               from public.builders b where b.user_id = $2::uuid and (b.is_owner
                 or exists (select from public.memberships m where m.app = $1 and m.user_id = b.user_id))`,
        params: [ref, userId],
      },
    ]);
    const found = result && firstJson<Pick<BuilderAccess, 'factors' | 'passkeys'>>(result);
    if (!found) throw new NinefoldError('builder_unknown');
    return found;
  }

  /** Returns the valid invitations to an app, or to the node if `ref` is null. */
  invitations(ref: null): Promise<NodeInvitation[]>;
  invitations(ref: string): Promise<Invitation[]>;
  invitations(ref: string | null): Promise<(Invitation | NodeInvitation)[]> {
    const own = ref === null ? `, 'creates_apps', i.creates_apps` : '';
    return this.#list(
      `select json_agg(json_build_object('id', i.id, 'email', i.email, 'role', i.role, 'invited_by', ${INVITED_BY},
         'expires_at', i.expires_at${own}) order by i.created_at, i.id)
       from node.invitations i where i.app is not distinct from $1 and ${IS_OPEN}`,
      [ref],
    );
  }

  /**
   * Stores an invitation and returns the secret of its link. It replaces a previous invitation to the same address.
   * @throws NinefoldError builder_exists if the builder has a role there, invitations_full
   */
  async invite({ email, app, role, createsApps, invitedBy }: NewInvitation): Promise<LinkSecret> {
    const link = newSecret(limits.invitationDays.default * 86_400_000);
    await this.#database.transaction(async (tx) => {
      await lock(tx, app);
      const [known] = await tx.run([
        {
          text: `select 1 from public.builders b join auth.users u on u.id = b.user_id
                 where lower(u.email) = $1 and ($2::text is null or b.is_owner
                   or exists (select from public.memberships m where m.app = $2 and m.user_id = b.user_id))`,
          params: [email, app],
        },
      ]);
      if (known?.rows.length) throw new NinefoldError('builder_exists');
      const results = await tx.run([
        {
          text: 'delete from node.invitations i where i.app is not distinct from $1 and (i.email = $2 or i.expires_at <= now())',
          params: [app, email],
        },
        {
          text: `insert into node.invitations (secret_hash, app, role, creates_apps, email, invited_by, expires_at)
                 select $1, $2, $3, $4::boolean, $5, $6::uuid, $7::timestamptz
                 where (select count(*) from node.invitations i where i.app is not distinct from $2) < $8::int
                 returning id`,
          params: [
            ...[hashLinkSecret(link.secret), app, role, String(createsApps), email, invitedBy, link.expiresAt],
            String(limits.openInvitations.default),
          ],
        },
      ]);
      if (!results.at(-1)?.rows.length) throw new NinefoldError('invitations_full');
    });
    return link;
  }

  /**
   * Deletes an invitation.
   * @throws NinefoldError invitation_invalid if there is none with this id
   */
  async uninvite(id: string, app: string | null): Promise<void> {
    const [result] = await this.#database.run([
      {
        text: 'delete from node.invitations i where i.id = $1::uuid and i.app is not distinct from $2 returning i.id',
        params: [id, app],
      },
    ]);
    if (!result?.rows.length) throw new NinefoldError('invitation_invalid');
  }

  /**
   * Returns the invitation of a secret without using it up.
   * @throws NinefoldError invitation_invalid
   */
  async open(secret: string): Promise<OpenInvitation> {
    const [result] = await this.#database.run([
      {
        text: `select json_build_object('email', i.email, 'role', i.role, 'invited_by', ${INVITED_BY},
                 'app_name', (select a.name from public.apps a where a.ref = i.app))
               from node.invitations i where i.secret_hash = $1 and ${IS_OPEN}`,
        params: [hashLinkSecret(secret)],
      },
    ]);
    const found = result && firstJson<OpenInvitation>(result);
    if (!found) throw new NinefoldError('invitation_invalid');
    return found;
  }

  /**
   * Uses up an invitation. The account with the invited address becomes a builder with this name, unless it already is
   * a builder. Only one of several concurrent calls succeeds.
   * @throws NinefoldError invitation_invalid
   */
  async accept(secret: string, userId: string, name: string): Promise<void> {
    const [result] = await this.#database.run([
      {
        text: `with used as (
                 delete from node.invitations i where i.secret_hash = $1 and ${IS_OPEN}
                   and exists (select from auth.users u where u.id = $2::uuid and lower(u.email) = i.email)
                 returning i.app, i.role, i.creates_apps
               ),
               builder as (
                 insert into public.builders as b (user_id, name, is_owner, creates_apps)
                 select $2::uuid, $3, app is null and role = 'owner', creates_apps from used
                 on conflict (user_id) do update set is_owner = b.is_owner or excluded.is_owner,
                   creates_apps = b.creates_apps or excluded.creates_apps
               ),
               membership as (
                 insert into public.memberships (app, user_id, role)
                 select app, $2::uuid, role from used where app is not null
                 on conflict (app, user_id) do nothing
               )
               select 1 from used`,
        params: [hashLinkSecret(secret), userId, name],
      },
    ]);
    if (!result?.rows.length) throw new NinefoldError('invitation_invalid');
  }

  /**
   * Changes the role of an app's builder, or gives an owner of the node a role.
   * @throws NinefoldError builder_unknown; last_owner if the app would have no owner
   */
  async setAppRole(ref: string, userId: string, role: AppRole): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await lock(tx, ref);
      if (role !== 'owner') await requireOtherOwners(tx, userId, ref);
      const [changed] = await tx.run([
        {
          text: `insert into public.memberships (app, user_id, role)
                 select $1, b.user_id, $3 from public.builders b where b.user_id = $2::uuid
                   and (b.is_owner or exists (select from public.memberships m where m.app = $1 and m.user_id = b.user_id))
                 on conflict (app, user_id) do update set role = excluded.role returning user_id`,
          params: [ref, userId, role],
        },
      ]);
      requireFound(changed);
    });
  }

  /**
   * Removes a builder from an app.
   * @throws NinefoldError as `setAppRole`
   */
  async removeFromApp(ref: string, userId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await lock(tx, ref);
      await requireOtherOwners(tx, userId, ref);
      const [removed] = await tx.run([
        {
          text: 'delete from public.memberships where app = $1 and user_id = $2::uuid returning user_id',
          params: [ref, userId],
        },
      ]);
      requireFound(removed);
    });
  }

  /**
   * Changes the permissions of a builder on the node.
   * @throws NinefoldError builder_unknown; last_owner if the node would have no owner
   */
  async setNodeRole(userId: string, role: NodeRole, createsApps: boolean): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await lock(tx, null);
      if (role !== 'owner') await requireOtherNodeOwners(tx, userId);
      const [changed] = await tx.run([
        {
          text: `update public.builders set is_owner = $2::boolean, creates_apps = $3::boolean where user_id = $1::uuid
                 returning user_id`,
          params: [userId, String(role === 'owner'), String(createsApps)],
        },
      ]);
      requireFound(changed);
    });
  }

  /**
   * Removes a builder from the node with all roles.
   * @throws NinefoldError builder_unknown; last_owner if the node or an app would have no owner
   */
  async removeFromNode(userId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await lock(tx, null);
      await requireOtherNodeOwners(tx, userId);
      await tx.run([
        {
          text: `select 1 from public.apps a where exists (
                   select from public.memberships m where m.app = a.ref and m.user_id = $1::uuid) order by ref for update`,
          params: [userId],
        },
      ]);
      await requireOtherOwners(tx, userId, null);
      const [removed] = await tx.run([
        { text: 'delete from public.builders where user_id = $1::uuid returning user_id', params: [userId] },
      ]);
      requireFound(removed);
    });
  }

  /**
   * Deletes an account that an invited person created, but that never became a builder, because the node ended in
   * between.
   */
  async dropLeftover(email: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await lock(tx, null);
      await tx.run([
        {
          text: `delete from auth.users u where lower(u.email) = $1 and u.created_at < now() - interval '1 minute'
                   and not exists (select from public.builders b where b.user_id = u.id)`,
          params: [email],
        },
      ]);
    });
  }

  /**
   * Stores a link with which a builder sets a new password. The link replaces a previous link.
   * @throws NinefoldError builder_unknown
   */
  async recover(userId: string): Promise<LinkSecret> {
    const link = newSecret(limits.builderRecoverySeconds.default * 1000);
    const [kept] = await this.#database.run([
      {
        text: `insert into node.builder_recoveries (user_id, secret_hash, expires_at)
               select user_id, $2, $3::timestamptz from public.builders where user_id = $1::uuid
               on conflict (user_id) do update set secret_hash = excluded.secret_hash, expires_at = excluded.expires_at
               returning user_id`,
        params: [userId, hashLinkSecret(link.secret), link.expiresAt],
      },
    ]);
    requireFound(kept);
    return link;
  }

  /**
   * Uses up a recovery link and returns the builder's id.
   * @throws NinefoldError recovery_invalid
   */
  async takeRecovery(secret: string): Promise<string> {
    const [taken] = await this.#database.run([
      {
        text: 'delete from node.builder_recoveries where secret_hash = $1 and expires_at > now() returning user_id',
        params: [hashLinkSecret(secret)],
      },
    ]);
    const userId = taken && rowsAsText(taken)[0]?.user_id;
    if (!userId) throw new NinefoldError('recovery_invalid');
    return userId;
  }

  async #list<T>(text: string, params: Param[]): Promise<T[]> {
    const [result] = await this.#database.run([{ text, params }]);
    return (result && firstJson<T[]>(result)) ?? [];
  }
}

function newSecret(lifetimeMilliseconds: number): LinkSecret {
  const expiresAt = new Date(Date.now() + lifetimeMilliseconds).toISOString();
  return { secret: newLinkSecret(), expiresAt };
}

/**
 * Locks the builders of an app (or of the node if `app` is null), so that concurrent changes run one after the other.
 */
async function lock(tx: Transaction, app: string | null): Promise<void> {
  await tx.run([
    app === null
      ? { text: 'lock table public.builders in share row exclusive mode', params: [] }
      : { text: 'select 1 from public.apps where ref = $1 for update', params: [app] },
  ]);
}

/**
 * Checks that the builder is not the only owner of the app (or of any app if `app` is null).
 * @throws NinefoldError last_owner
 */
async function requireOtherOwners(tx: Transaction, userId: string, app: string | null): Promise<void> {
  const [alone] = await tx.run([
    {
      text: `select m.app from public.memberships m
             where m.user_id = $1::uuid and m.role = 'owner' and m.app = coalesce($2, m.app) and not exists (
               select from public.memberships o where o.app = m.app and o.user_id <> m.user_id and o.role = 'owner')
             order by m.app`,
      params: [userId, app],
    },
  ]);
  const apps = alone ? rowsAsText(alone).map((row) => row.app) : [];
  if (apps.length > 0) throw new NinefoldError('last_owner', { details: { apps } });
}

/**
 * Checks that the builder is not the only owner of the node.
 * @throws NinefoldError last_owner
 */
async function requireOtherNodeOwners(tx: Transaction, userId: string): Promise<void> {
  const [alone] = await tx.run([
    {
      text: `select 1 from public.builders b where b.user_id = $1::uuid and b.is_owner
               and not exists (select from public.builders o where o.user_id <> b.user_id and o.is_owner)`,
      params: [userId],
    },
  ]);
  if (alone?.rows.length) throw new NinefoldError('last_owner', { message: 'The node would have no owner left.' });
}

function requireFound(result: Result | undefined): void {
  if (!result?.rows.length) throw new NinefoldError('builder_unknown');
}
