import { limits } from '../../../contract/limits.ts';
import { firstJson } from '../../database/statement.ts';
import type { Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';
import { runAsServerRole } from '../run-as-server-role.ts';
import { BufferedCounters } from './buffered-counters.ts';

/** Hours for which errors are counted by the hour. */
const HOURS = 24;

/** Length of a bucket in minutes. */
const MINUTES = 10;

interface Incident {
  kind: 'error' | 'limit';
  name: string;
  subject: string;
  /** Start of the ten minutes, in seconds since 1970. */
  bucket: number;
  hits: number;
  /** Time of the last occurrence, in milliseconds since 1970. */
  lastAt: number;
  lastWho: string | null;
  /** Ids of the last requests with the error, newest first. */
  lastRequests: string[];
}

/** An error or an exceeded limit of a request, or of a channel without a request id. */
interface Hit {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The id of the member, or the address of the client; null if neither is known. */
  readonly who: string | null;
  readonly requestId: string | null;
}

/** Counts the errors and exceeded limits of each app's requests and channels, per ten minutes. Requests of builders are left out. */
export class ErrorStatistics {
  readonly #events: Events;
  readonly #counts: BufferedCounters<Incident>;

  constructor(apps: Apps, events: Events) {
    this.#events = events;
    this.#counts = new BufferedCounters({ apps, events, what: 'counting errors' }, { write, maintain });
  }

  start(turns: BackgroundTurns): void {
    this.#events.listen(['call'], (event) => {
      if (event.app === null || event.isByBuilder || event.isAbandoned || event.code === 'app_unknown') return;
      const { trace, userId, address, requestId } = event;
      const hit = { at: trace.at, who: userId ?? address, requestId };
      if (event.code !== null) this.#count(event.app, hit, 'error', event.code, event.subject ?? '');
      if (event.limit !== null) this.#count(event.app, hit, 'limit', event.limit, '');
    });
    this.#events.listen(['channel'], ({ app, at, code, limit, userId: who, isByBuilder }) => {
      if (isByBuilder) return;
      if (code !== null) this.#count(app, { at, who, requestId: null }, 'error', code, '');
      if (limit !== null) this.#count(app, { at, who, requestId: null }, 'limit', limit, '');
    });
    this.#counts.start(turns);
  }

  stop(): Promise<void> {
    return this.#counts.stop();
  }

  /** Writes the counts since the last flush. */
  flush(): Promise<void> {
    return this.#counts.flush();
  }

  #count(ref: string, hit: Hit, kind: Incident['kind'], said: string, subjectSaid: string): void {
    const incidents = this.#counts.of(ref);
    if (!incidents) return;
    const { at, who, requestId } = hit;
    const bucket = Math.floor(at / (MINUTES * 60_000)) * MINUTES * 60;
    let [name, subject] = [said, subjectSaid];
    let key = `${kind} ${bucket} ${name} ${subject}`;
    if (incidents.size >= limits.countedErrors.default && !incidents.has(key)) {
      [name, subject] = ['other', ''];
      key = `${kind} ${bucket} ${name} ${subject}`;
    }
    let incident = incidents.get(key);
    if (!incident) {
      incident = { kind, name, subject, bucket, hits: 0, lastAt: 0, lastWho: null, lastRequests: [] };
      incidents.set(key, incident);
    }
    incident.hits++;
    incident.lastAt = Math.max(incident.lastAt, at);
    incident.lastWho = who;
    if (requestId !== null) incident.lastRequests.unshift(requestId);
    incident.lastRequests.length = Math.min(incident.lastRequests.length, limits.errorRequests.default);
  }
}

// Workers write at any time, so the stored caller is replaced only by the caller of a later error. The order of the rows
// prevents a deadlock of two workers.
const UPSERT = `insert into ninefold.error_statistics as s (kind, name, subject, bucket, hits, last_at, last_caller, last_requests)
  select c.kind, c.name, c.subject, to_timestamp(c.bucket), c.hits, to_timestamp(c."lastAt" / 1000.0), c."lastWho", c."lastRequests"
  from json_to_recordset($1::json) as c (kind text, name text, subject text, bucket bigint, hits bigint, "lastAt" bigint,
    "lastWho" text, "lastRequests" text[])
  order by c.kind, c.name, c.subject, c.bucket
  on conflict (kind, name, subject, bucket) do update set hits = s.hits + excluded.hits,
    last_at = greatest(s.last_at, excluded.last_at),
    last_caller = case when excluded.last_at < s.last_at then s.last_caller else excluded.last_caller end,
    last_requests = (case when excluded.last_at < s.last_at then s.last_requests || excluded.last_requests
      else excluded.last_requests || s.last_requests end)[1:${limits.errorRequests.default}]`;

/** Adds the counts to the stored counts. */
async function write(app: App, counts: readonly Incident[]): Promise<void> {
  await runAsServerRole(app.serverDatabase, [{ text: UPSERT, params: [JSON.stringify(counts)] }]);
}

/** Deletes old counts. */
async function maintain(app: App, isDue: boolean): Promise<void> {
  if (!isDue) return;
  const { rest } = await app.settings();
  await runAsServerRole(app.serverDatabase, [{ text: FORGET, params: [String(rest.logs_error_days)] }]);
}

const FORGET = `delete from ninefold.error_statistics where bucket < now() - make_interval(days => $1::int)
  or bucket < (select bucket from ninefold.error_statistics order by bucket desc offset ${limits.errorRows.default} limit 1)`;

/** How often an error or an exceeded limit occurred, with the time and the caller of the last occurrence. */
export interface IncidentFigures {
  name: string;
  subject: string;
  hour: number;
  day: number;
  week: number;
  /** Counts of the last 24 hours, oldest first, one element per hour. */
  hours: number[];
  /** Time of the last occurrence in ISO 8601. */
  last_at: string;
  last_caller: string | null;
  last_requests: string[];
}

/**
 * Returns the errors and limits of the last week, most frequent first. The last hour is rounded to buckets of ten
 * minutes.
 */
export async function readErrorStatistics(app: App): Promise<{ errors: IncidentFigures[]; limits: IncidentFigures[] }> {
  const [result] = await runAsServerRole(app.serverDatabase, [{ text: READ, params: [] }]);
  const rows = (result && firstJson<(IncidentFigures & { kind: string })[]>(result)) ?? [];
  const of = (kind: Incident['kind']) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ kind: _, ...figures }) => ({ ...figures, last_requests: texts(figures.last_requests) }));
  return { errors: of('error'), limits: of('limit') };
}

/**
 * Returns the strings in a list; an empty list for any other value. The app's own code can write any value into this
 * table.
 */
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, limits.errorRequests.default) : [];

const sum = (condition: string) => `coalesce(sum(hits) filter (where ${condition}), 0)`;
const byHour = Array.from({ length: HOURS }, (_, i) => sum(`age = ${HOURS - 1 - i}`)).join(', ');

const READ = `with recent as (
    select *, floor(extract(epoch from date_trunc('hour', now()) - date_trunc('hour', bucket)) / 3600)::integer as age
    from ninefold.error_statistics where bucket > now() - interval '7 days' and bucket <= now()
    order by bucket desc limit ${limits.errorRows.default}
  ), summed as (
    select kind, name, subject, ${sum(`bucket > now() - interval '1 hour'`)} as hour, ${sum(`bucket > now() - interval '1 day'`)} as day,
      sum(hits) as week, array[${byHour}] as hours, max(last_at) as last_at,
      (array_agg(last_caller order by bucket desc))[1] as last_caller,
      (array_agg(array_to_json(last_requests) order by bucket desc))[1] as last_requests
    from recent group by kind, name, subject
  )
  select json_agg(summed order by week desc, kind, name, subject) from summed`;
