import { limits } from '../../../../contract/limits.ts';
import { runAsServerRole } from '../../../apps/run-as-server-role.ts';
import { firstJson, type Param } from '../../../database/statement.ts';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import type { Identity } from '../../../identity/identity.ts';
import { UUID } from '../../../identity/uuid.ts';
import { isService } from '../../caller.ts';
import type { StorageContext } from '../../context.ts';
import type { FileDetails, Upload } from '../../objects/write-object.ts';
import type { ObjectCall } from '../s3-call.ts';

/** A part of an upload, whose bytes the node has stored. */
export interface Part {
  readonly number: number;
  readonly id: string;
  readonly size: number;
  /** In hexadecimal digits. */
  readonly md5: string;
  readonly stored_at: string;
}

/** A multipart upload that is not complete. */
export interface OpenUpload {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly owner_id: string | null;
  readonly content_type: string;
  readonly cache_control: string;
  readonly content_encoding: string | null;
  readonly user_metadata: Readonly<Record<string, string>> | null;
  readonly created_at: string;
}

const UPLOAD = `'id', u.id, 'name', u.name, 'role', u.role, 'owner_id', u.owner_id, 'content_type', u.content_type,
  'cache_control', u.cache_control, 'content_encoding', u.content_encoding, 'user_metadata', u.user_metadata,
  'created_at', u.created_at`;
const PART = `'number', p.number, 'id', p.id, 'size', p.size, 'md5', encode(p.md5, 'hex'), 'stored_at', p.stored_at`;
const IS_OPEN = `u.protocol = 's3' and u.expires_at > now()`;

async function query<Value>(
  { app }: Pick<StorageContext, 'app'>,
  text: string,
  params: readonly Param[],
): Promise<Value | null> {
  const [result] = await runAsServerRole(app.serverDatabase, [{ text, params }]);
  return result ? firstJson<Value>(result) : null;
}

/**
 * Begins an upload and returns its id.
 * @throws NinefoldError TooManyUploads
 */
export async function createUpload(
  context: StorageContext,
  { place, as, ownerId }: Upload,
  details: FileDetails,
): Promise<string> {
  const { contentType, cacheControl, contentEncoding, userMetadata } = details;
  const id = await query<string>(
    context,
    `insert into ninefold.uploads (protocol, bucket_id, name, role, owner_id, content_type, cache_control, content_encoding,
      user_metadata, is_upsert, expires_at)
    select 's3', $1, $2, $3, $4, $5, $6, $7, $8::jsonb, true, now() + make_interval(hours => $9::int)
    where (select count(*) from ninefold.uploads u where ${IS_OPEN}) < $10::int
    returning to_json(id)`,
    [
      place.bucket,
      place.name,
      as.role,
      ownerId,
      contentType,
      cacheControl,
      contentEncoding,
      userMetadata === null ? null : JSON.stringify(userMetadata),
      String(limits.uploadHours.default),
      String(limits.s3Uploads.default),
    ],
  );
  if (id === null) throw new NinefoldError('TooManyUploads', { limit: 's3Uploads', retryAfter: 60 });
  return id;
}

/**
 * Returns the upload of a request. Only the caller who began it and the service role may continue it.
 * @throws NinefoldError NoSuchUpload
 */
export async function requireUpload({
  context,
  query: parameters,
  bucket,
  key,
  identity,
}: ObjectCall): Promise<OpenUpload> {
  const id = parameters.get('uploadId') ?? '';
  const upload = UUID.test(id)
    ? await query<OpenUpload>(
        context,
        `select json_build_object(${UPLOAD}) from ninefold.uploads u
        where u.id = $1::uuid and u.bucket_id = $2 and u.name = $3 and ${IS_OPEN}`,
        [id, bucket, key],
      )
    : null;
  if (upload === null || !mayContinue(identity, upload)) throw new NinefoldError('NoSuchUpload');
  return upload;
}

const mayContinue = (identity: Identity, { role, owner_id }: OpenUpload): boolean =>
  isService(identity) || (identity.role === role && identity.userId !== null && identity.userId === owner_id);

/** Returns the bytes of the other parts of an upload, and of all parts of all uploads of the app. */
export async function openBytes(context: StorageContext, upload: OpenUpload, number: number) {
  const bytes = await query<{ ofUpload: number; ofApp: number }>(
    context,
    `select json_build_object('ofApp', coalesce(sum(p.size), 0),
      'ofUpload', coalesce(sum(p.size) filter (where p.upload_id = $1::uuid and p.number <> $2::int), 0))
    from ninefold.upload_parts p`,
    [upload.id, String(number)],
  );
  return bytes ?? { ofUpload: 0, ofApp: 0 };
}

/**
 * Records a part whose bytes are stored. Returns the id of the part that it replaces; null if it replaces none.
 * @throws NinefoldError NoSuchUpload if the upload ended in the meantime.
 */
export async function savePart(
  context: StorageContext,
  upload: OpenUpload,
  part: Pick<Part, 'number' | 'id' | 'size' | 'md5'>,
): Promise<string | null> {
  const saved = await query<{ replaced: string | null }>(
    context,
    `with open as (select u.id from ninefold.uploads u where u.id = $1::uuid for key share),
      before as (select p.id from ninefold.upload_parts p where p.upload_id = $1::uuid and p.number = $2::int for update),
      saved as (
        insert into ninefold.upload_parts as p (upload_id, number, id, size, md5)
        select o.id, $2::int, $3::uuid, $4::bigint, decode($5, 'hex') from open o
        on conflict (upload_id, number) do update
        set id = excluded.id, size = excluded.size, md5 = excluded.md5, stored_at = now()
        returning p.id
      )
    select json_build_object('replaced', (select id from before)) from saved`,
    [upload.id, String(part.number), part.id, String(part.size), part.md5],
  );
  if (saved === null) throw new NinefoldError('NoSuchUpload');
  return saved.replaced;
}

/** Returns the parts of an upload with higher numbers than `after`, in the order of their numbers. */
export async function readParts(
  context: StorageContext,
  { id }: Pick<OpenUpload, 'id'>,
  { after, max }: { readonly after: number; readonly max: number },
): Promise<readonly Part[]> {
  const parts = await query<Part[]>(
    context,
    `select json_agg(json_build_object(${PART}) order by p.number) from (
      select * from ninefold.upload_parts p where p.upload_id = $1::uuid and p.number > $2::int
      order by p.number limit $3::int) p`,
    [id, String(after), String(max)],
  );
  return parts ?? [];
}

/** Deletes the rows of an upload and of its parts. The caller must delete their bytes. */
export async function deleteUploadRow(context: StorageContext, { id }: Pick<OpenUpload, 'id'>): Promise<void> {
  await query(context, 'delete from ninefold.uploads u where u.id = $1::uuid', [id]);
}

/** Returns uploads of a bucket that a caller may continue, in the order of their keys. */
export async function readUploads(
  context: StorageContext,
  identity: Identity,
  page: {
    readonly bucket: string;
    readonly prefix: string;
    readonly key: string;
    readonly id: string;
    readonly max: number;
  },
): Promise<readonly OpenUpload[]> {
  const uploads = await query<OpenUpload[]>(
    context,
    `select json_agg(json_build_object(${UPLOAD}) order by u.name collate "C", u.id) from (
      select * from ninefold.uploads u where u.bucket_id = $1 and starts_with(u.name, $2) and ${IS_OPEN}
        and (u.name collate "C" > $3 or (u.name = $3 and $4 <> '' and u.id::text > $4))
        and ($5::boolean or (u.role = $6 and u.owner_id = $7))
      order by u.name collate "C", u.id limit $8::int) u`,
    [
      page.bucket,
      page.prefix,
      page.key,
      page.id,
      String(isService(identity)),
      identity.role,
      identity.userId,
      String(page.max),
    ],
  );
  return uploads ?? [];
}
