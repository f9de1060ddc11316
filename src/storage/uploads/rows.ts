import { limits } from '../../../contract/limits.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { firstJson, type Param } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import type { StorageContext } from '../context.ts';
import type { FileDetails, Upload } from '../objects/write-object.ts';

export type UploadProtocol = 'tus' | 's3';

/** An upload in parts that has not ended. */
export interface OpenUpload {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  /** The caller who began the upload. */
  readonly role: string;
  readonly owner_id: string | null;
  /** The token of the signed upload URL with which the upload began. */
  readonly token_id: string | null;
  readonly content_type: string;
  readonly cache_control: string;
  readonly content_encoding: string | null;
  readonly user_metadata: Readonly<Record<string, unknown>> | null;
  readonly metadata_header: string | null;
  readonly is_upsert: boolean;
  /** The announced length in bytes; null while the client has announced none. */
  readonly size: number | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly is_expired: boolean;
  /** True if the object is written and only the upload has not ended. */
  readonly is_complete: boolean;
  /** The bytes of all parts, and the number of parts. */
  readonly received: number;
  readonly parts: number;
}

/** A part of an upload, whose bytes the node has stored. */
export interface Part {
  readonly number: number;
  readonly id: string;
  readonly size: number;
  /** In hexadecimal digits; null unless the protocol needs it. */
  readonly md5: string | null;
  readonly stored_at: string;
}

/** The properties of a new upload besides its place and its caller. */
export interface NewUpload {
  readonly protocol: UploadProtocol;
  readonly details: FileDetails;
  readonly size?: number | null;
  readonly tokenId?: string | null;
  readonly metadataHeader?: string | null;
}

type Context = Pick<StorageContext, 'app'>;

/** The columns of an OpenUpload as JSON; the table is `u`. */
export const UPLOAD_JSON = `json_build_object('id', u.id, 'bucket_id', u.bucket_id, 'name', u.name, 'role', u.role, 'owner_id', u.owner_id,
  'token_id', u.token_id, 'content_type', u.content_type, 'cache_control', u.cache_control,
  'content_encoding', u.content_encoding, 'user_metadata', u.user_metadata, 'metadata_header', u.metadata_header,
  'is_upsert', u.is_upsert, 'size', u.size, 'created_at', u.created_at, 'expires_at', u.expires_at,
  'is_expired', u.expires_at <= pg_catalog.now(), 'is_complete', u.completed_at is not null,
  'received', (select coalesce(pg_catalog.sum(p.size), 0) from ninefold.upload_parts p where p.upload_id = u.id),
  'parts', (select coalesce(pg_catalog.max(p.number), 0) from ninefold.upload_parts p where p.upload_id = u.id))`;

/** Runs a statement on Ninefold's own tables. Returns the first value of its result. */
export async function query<Value>({ app }: Context, text: string, params: readonly Param[]): Promise<Value | null> {
  const [result] = await runAsServerRole(app.serverDatabase, [{ text, params }]);
  return result ? firstJson<Value>(result) : null;
}

/**
 * Begins an upload.
 * @throws NinefoldError TooManyUploads
 */
export async function beginUpload(context: Context, { place, as, ownerId, isUpsert }: Upload, upload: NewUpload) {
  const { protocol, details, size = null, tokenId = null, metadataHeader = null } = upload;
  const isBounded = as.role !== 'service_role' || tokenId !== null;
  const begun = await query<OpenUpload>(
    context,
    `with u as (
      insert into ninefold.uploads (protocol, bucket_id, name, role, owner_id, token_id, content_type, cache_control,
        content_encoding, user_metadata, metadata_header, is_upsert, size, expires_at)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12::boolean, $13::bigint,
        pg_catalog.now() + pg_catalog.make_interval(hours => $14::int)
      where (select count(*) from ninefold.uploads) < $15::int
        and (not $16::boolean
          or (select count(*) from ninefold.uploads u where u.owner_id is not distinct from $5 and u.role = $4) < $17::int)
      returning *
    ) select ${UPLOAD_JSON} from u`,
    [
      protocol,
      place.bucket,
      place.name,
      as.role,
      ownerId,
      tokenId,
      details.contentType,
      details.cacheControl,
      details.contentEncoding,
      details.userMetadata === null ? null : JSON.stringify(details.userMetadata),
      metadataHeader,
      String(isUpsert),
      size === null ? null : String(size),
      String(limits.uploadHours.default),
      String(limits.openUploads.default),
      String(isBounded),
      String(limits.callerUploads.default),
    ],
  );
  if (begun !== null) return begun;
  throw new NinefoldError('TooManyUploads', {
    message: 'Too many uploads in parts are not complete',
    limit: isBounded ? 'callerUploads' : 'openUploads',
    retryAfter: 60,
  });
}

/** Returns an upload, which can be expired; null if it does not exist or has ended. */
export async function findUpload(context: Context, protocol: UploadProtocol, id: string): Promise<OpenUpload | null> {
  if (!UUID.test(id)) return null;
  return query<OpenUpload>(
    context,
    `select ${UPLOAD_JSON} from ninefold.uploads u where u.id = $1::uuid and u.protocol = $2`,
    [id, protocol],
  );
}

/** Records the length of an upload whose client announced none before. Returns the recorded length. */
export const announceSize = (context: Context, { id }: OpenUpload, size: number): Promise<number | null> =>
  query<number>(
    context,
    `update ninefold.uploads u set size = coalesce(u.size, $2::bigint) where u.id = $1::uuid
    returning pg_catalog.to_json(u.size)`,
    [id, String(size)],
  );

/**
 * Records a part whose bytes are stored, unless the upload has a part with this number. The key of the table decides
 * between two requests, of two nodes too.
 * @returns false if the upload has such a part, or has ended.
 */
export async function insertPart(context: Context, { id }: OpenUpload, part: NewPart): Promise<boolean> {
  const inserted = await query<boolean>(
    context,
    `insert into ninefold.upload_parts (upload_id, number, id, size, md5)
    select u.id, $2::int, $3::uuid, $4::bigint, pg_catalog.decode(nullif($5, ''), 'hex')
    from ninefold.uploads u where u.id = $1::uuid and u.completed_at is null for key share
    on conflict (upload_id, number) do nothing
    returning pg_catalog.to_json(true)`,
    [id, String(part.number), part.id, String(part.size), part.md5],
  );
  return inserted === true;
}

/**
 * Records a part whose bytes are stored, in place of a part with this number.
 * @returns The id of the part that it replaces; null if it replaces none.
 * @throws NinefoldError NoSuchUpload if the upload has ended.
 */
export async function replacePart(context: Context, { id }: OpenUpload, part: NewPart): Promise<string | null> {
  const saved = await query<{ replaced: string | null }>(
    context,
    `with open as (
        select u.id from ninefold.uploads u where u.id = $1::uuid and u.completed_at is null for key share
      ), before as (
        select p.id from ninefold.upload_parts p where p.upload_id = $1::uuid and p.number = $2::int
      ), saved as (
        insert into ninefold.upload_parts as p (upload_id, number, id, size, md5)
        select o.id, $2::int, $3::uuid, $4::bigint, pg_catalog.decode(nullif($5, ''), 'hex') from open o
        on conflict (upload_id, number) do update
        set id = excluded.id, size = excluded.size, md5 = excluded.md5, stored_at = pg_catalog.now()
        returning p.id
      )
    select json_build_object('replaced', (select id from before)) from saved`,
    [id, String(part.number), part.id, String(part.size), part.md5],
  );
  if (saved === null) throw new NinefoldError('NoSuchUpload');
  return saved.replaced;
}

/** A part to record. */
export interface NewPart {
  readonly number: number;
  readonly id: string;
  readonly size: number;
  /** In hexadecimal digits; empty if unknown. */
  readonly md5: string;
}

/** Returns the parts of an upload with higher numbers than `after`, in the order of their numbers. */
export async function readParts(
  context: Context,
  { id }: Pick<OpenUpload, 'id'>,
  { after, max }: { readonly after: number; readonly max: number },
): Promise<readonly Part[]> {
  const parts = await query<Part[]>(
    context,
    `select pg_catalog.json_agg(json_build_object('number', p.number, 'id', p.id, 'size', p.size,
        'md5', pg_catalog.encode(p.md5, 'hex'), 'stored_at', p.stored_at) order by p.number)
    from (select * from ninefold.upload_parts p where p.upload_id = $1::uuid and p.number > $2::int
      order by p.number limit $3::int) p`,
    [id, String(after), String(max)],
  );
  return parts ?? [];
}

/** The result of an attempt to reserve the joining of an upload. */
export type Reservation = 'reserved' | 'busy' | 'complete' | 'ended';

/**
 * Reserves the joining of the parts for one worker, or extends its reservation. The reservation only prevents that
 * several workers read the same parts: `ninefold.complete_upload` decides who completes an upload.
 */
export async function reserveJoin(
  context: Context,
  { id }: Pick<OpenUpload, 'id'>,
  worker: string,
  milliseconds: number,
): Promise<Reservation> {
  const found = await query<Reservation>(
    context,
    `with taken as (
        update ninefold.uploads u set locked_by = $2::uuid,
          locked_until = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $3::float8 / 1000)
        where u.id = $1::uuid and u.completed_at is null
          and (u.locked_by is null or u.locked_by = $2::uuid or u.locked_until < pg_catalog.clock_timestamp())
        returning u.id
      )
    select pg_catalog.to_json(case when exists (select from taken) then 'reserved'
      when u.completed_at is not null then 'complete' else 'busy' end)
    from ninefold.uploads u where u.id = $1::uuid`,
    [id, worker, String(milliseconds)],
  );
  return found ?? 'ended';
}

/** Ends the reservation of a worker. */
export async function releaseJoin(context: Context, { id }: Pick<OpenUpload, 'id'>, worker: string): Promise<void> {
  await query(
    context,
    'update ninefold.uploads set locked_by = null, locked_until = null where id = $1::uuid and locked_by = $2::uuid',
    [id, worker],
  );
}

/** The parts of an upload that was deleted. */
export interface DeletedParts {
  readonly count: number;
  readonly bytes: number;
}

const PARTS = `select pg_catalog.json_build_object('count', count(*), 'bytes', coalesce(pg_catalog.sum(p.size), 0))`;

/** Deletes the parts of an upload, whose bytes the caller must delete. */
export const deleteParts = (context: Context, { id }: Pick<OpenUpload, 'id'>): Promise<DeletedParts | null> =>
  query<DeletedParts>(
    context,
    `with p as (delete from ninefold.upload_parts where upload_id = $1::uuid returning size) ${PARTS} from p`,
    [id],
  );

/** Deletes an upload with its parts, whose bytes the caller must delete. Returns null if it has ended. */
export const deleteUpload = (context: Context, { id }: Pick<OpenUpload, 'id'>): Promise<DeletedParts | null> =>
  query<DeletedParts>(
    context,
    `with p as (select p.size from ninefold.upload_parts p where p.upload_id = $1::uuid),
      gone as (delete from ninefold.uploads u where u.id = $1::uuid returning u.id)
    select (${PARTS} from p) from gone`,
    [id],
  );

/** Returns true if an upload has not ended. */
export const hasUpload = async (context: Context, { id }: Pick<OpenUpload, 'id'>): Promise<boolean> =>
  (await query<boolean>(
    context,
    'select pg_catalog.to_json(exists (select from ninefold.uploads where id = $1::uuid))',
    [id],
  )) === true;

/** Returns true if a signed upload URL was used. */
export const isTokenUsed = async (context: Context, tokenId: string): Promise<boolean> =>
  (await query<boolean>(
    context,
    'select pg_catalog.to_json(exists (select from ninefold.used_upload_tokens where id = $1::uuid))',
    [tokenId],
  )) === true;
