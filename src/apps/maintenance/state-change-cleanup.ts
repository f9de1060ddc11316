import { limits } from '../../../contract/limits.ts';
import { firstJson } from '../../database/statement.ts';
import type { Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import { rethrowAsAppDamaged } from '../provisioning/damaged-app.ts';
import { becomeAuthAdmin, runAsServerRole } from '../run-as-server-role.ts';
import { Background } from './background.ts';
import type { BackgroundTurns } from './background-turns.ts';

/**
 * Deletes state changes that are older than the setting state_changes_days, and expired sign-in data (`sweepSignIns`),
 * in the background, for apps that receive requests. The last state change of an existing row is retained, because it
 * shows since when the row has been in its state.
 */
export class StateChangeCleanup {
  readonly #apps: Apps;
  readonly #background: Background;
  #timer: NodeJS.Timeout | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(apps: Apps, events: Events) {
    this.#apps = apps;
    this.#background = new Background(events, 'deleting state changes');
  }

  start(turns: BackgroundTurns): void {
    this.#timer = setInterval(() => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep(turns));
    }, limits.stateChangeSweepSeconds.default * 1000);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#isStopping = true;
    await this.#sweeping;
  }

  async #sweep(turns: BackgroundTurns): Promise<void> {
    for (const ref of this.#apps.takeServed()) {
      await turns.run(async () => {
        await this.#background.attempt(ref, async () => {
          const app = await this.#apps.find(ref);
          await deleteOldStateChanges(app, () => this.#isStopping);
          await sweepSignIns(app);
        });
      });
    }
  }
}

/**
 * Deletes old state changes in batches, so that no lock is held for long. Skips rows that another session has locked.
 * Returns the number of deleted state changes.
 * @param isStopped Returns true to stop after the current batch.
 * @throws DatabaseError
 * @throws ConnectionError
 */
export async function deleteOldStateChanges(
  app: Pick<App, 'serverDatabase' | 'settings'>,
  isStopped = () => false,
): Promise<number> {
  const { state_changes_days: days } = (await app.settings()).rest;
  if (days === 0) return 0;
  let forgotten = 0;
  for (let from: string | null = '0'; from !== null && !isStopped(); ) {
    const [result] = await runAsServerRole(app.serverDatabase, [
      {
        text: FORGET,
        params: [
          from,
          String(Math.max(days, limits.stateChangeFiguresDays.default)),
          String(limits.stateChangesPerBatch.default),
        ],
      },
    ]);
    const batch: { next: string | null; deleted: number } | null = (result && firstJson(result)) ?? null;
    forgotten += batch?.deleted ?? 0;
    from = batch?.next ?? null;
  }
  return forgotten;
}

/**
 * Statement that processes $3 state changes after id $1 in the order of their ids; `next` is null if there are no
 * further old ones.
 */
const FORGET = `with looked as materialized (
    select p.id, p.entity, p.field, p.key_hash, p.row_deleted from ninefold.state_changes p
    where p.id > $1::bigint and p.at < pg_catalog.now() - pg_catalog.make_interval(days => $2::int)
    order by p.id limit $3::int
  ), old as (
    select p.id from ninefold.state_changes p join looked l using (id)
    where p.row_deleted or exists (
      select from ninefold.state_changes later where later.entity = l.entity and later.key_hash = l.key_hash
        and later.field = l.field and not later.row_deleted and later.id > l.id)
    for update of p skip locked
  ), deleted as (
    delete from ninefold.state_changes p using old where p.id = old.id returning p.id
  )
  select pg_catalog.json_build_object(
    'next', (select case when pg_catalog.count(*) = $3::int then pg_catalog.max(id)::text end from looked),
    'deleted', (select pg_catalog.count(*) from deleted))`;

/**
 * Deletes ended sessions with their refresh tokens, expired flows, tokens and challenges, and old or excess entries of
 * the audit log. Merges the counts of sign-ins. One run deletes a limited number of rows of each table. Returns the
 * number of deleted rows.
 */
export async function sweepSignIns(app: Pick<App, 'database' | 'settings'>): Promise<number> {
  const { auth } = await app.settings();
  const statements = [
    {
      text: 'select ninefold.sweep_sign_ins($1::integer, $2::bigint, $3::float8, $4::float8, $5::float8, $6::float8, $7::integer)',
      params: [
        String(auth.audit_log_retention),
        String(limits.auditEntries.default),
        String(auth.sessions_timebox),
        String(auth.sessions_inactivity_timeout),
        String(limits.flowSeconds.default),
        String(limits.unusedTokenSeconds.default),
        String(limits.sweptRows.default),
      ],
    },
    {
      text: 'select ninefold.fold_sign_in_counts($1::integer)',
      params: [String(limits.signInCountDays.default)],
    },
  ];
  const [, result] = await app.database.run([becomeAuthAdmin, ...statements]).catch(rethrowAsAppDamaged);
  return Number(result?.rows[0]?.[0]?.toString() ?? 0);
}
