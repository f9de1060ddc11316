import { limits } from '../../../contract/limits.ts';
import { firstJson } from '../../database/statement.ts';
import type { Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { BufferedCounters } from '../statistics/buffered-counters.ts';

/** The length of a day. */
const DAY_MILLISECONDS = 86_400_000;

interface Count {
  readonly key: string;
  /** Start of the day, in seconds since 1970. */
  readonly day: number;
  uses: number;
}

/** Counts how often each API key is used per day. */
export class KeyUses {
  readonly #counts: BufferedCounters<Count>;

  constructor(apps: Apps, events: Events) {
    this.#counts = new BufferedCounters({ apps, events, what: 'counting uses of API keys' }, { write, maintain });
  }

  start(turns: BackgroundTurns): void {
    this.#counts.start(turns);
  }

  stop(): Promise<void> {
    return this.#counts.stop();
  }

  /**
   * Counts one use of a key.
   *
   * @param key The id of the key.
   * @param now In milliseconds since 1970.
   */
  add(ref: string, key: string, now: number): void {
    const counts = this.#counts.of(ref);
    if (!counts) return;
    const day = Math.floor(now / DAY_MILLISECONDS) * (DAY_MILLISECONDS / 1000);
    const known = counts.get(key);
    if (known?.day === day) {
      known.uses++;
      return;
    }
    // The first flush after midnight may contain uses of the previous day. They get a separate key, so that they are
    // counted for that day.
    if (known) counts.set(`${key} ${known.day}`, known);
    counts.set(key, { key, day, uses: 1 });
  }
}

/** The order prevents a deadlock of two workers. */
const UPSERT = `insert into ninefold.api_key_uses as u (key_id, day, uses)
  select c.key, (to_timestamp(c.day) at time zone 'utc')::date, c.uses
  from json_to_recordset($1::json) as c (key text, day bigint, uses bigint)
  order by c.key, c.day
  on conflict (key_id, day) do update set uses = u.uses + excluded.uses`;

const FORGET = `delete from ninefold.api_key_uses where day < (now() at time zone 'utc')::date - ${limits.apiKeyUseDays.default}`;

async function write(app: App, counts: readonly Count[]): Promise<void> {
  await runAsServerRole(app.serverDatabase, [{ text: UPSERT, params: [JSON.stringify(counts)] }]);
}

async function maintain(app: App, isDue: boolean): Promise<void> {
  if (isDue) await runAsServerRole(app.serverDatabase, [{ text: FORGET, params: [] }]);
}

/** The stored uses of an API key. */
export interface StoredKeyUses {
  readonly id: string;
  /** The day of the last use: YYYY-MM-DD, in UTC. */
  readonly lastDay: string;
  /** Number of uses in the last 30 days. */
  readonly uses: number;
}

const READ = `select json_agg(json_build_object('id', k.key_id, 'lastDay', k.day, 'uses', k.uses))
  from (select key_id, max(day) as day, coalesce(sum(uses) filter (where day > (now() at time zone 'utc')::date - 30), 0) as uses
    from ninefold.api_key_uses group by key_id) k`;

/** Reads the last use and the number of uses of each API key of an app. */
export async function readKeyUses(app: App): Promise<ReadonlyMap<string, StoredKeyUses>> {
  const [result] = await runAsServerRole(app.serverDatabase, [{ text: READ, params: [] }]);
  const rows = (result && firstJson<StoredKeyUses[]>(result)) ?? [];
  return new Map(rows.map((row) => [row.id, row]));
}
