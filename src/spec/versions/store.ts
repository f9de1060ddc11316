import type { Change, VersionCause, VersionEntry } from '../../../contract/changes.ts';
import { limits } from '../../../contract/limits.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import type { Executor } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';

/**
 * The tables `ninefold.versions` and `ninefold.journal` of an app. Each version holds its whole value: a chain of
 * differences would be lost from the first that goes, and text of this kind shrinks to a tenth as gzip.
 * Only the superuser writes them. The app's own code caused what they hold, so what is read is bounded and checked.
 */

/** What is there before a version is recorded. */
export interface VersionHead {
  /** Null where no version was recorded yet. */
  latest: { number: number; hash: string; ninefold: string | null } | null;
  /** Entries of the journal that no version shows yet. */
  pending: (VersionCause & { id: number })[];
  /** True where a version was recorded for a change of the last few seconds. */
  isExplained: boolean;
}

const HEAD = `select json_build_object(
  'latest', (select json_build_object('number', number, 'hash', hash, 'ninefold', ninefold) from ninefold.versions order by number desc limit 1),
  'pending', (select coalesce(json_agg(json_build_object('id', id, 'at', at, 'who', coalesce(made_by, role),
      'kind', case when migration is not null then case migration when 'seed.sql' then 'seed' else 'migration' end
        when kind = 'schema' then 'sql' else kind end,
      'what', coalesce(migration, what)) order by id), '[]')
    from (select * from ninefold.journal where version is null order by id limit $1::int) j),
  'isExplained', exists (select from ninefold.journal where version is not null and at > now() - interval '10 seconds'))`;

/** How many entries of the journal one version takes up. */
const CAUSES = 200;

export async function readHead(database: Executor): Promise<VersionHead> {
  const [result] = await runAsServerRole(database, [{ text: HEAD, params: [String(CAUSES)] }]);
  const head = result && firstJson<VersionHead>(result);
  if (!head) throw new Error('the versions cannot be read');
  return head;
}

const INSERT = `with made as (
    insert into ninefold.versions (number, hash, causes, changes, change_count, chapters, ninefold, object_ids)
    values ($1::bigint, $2, $3::jsonb, $4::jsonb, $5::int, $6::bytea, $8, $9::bytea)
    on conflict (number) do nothing returning number
  ), noted as (
    update ninefold.journal j set version = made.number from made where j.version is null and j.id = any ($7::bigint[])
  )
  select json_build_object('made', count(*)) from made`;

/** Adds the version after `head.latest`, as found by this Ninefold. False where another worker has just added one. */
export async function addVersion(
  superuser: Executor,
  head: VersionHead,
  version: {
    hash: string;
    causes: readonly VersionCause[];
    changes: readonly Change[];
    /** The chapters, as `pack` packs them. */
    packed: string;
    /** What `objectIds` returned, as `pack` packs it. */
    ids: string;
    ninefold: string;
  },
): Promise<boolean> {
  const { hash, causes, changes, packed, ids, ninefold } = version;
  const [result] = await superuser.run([
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
        ids,
      ],
    },
  ]);
  return (result && firstJson<{ made: number }>(result))?.made === 1;
}

const idList = (head: VersionHead): string => `{${head.pending.map(({ id }) => id).join(',')}}`;

/**
 * Notes that the specification says nothing of what the journal holds: an index, a change that was undone. The latest version takes the
 * object ids, as a table that was dropped and made again has another one.
 */
export async function markPendingUnchanged(superuser: Executor, head: VersionHead, ids: string): Promise<void> {
  await superuser.run([
    {
      text: 'update ninefold.journal set version = 0 where version is null and id = any ($1::bigint[])',
      params: [idList(head)],
    },
    {
      text: 'update ninefold.versions set object_ids = $2::bytea where number = $1::bigint',
      params: [String(head.latest?.number ?? 0), ids],
    },
  ]);
}

/** Notes that the latest version holds for this Ninefold too. */
export async function confirmLatest(superuser: Executor, number: number, ninefold: string): Promise<void> {
  await superuser.run([
    {
      text: 'update ninefold.versions set ninefold = $2 where number = $1::bigint',
      params: [String(number), ninefold],
    },
  ]);
}

/** Keeps both tables within their limits; the latest version always stays. */
export async function prune(superuser: Executor): Promise<void> {
  await superuser.run([
    {
      text: `delete from ninefold.versions where number in (
          select number from (select number, row_number() over newest as place, sum(octet_length(chapters) + coalesce(octet_length(object_ids), 0)) over newest as bytes
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

/** The latest versions below a number, the newest first. */
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

/** Which version is meant: by its number, by the beginning of its hash, or the one that stood at a time (ISO 8601). */
export type VersionPoint = { number: number } | { hash: string } | { at: string };

/** A version as it is stored. */
interface StoredVersion {
  entry: VersionEntry;
  /** The chapters as `pack` packed them. */
  packed: Bytes;
  /** The object ids, packed too; null in a version of an earlier Ninefold. */
  ids: Bytes | null;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns a version; null where there is none. */
export async function readVersion(database: Executor, point: VersionPoint): Promise<StoredVersion | null> {
  const [which, value] = conditionOf(point);
  const [result] = await runAsServerRole(database, [
    {
      text: `select ${ENTRY}, encode(chapters, 'base64'),
               case when octet_length(object_ids) <= $2::bigint then encode(object_ids, 'base64') end from ninefold.versions
             where ${which} and octet_length(chapters) <= $2::bigint order by number desc limit 1`,
      params: [value, String(limits.versionsBytes.default)],
    },
  ]);
  const entry = result && firstJson<VersionEntry>(result);
  const [chapters, ids] = result?.rows[0]?.slice(1).map((text) => text && decoded(text)) ?? [];
  return entry && chapters ? { entry, packed: chapters, ids: ids ?? null } : null;
}

const decoded = (base64: Buffer): Bytes => new Uint8Array(Buffer.from(base64.toString('latin1'), 'base64'));

function conditionOf(point: VersionPoint): [condition: string, value: string] {
  if ('number' in point) return ['number = $1::bigint', String(point.number)];
  return 'hash' in point ? ['starts_with(hash, $1)', point.hash] : ['at <= $1::timestamptz', point.at];
}
