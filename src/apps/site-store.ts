import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { limits } from '../../contract/limits.ts';
import type { BegunSiteVersion, SiteVersion } from '../../contract/site.ts';
import type { Executor } from '../database/database.ts';
import { affectedRows, firstJson, type Param } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { runAsServerRole } from './run-as-server-role.ts';

/** Below this size, compression saves less than a network packet. */
const SMALLEST_BYTES = 1024;

/** Codings of a stored file, by the name of their column. */
export type SiteCoding = 'content' | 'br' | 'gzip';

const read = async <T>(database: Executor, text: string, params: readonly Param[] = []): Promise<T | null> => {
  const [result] = await runAsServerRole(database, [{ text, params }]);
  return result ? firstJson<T>(result) : null;
};

/** Makes changes of the active version and deletions of files run one after the other. Readers are not blocked. */
const LOCK = { text: 'lock table ninefold.site_versions in share row exclusive mode', params: [] };

/**
 * Creates a version that is not published yet. Deletes versions whose upload was not completed in time.
 * @param files The SHA-256 of each file in hexadecimal digits, by path.
 * @returns its id and the files that the app does not store yet.
 */
export async function beginSiteVersion(
  database: Executor,
  files: Readonly<Record<string, string>>,
  createdBy: string,
): Promise<BegunSiteVersion> {
  const [, , result] = await runAsServerRole(database, [
    LOCK,
    {
      text: `delete from ninefold.site_versions where published_at is null
        and created_at < pg_catalog.now() - pg_catalog.make_interval(hours => $1::integer)`,
      params: [String(limits.siteUploadHours.default)],
    },
    {
      text: `with made as (insert into ninefold.site_versions (created_by, files) values ($1, $2::jsonb) returning id, files)
        select pg_catalog.json_build_object('id', id, 'missing', coalesce((
          select pg_catalog.json_agg(distinct value) from pg_catalog.jsonb_each_text(made.files)
          where not exists (select from ninefold.site_files f where f.sha256 = value)), '[]')) from made`,
      params: [createdBy, JSON.stringify(files)],
    },
  ]);
  return (result && firstJson<BegunSiteVersion>(result)) as BegunSiteVersion;
}

/**
 * Stores a file that an unpublished version names, with compressed copies if it is text.
 * @throws NinefoldError not_found if no such version names the file
 */
export async function storeSiteFile(
  database: Executor,
  version: string,
  sha256: string,
  content: Uint8Array,
): Promise<void> {
  const wanted = await read<boolean>(
    database,
    `select pg_catalog.to_json(exists (select from pg_catalog.jsonb_each_text(v.files) where value = $2))
     from ninefold.site_versions v where v.id = $1::uuid and v.published_at is null`,
    [version, sha256],
  );
  if (!wanted) throw new NinefoldError('not_found', { message: 'No upload with this id has this file.' });
  const { br, gzip: zipped } = await compressed(content);
  const base64 = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('base64'));
  await runAsServerRole(database, [
    {
      text: `insert into ninefold.site_files (sha256, content, br, gzip)
        values ($1, pg_catalog.decode($2, 'base64'), pg_catalog.decode($3, 'base64'), pg_catalog.decode($4, 'base64'))
        on conflict do nothing`,
      params: [sha256, base64(content), base64(br), base64(zipped)],
    },
  ]);
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** Copies are stored only if they save a tenth; images and fonts are compressed already. */
const WORTHWHILE = 0.9;

async function compressed(content: Uint8Array): Promise<{ br: Buffer | null; gzip: Buffer | null }> {
  if (content.length < SMALLEST_BYTES) return { br: null, gzip: null };
  const zipped = await zip(content, { level: constants.Z_BEST_COMPRESSION });
  if (zipped.length > content.length * WORTHWHILE) return { br: null, gzip: null };
  // The highest levels of compression take seconds for a file of a megabyte and save only one percent more.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  return { br: await brotli(content, { params }), gzip: zipped };
}

/** Query for the size of a version and for its files that are not stored yet. */
const CHECK = `select pg_catalog.json_build_object(
    'missing', coalesce(pg_catalog.json_agg(distinct e.value) filter (where f.sha256 is null), '[]'),
    'bytes', coalesce(pg_catalog.sum(pg_catalog.octet_length(f.content)), 0))
  from ninefold.site_versions v cross join pg_catalog.jsonb_each_text(v.files) e
    left join ninefold.site_files f on f.sha256 = e.value
  where v.id = $1::uuid group by v.id`;

/** Statement that activates the version $1. */
const ACTIVATE = `update ninefold.site_versions set is_active = true, bytes = $2::bigint,
  published_at = coalesce(published_at, pg_catalog.now()) where id = $1::uuid`;

const DEACTIVATE = { text: 'update ninefold.site_versions set is_active = false where is_active', params: [] };

const DELETE_OLD = `delete from ninefold.site_versions where not is_active and id in (
  select id from ninefold.site_versions where published_at is not null order by is_active desc, number desc offset $1::integer)`;

const DELETE_FILES = `delete from ninefold.site_files f where f.sha256 not in (
  select e.value from ninefold.site_versions v cross join pg_catalog.jsonb_each_text(v.files) e)`;

/**
 * Activates a version, so that the app serves it. The version may have been active before. Deletes the oldest versions
 * and their files.
 * @throws NinefoldError not_found; site_incomplete if files are missing; site_too_large
 */
export async function publishSiteVersion(database: Executor, id: string): Promise<void> {
  const checked = await read<{ missing: string[]; bytes: number }>(database, CHECK, [id]);
  if (!checked) throw new NinefoldError('not_found', { message: 'The app has no version with this id.' });
  if (checked.missing.length > 0) throw new NinefoldError('site_incomplete', { details: { missing: checked.missing } });
  if (checked.bytes > limits.siteBytes.default) throw new NinefoldError('site_too_large');
  const [, , activated] = await runAsServerRole(database, [
    LOCK,
    DEACTIVATE,
    { text: ACTIVATE, params: [id, String(checked.bytes)] },
    { text: DELETE_OLD, params: [String(limits.siteVersions.default)] },
    { text: DELETE_FILES, params: [] },
  ]);
  if (!activated || affectedRows(activated) === 0) throw new NinefoldError('not_found');
}

/** Deactivates the active version, so that the app serves the pages for members. The versions stay stored. */
export async function unpublishSite(database: Executor): Promise<void> {
  await runAsServerRole(database, [LOCK, DEACTIVATE]);
}

/** Returns the published versions, newest first. */
export async function listSiteVersions(database: Executor): Promise<SiteVersion[]> {
  const found = await read<SiteVersion[]>(
    database,
    `select pg_catalog.json_agg(pg_catalog.json_build_object(
        'id', id, 'number', number, 'created_by', created_by, 'bytes', bytes, 'is_active', is_active,
        'created_at', pg_catalog.to_char(published_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'files', (select pg_catalog.count(*) from pg_catalog.jsonb_object_keys(files))) order by number desc)
     from ninefold.site_versions where published_at is not null`,
  );
  return found ?? [];
}

/** Returns the id of the active version; null if the app has none. */
export const readActiveSite = (database: Executor): Promise<string | null> =>
  read<string>(database, 'select pg_catalog.to_json(id) from ninefold.site_versions where is_active');

/** Returns the SHA-256 of each file of a version by its path; null if the version was deleted. */
export const readSiteFiles = (database: Executor, id: string): Promise<Record<string, string> | null> =>
  read(database, 'select files from ninefold.site_versions where id = $1::uuid', [id]);

/**
 * Returns a file in the first of the codings that is stored; null if the file was deleted.
 * @param codings In the order of preference; `content` is always stored.
 */
export async function readSiteFile(
  database: Executor,
  sha256: string,
  codings: readonly SiteCoding[],
): Promise<{ coding: SiteCoding; bytes: Buffer } | null> {
  const compressedCodings = codings.filter((coding) => coding !== 'content');
  const choose = (value: (coding: SiteCoding) => string): string => {
    const cases = compressedCodings.map((coding) => `when ${coding} is not null then ${value(coding)}`);
    return cases.length === 0 ? value('content') : `case ${cases.join(' ')} else ${value('content')} end`;
  };
  const [result] = await runAsServerRole(database, [
    {
      text: `select ${choose((coding) => `'${coding}'`)}, pg_catalog.encode(${choose((coding) => coding)}, 'base64')
        from ninefold.site_files where sha256 = $1`,
      params: [sha256],
    },
  ]);
  const [coding, content] = result?.rows[0] ?? [];
  if (!coding || !content) return null;
  return { coding: coding.toString() as SiteCoding, bytes: Buffer.from(content.toString('latin1'), 'base64') };
}
