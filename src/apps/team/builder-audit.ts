import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import type { Param } from '../../database/statement.ts';

/** An action of a builder, successful or rejected. */
export interface BuilderEvent {
  /** The ref; `NODE` for an event of the node. */
  readonly app: string;
  /** Id of the builder who acted; null for the operator. */
  readonly actorId: string | null;
  readonly actor: string;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Code of the error; null if the request succeeded. */
  readonly refused: string | null;
  readonly address: string;
  readonly requestId: string;
}

/** Stored in place of a ref for an event of the node. */
export const NODE = '';

/** The filter of a page of entries. */
export interface AuditQuery {
  readonly action: string | null;
  /** Text to find in any part of the entry, ignoring case. */
  readonly search: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** The last entry of the previous page; null for the first page. */
  readonly after: { readonly at: string; readonly id: string } | null;
  readonly most: number;
}

/** Converts a search text to a pattern for ILIKE. */
export const likePattern = (search: string | null): string | null => search && `%${search.replace(/[\\%_]/g, '\\$&')}%`;

/** Returns the parameters of a page: action, pattern, from, to, time and id of the last entry, number of entries. */
const queryParams = ({ action, search, from, to, after, most: max }: AuditQuery): Param[] => [
  action,
  likePattern(search),
  from,
  to,
  after?.at ?? null,
  after?.id ?? null,
  String(max),
];

const WRITE = `insert into node.audit_log (app, actor_id, actor, action, details, refused, ip_address, request_id)
  values ($1, $2::uuid, $3, $4, $5::jsonb, $6, $7, $8)`;

/** Statement that deletes some entries that are too old or too many. */
const SWEEP = `delete from node.audit_log where id in (
    (select id from node.audit_log where at < now() - make_interval(days => $2::integer) order by at limit $4::integer)
    union all
    (select id from node.audit_log where app = $1 order by at desc, id desc offset $3::bigint limit $4::integer))`;

/**
 * Statement that reads a page; $8 is the app. Entries from before the creation of the app belong to a deleted app with
 * the same ref.
 */
const LIST = `select coalesce(json_agg(json_build_object(
    'id', e.id, 'at', to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'actor_id', e.actor_id, 'actor', e.actor,
    'action', e.action, 'details', e.details, 'refused', e.refused, 'ip_address', e.ip_address, 'request_id', e.request_id
  ) order by e.at desc, e.id desc), '[]')
  from (
    select l.* from node.audit_log l join public.apps a on a.ref = l.app and l.at >= a.created_at
    where l.app = $8 and ($1::text is null or l.action = $1)
      and ($2::text is null or l.actor ilike $2 or l.action ilike $2 or l.details::text ilike $2 or l.ip_address ilike $2)
      and ($3::timestamptz is null or l.at >= $3::timestamptz) and ($4::timestamptz is null or l.at < $4::timestamptz)
      and ($5::timestamptz is null or (l.at, l.id) < ($5::timestamptz, $6::uuid))
    order by l.at desc, l.id desc limit $7::integer
  ) e`;

/** SQL text: the query for a page of the node's log, over the rows in `from`. $1 to $7 are `queryParams`. */
const pageOfNode = (from: string, of: string): string => `(select * from (${from}) l
  where ${of} and ($1::text is null or l.action = $1)
    and ($2::text is null or l.actor ilike $2 or l.action ilike $2 or l.details::text ilike $2 or l.ip_address ilike $2 or l.app ilike $2)
    and ($3::timestamptz is null or l.at >= $3::timestamptz) and ($4::timestamptz is null or l.at < $4::timestamptz)
    and ($5::timestamptz is null or (l.at, l.id) < ($5::timestamptz, $6::uuid))
  order by l.at desc, l.id desc limit $7::integer)`;

/** Calls of builders that concern the node. */
const NODE_CALLS =
  'select id, at, app, actor_id, actor, action, details, refused, ip_address, request_id from node.audit_log';

/** Events of the accounts of builders, which the sign-in service of the console writes. */
const ACCOUNT_EVENTS = `select a.id, a.created_at as at, '' as app, b.user_id as actor_id,
    coalesce(b.name, a.payload ->> 'actor_username') as actor, a.payload ->> 'action' as action,
    coalesce(a.payload -> 'traits', '{}')::jsonb as details,
    case when a.payload ->> 'action' = 'login_refused' then 'invalid_credentials' end as refused, a.ip_address::text, null::text as request_id
  from auth.audit_log_entries a left join public.builders b on b.user_id::text = a.payload ->> 'actor_id'`;

const LIST_OF_NODE = `select coalesce(json_agg(json_build_object(
    'id', e.id, 'at', to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'app', nullif(e.app, ''),
    'actor_id', e.actor_id, 'actor', e.actor, 'action', e.action, 'details', e.details, 'refused', e.refused,
    'ip_address', e.ip_address, 'request_id', e.request_id
  ) order by e.at desc, e.id desc), '[]')
  from (
    select * from (
      ${pageOfNode(NODE_CALLS, `(l.app = '' or l.action in ('app_created', 'app_cloned', 'app_deleted'))`)}
      union all
      ${pageOfNode(ACCOUNT_EVENTS, 'true')}
    ) both_logs order by at desc, id desc limit $7::integer
  ) e`;

/** The log of builders' actions in the console's database. */
export class BuilderAudit {
  readonly #database: Executor;

  /** @param database The console's database, with the superuser's login. */
  constructor(database: Executor) {
    this.#database = database;
  }

  async write(event: BuilderEvent): Promise<void> {
    const { app, actorId, actor, action, details, refused, address, requestId } = event;
    const { builderAuditDays: days, builderAuditEntries: max, sweptRows } = limits;
    const bounds = [days, max, sweptRows].map((limit) => String(limit.default));
    await this.#database.run([
      { text: WRITE, params: [app, actorId, actor, action, JSON.stringify(details), refused, address, requestId] },
      { text: SWEEP, params: [app, ...bounds] },
    ]);
  }

  /** Returns a page of an app's entries as a JSON array, newest first. */
  async list(app: string, query: AuditQuery): Promise<string> {
    const [result] = await this.#database.run([{ text: LIST, params: [...queryParams(query), app] }]);
    return result?.rows[0]?.[0]?.toString('utf8') ?? '[]';
  }

  /** Returns a page of the builders' actions on the node and events of their accounts as a JSON array, newest first. */
  async listOfNode(query: AuditQuery): Promise<string> {
    const [result] = await this.#database.run([{ text: LIST_OF_NODE, params: queryParams(query) }]);
    return result?.rows[0]?.[0]?.toString('utf8') ?? '[]';
  }
}
