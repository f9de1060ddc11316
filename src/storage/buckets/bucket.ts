import type { CallRequest } from '../../../contract/call-request.ts';
import { firstJson, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { StorageContext } from '../context.ts';
import { isoTime } from '../iso-time.ts';
import { type Act, asService, runActs } from '../run.ts';

/** A bucket as a response contains it. */
export interface Bucket {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly public: boolean;
  readonly type: string;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: readonly string[] | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The columns of a Bucket as JSON; the table is `b`. */
export const BUCKET_JSON = `json_build_object('id', b.id, 'name', b.name, 'owner', coalesce(b.owner::text, b.owner_id, ''),
  'public', coalesce(b.public, false), 'type', b.type, 'file_size_limit', b.file_size_limit,
  'allowed_mime_types', b.allowed_mime_types, 'created_at', ${isoTime('b.created_at')},
  'updated_at', ${isoTime('b.updated_at')})`;

/** Statement that reads a bucket. */
export const readBucket = (id: string): Statement => ({
  text: `select ${BUCKET_JSON} from storage.buckets b where b.id = $1`,
  params: [id],
});

/**
 * Returns the rules of a bucket, whether or not the caller may see it. Runs further acts in the same transaction.
 * @throws NinefoldError NoSuchBucket
 */
export async function requireBucket(
  context: StorageContext,
  request: CallRequest,
  id: string,
  { operation, trying = [] }: { readonly operation: string; readonly trying?: readonly Act[] },
): Promise<Bucket> {
  const acts = [asService(readBucket(id)), ...trying];
  const [result] = await runActs(context, request, { operation, rollsBack: trying.length > 0 }, ...acts).catch(
    async (error: unknown) => {
      // No policy allows anything in a bucket that does not exist, so the missing bucket is the reason.
      if (trying.length > 0 && isDenied(error)) await requireBucket(context, request, id, { operation });
      throw error;
    },
  );
  const bucket = result && firstJson<Bucket>(result);
  if (!bucket) throw new NinefoldError('NoSuchBucket');
  return bucket;
}

const isDenied = (error: unknown): boolean => error instanceof NinefoldError && error.code === 'AccessDenied';
