import { NinefoldError } from '../../../errors/ninefold-error.ts';
import type { Identity } from '../../../identity/identity.ts';
import { isService } from '../../caller.ts';
import type { StorageContext } from '../../context.ts';
import { findUpload, type OpenUpload, query, readParts, UPLOAD_JSON } from '../../uploads/rows.ts';
import type { ObjectCall } from '../s3-call.ts';

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
  const upload = await findUpload(context, 's3', parameters.get('uploadId') ?? '');
  if (upload !== null && isOfPlace(upload, bucket, key) && mayContinue(identity, upload)) return upload;
  throw new NinefoldError('NoSuchUpload');
}

const isOfPlace = (upload: OpenUpload, bucket: string, key: string): boolean =>
  upload.bucket_id === bucket && upload.name === key && !upload.is_expired && !upload.is_complete;

const mayContinue = (identity: Identity, { role, owner_id }: OpenUpload): boolean =>
  isService(identity) || (identity.role === role && identity.userId !== null && identity.userId === owner_id);

/** Returns the bytes of the parts of an upload, without the part with a number. */
export async function bytesWithout(context: StorageContext, upload: OpenUpload, number: number): Promise<number> {
  const [part] = await readParts(context, upload, { after: number - 1, max: 1 });
  return upload.received - (part?.number === number ? part.size : 0);
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
    `select json_agg(${UPLOAD_JSON} order by u.name collate "C", u.id) from (
      select * from ninefold.uploads u
      where u.bucket_id = $1 and starts_with(u.name, $2)
        and u.protocol = 's3' and u.expires_at > now() and u.completed_at is null
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
