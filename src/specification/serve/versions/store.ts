import type { Change, VersionCause, VersionEntry } from '../../../../contract/changes.ts';
import { limits } from '../../../../contract/limits.ts';
import { runAsServerRole } from '../../../apps/run-as-server-role.ts';
import type { Executor } from '../../../database/database.ts';
import { firstJson } from '../../../database/statement.ts';

/** How long the journal reports that a change has its version. */
const EXPLAINED_SECONDS = 10;

/**
 * The tables `ninefold.versions` and `ninefold.journal` of an app. Each version contains all facts that its
 * specification is derived from, and not the differences from the version before. Otherwise the later versions would be
 * unreadable once an earlier version is deleted. gzip reduces this kind of text to a tenth. Only the server role writes these tables. Because code of the
 * app influences their content, the server limits and checks the data that it reads.
 */

/** The data that is needed to record a version. */
export interface VersionHead {
  /** The latest version; null if there is none. */
  latest: { number: number; hash: string; ninefold: string | null } | null;
  /** Entries of the journal that belong to no version yet. */
  pending: (VersionCause & { id: number })[];
  /** True if the journal has a change of the last ten seconds for which a version was recorded. */
  isExplained: boolean;
}

const HEAD = `select json_build_object(
  'latest', (select json_build_object('number', number, 'hash', hash, 'ninefold', ninefold) from ninefold.versions order by number desc limit 1),
  'pending', (select coalesce(json_agg(json_build_object('id', id, 'at', at, 'actor', coalesce(made_by, role),
      'kind', case when migration is not null then case migration when 'seed.sql' then 'seed' else 'migration' end
        when kind = 'schema' then 'sql' else kind end,
      'what', coalesce(migration, what)) order by id), '[]')
    from (select * from ninefold.journal where version is null order by id limit $1::int) j),
  'isExplained', exists (select from ninefold.journal where version is not null and at > now() - interval '${EXPLAINED_SECONDS} seconds'))`;

/** The max number of journal entries of one version. */
const CAUSES = 200;

/**
 * Reads the latest version and the pending entries of the journal.
 * @throws Errors of `database.run`.
 */
export async function readHead(database: Executor): Promise<VersionHead> {
  const [result] = await runAsServerRole(database, [{ text: HEAD, params: [String(CAUSES)] }]);
  const head = result && firstJson<VersionHead>(result);
  if (!head) throw new Error('the versions cannot be read');
  return head;
}

const INSERT = `with made as (
    insert into ninefold.versions (number, hash, causes, changes, change_count, facts, ninefold)
    values ($1::bigint, $2, $3::jsonb, $4::jsonb, $5::int, $6::bytea, $8)
    on conflict (number) do nothing returning number
  ), noted as (
    update ninefold.journal j set version = made.number from made where j.version is null and j.id = any ($7::bigint[])
  )
  select json_build_object('made', count(*)) from made`;

/**
 * Adds the version after `head.latest` with the Ninefold version that derived it. Returns false if another worker has
 * just added a version.
 */
export async function addVersion(
  database: Executor,
  head: VersionHead,
  version: {
    hash: string;
    causes: readonly VersionCause[];
    changes: readonly Change[];
    /** The result of `packFacts`, in hexadecimal notation of bytea. */
    packed: string;
    ninefold: string;
  },
): Promise<boolean> {
  const { hash, causes, changes, packed, ninefold } = version;
  const [result] = await runAsServerRole(database, [
    {
      text: INSERT,
      params: [
        String((head.latest?.number ?? 0) + 1),
        hash,
        JSON.stringify(causes),
        JSON.stringify(changes.slice(0, limits.versionChanges.default)),
        String(changes.length),
        packed,
        idList(head),
        ninefold,
      ],
    },
  ]);
  return (result && firstJson<{ made: number }>(result))?.made === 1;
}

const idList = (head: VersionHead): string => `{${head.pending.map(({ id }) => id).join(',')}}`;

/**
 * Marks the pending journal entries as changes without effect on the specification, such as an index or a change that
 * was undone. Updates the facts of the latest version, because a table that was dropped and created again has a new id.
 */
export async function markPendingUnchanged(database: Executor, head: VersionHead, packed: string): Promise<void> {
  await runAsServerRole(database, [
    {
      text: 'update ninefold.journal set version = 0 where version is null and id = any ($1::bigint[])',
      params: [idList(head)],
    },
    {
      text: 'update ninefold.versions set facts = $2::bytea where number = $1::bigint',
      params: [String(head.latest?.number ?? 0), packed],
    },
  ]);
}

/** Records that this Ninefold version derives the same specification as the latest version. */
export async function confirmLatest(database: Executor, number: number, ninefold: string): Promise<void> {
  await runAsServerRole(database, [
    {
      text: 'update ninefold.versions set ninefold = $2 where number = $1::bigint',
      params: [String(number), ninefold],
    },
  ]);
}

/** Deletes rows of the versions and of the journal that exceed the limits. Never deletes the latest version. */
export async function prune(database: Executor): Promise<void> {
  await runAsServerRole(database, [
    {
      text: `delete from ninefold.versions where number in (
          select number from (select number, row_number() over newest as place, sum(octet_length(facts)) over newest as bytes
            from ninefold.versions window newest as (order by number desc)) v
          where place > 1 and (place > $1::int or bytes > $2::bigint))`,
      params: [String(limits.versionsKept.default), String(limits.versionsBytes.default)],
    },
    {
      text: `delete from ninefold.journal where id in (
          select id from (select id, row_number() over newest as place, sum(octet_length(statement)) over newest as bytes
            from ninefold.journal window newest as (order by id desc)) j
          where place > $1::int or bytes > $2::bigint)`,
      params: [String(limits.journalKept.default), String(limits.journalBytes.default)],
    },
  ]);
}

const ENTRY = `json_build_object('number', number, 'hash', hash, 'at', at, 'causes', causes, 'changes', changes,
  'change_count', change_count)`;

/** Returns the latest versions below a number, newest first. */
export async function listVersions(database: Executor, before: number | null): Promise<VersionEntry[]> {
  const [result] = await runAsServerRole(database, [
    {
      text: `select coalesce(json_agg(${ENTRY} order by number desc), '[]') from (
               select * from ninefold.versions where $1::bigint is null or number < $1::bigint
               order by number desc limit $2::int) v`,
      params: [before === null ? null : String(before), String(limits.versionsPerPage.default)],
    },
  ]);
  return (result && firstJson<VersionEntry[]>(result)) ?? [];
}

/** A reference to a version: its number, the start of its hash, or a time (ISO 8601) at which it was current. */
export type VersionPoint = { number: number } | { hash: string } | { at: string };

/** A stored version. */
interface StoredVersion {
  entry: VersionEntry;
  /** The result of `packFacts`. */
  packed: Bytes;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns a version; null if there is none. */
export async function readVersion(database: Executor, point: VersionPoint): Promise<StoredVersion | null> {
  const [which, value] = conditionOf(point);
  const [result] = await runAsServerRole(database, [
    {
      text: `select ${ENTRY}, encode(facts, 'base64') from ninefold.versions
             where ${which} and octet_length(facts) <= $2::bigint order by number desc limit 1`,
      params: [value, String(limits.versionsBytes.default)],
    },
  ]);
  const entry = result && firstJson<VersionEntry>(result);
  const facts = result?.rows[0]?.[1];
  return entry && facts ? { entry, packed: decoded(facts) } : null;
}

const decoded = (base64: Buffer): Bytes => new Uint8Array(Buffer.from(base64.toString('latin1'), 'base64'));

function conditionOf(point: VersionPoint): [condition: string, value: string] {
  if ('number' in point) return ['number = $1::bigint', String(point.number)];
  return 'hash' in point ? ['starts_with(hash, $1)', point.hash] : ['at <= $1::timestamptz', point.at];
}
