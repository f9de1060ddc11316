import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type Identity, serviceRole } from '../../identity/identity.ts';
import { setupText } from '../../identity/setup-text.ts';

/** The rights of a caller on a private topic, as the policies on realtime.messages decide. */
export interface TopicRights {
  readonly broadcast: { readonly read: boolean; readonly write: boolean };
  readonly presence: { readonly read: boolean; readonly write: boolean };
}

const NO_RIGHTS = { read: false, write: false };

/** Maximum number of cached decisions of an app in a worker. */
const MAX_CACHED = 10_000;
/** Maximum number of questions of an app that run at the same time, so that slow policies leave connections to requests. */
const MAX_RUNNING = 4;
/** The search path of the functions that policies call. */
const SEARCH_PATH = 'public, extensions';
/** SQLSTATE query_canceled: the policies took too long. */
const CANCELED = '57014';

interface Decision {
  readonly rights: Promise<TopicRights>;
  /** Milliseconds of `performance.now()`. */
  readonly until: number;
}

/** Asks the policies on realtime.messages of one app, in one worker. */
export class PrivateChannels {
  readonly #database: Executor;
  readonly #milliseconds: number;
  readonly #decisions = new Map<string, Decision>();
  #generation = 0;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * @param database Connections as the app's authenticator.
   * @param milliseconds Time limit of the policies.
   */
  constructor(database: Executor, milliseconds = limits.realtimePolicySeconds.default * 1000) {
    this.#database = database;
    this.#milliseconds = milliseconds;
  }

  /**
   * Returns the rights of a caller on a topic. Callers with the same role and claims share a decision, for a short time
   * and until `forget`. Claims that each new token changes do not count.
   * @param topic The topic without `realtime:`.
   * @param headers JSON of the headers that policies can read with `request.headers`.
   * @throws NinefoldError RlsPolicyError if a policy raises an error or takes too long. `cause` is the error of
   *   PostgreSQL, which only builders may read.
   * @throws The errors of `Executor.run`.
   */
  rightsOn(identity: Identity, topic: string, headers = '{}'): Promise<TopicRights> {
    // PostgreSQL has no such text, so no policy can know the topic.
    if (topic.includes('\0')) return Promise.resolve({ broadcast: NO_RIGHTS, presence: NO_RIGHTS });
    const now = performance.now();
    const key = JSON.stringify([topic, identity.role, stableClaims(identity), headers]);
    const known = this.#decisions.get(key);
    if (known && known.until > now) return known.rights;
    const rights = this.#inTurn(() => this.#askCurrent(identity, topic, headers));
    const decision = { rights, until: now + limits.realtimeRightsSeconds.default * 1000 };
    // The map is in the order of insertion, so its first entries are the oldest.
    this.#decisions.delete(key);
    this.#decisions.set(key, decision);
    for (const [oldest, { until }] of this.#decisions) {
      if (this.#decisions.size <= MAX_CACHED && until > now) break;
      this.#decisions.delete(oldest);
    }
    rights.catch(() => {
      if (this.#decisions.get(key) === decision) this.#decisions.delete(key);
    });
    return rights;
  }

  /**
   * Forgets all decisions. The caller calls it after a change of the schema, of the keys or of a table that policies
   * read, and when the app's listener has lost its connection.
   */
  forget(): void {
    this.#generation += 1;
    this.#decisions.clear();
  }

  /** Asks, and asks once more if the answer was forgotten meanwhile: it may be of the policies before a change. */
  async #askCurrent(identity: Identity, topic: string, headers: string): Promise<TopicRights> {
    const generation = this.#generation;
    const rights = await this.#ask(identity, topic, headers);
    return generation === this.#generation ? rights : this.#ask(identity, topic, headers);
  }

  /** Tries to read and to write probe rows as the caller, in one round trip, and rolls it back. */
  async #ask(identity: Identity, topic: string, headers: string): Promise<TopicRights> {
    const [broadcast, presence] = [randomUUID(), randomUUID()];
    const timeout = String(this.#milliseconds);
    const statements: Statement[] = [
      become(serviceRole, topic, headers, timeout),
      {
        text: `insert into realtime.messages (id, topic, extension) values ($1, $3, 'broadcast'), ($2, $3, 'presence')`,
        params: [broadcast, presence, topic],
        planKey: serviceRole.role,
      },
      become(identity, topic, headers, timeout),
      {
        text: 'select id from realtime.messages where id in ($1, $2)',
        params: [broadcast, presence],
        planKey: identity.role,
      },
      { text: WRITE_PROBE, params: [] },
      { text: `select pg_catalog.current_setting('ninefold.may_write')`, params: [], planKey: identity.role },
      { text: 'rollback', params: [] },
    ];
    // A function of the app can change statement_timeout for the next statement, but not this signal.
    const signal = AbortSignal.timeout(2 * this.#milliseconds);
    const results = await this.#database.run(statements, { signal }).catch((error: unknown) => {
      throw error instanceof DatabaseError ? policyError(error) : error;
    });
    const readable = new Set(results[3]?.rows.map(([id]) => id?.toString()));
    const writable = results[5]?.rows[0]?.[0]?.toString() ?? '';
    return {
      broadcast: { read: readable.has(broadcast), write: writable.includes('broadcast') },
      presence: { read: readable.has(presence), write: writable.includes('presence') },
    };
  }

  async #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_RUNNING) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await ask();
    } finally {
      // The next question takes over the turn.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/** Returns the claims without those that differ between two tokens of the same session. */
function stableClaims({ claims, claimsJson }: Identity): string {
  if (!('exp' in claims || 'iat' in claims)) return claimsJson;
  const { exp: _exp, iat: _iat, ...stable } = claims;
  return JSON.stringify(stable);
}

/**
 * Inserts a row for each extension as the caller. A policy refuses a row with insufficient_privilege; the block undoes
 * the attempt. A DO block has no result, so it leaves the result in a setting.
 */
const WRITE_PROBE = `do $$
declare
  tried pg_catalog.text;
  may_write pg_catalog.text := '';
begin
  foreach tried in array array['broadcast', 'presence'] loop
    begin
      insert into realtime.messages (topic, extension)
      values (pg_catalog.current_setting('realtime.topic'), tried);
      may_write := pg_catalog.concat(may_write, tried, ' ');
    exception
      when insufficient_privilege then null;
    end;
  end loop;
  perform pg_catalog.set_config('ninefold.may_write', may_write, true);
end
$$`;

function become({ role, claims, claimsJson }: Identity, topic: string, headers: string, timeout: string): Statement {
  const settings = {
    search_path: SEARCH_PATH,
    statement_timeout: timeout,
    role,
    'realtime.topic': topic,
    'request.jwt.claims': claimsJson,
    'request.jwt.claim.sub': typeof claims.sub === 'string' ? claims.sub : '',
    'request.jwt.claim.role': role,
    'request.headers': headers,
  };
  return { text: setupText(Object.keys(settings).join(' ')), params: Object.values(settings), planKey: 'setup' };
}

function policyError(error: DatabaseError): NinefoldError {
  const isSlow = error.sqlstate === CANCELED;
  return new NinefoldError('RlsPolicyError', {
    cause: error,
    ...(isSlow && { message: 'A policy on realtime.messages takes too long', limit: 'realtimePolicySeconds' as const }),
  });
}
