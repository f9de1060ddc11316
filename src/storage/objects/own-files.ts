import { limits } from '../../../contract/limits.ts';
import { optional } from '../../calls/words.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { storageCall } from '../call.ts';
import { callerOf } from '../caller.ts';
import { isoTime } from '../iso-time.ts';
import { json } from '../reply.ts';
import { asCaller, runActs } from '../run.ts';
import { signedPath } from '../signed/tokens.ts';

interface OwnFile {
  readonly bucket_id: string;
  readonly name: string;
  readonly size: number | null;
  readonly type: string | null;
  readonly created_at: string;
}

export const ownFiles = storageCall({
  id: 'storage.object.list_own',
  route: 'GET /object/own',
  caller: 'key',
  summary: 'Lists the files that the member who calls uploaded, in all buckets, for a download of the own data.',
  returns: 'A list of bucket_id, name, size, type, created_at and signedURL, a path below /storage/v1.',
  errors: [],
  query: { offset: optional('The number of files to leave out.', 'integer') },
  handle: async (context, request, { query, operation }) => {
    const identity = await callerOf(context);
    const offset = query.get('offset') ?? '0';
    if (!/^\d{1,9}$/.test(offset))
      throw new NinefoldError('InvalidRequest', { message: 'offset must be a whole number' });
    const [result] = await runActs(
      context,
      request,
      { operation },
      asCaller(identity, {
        text: `select coalesce(json_agg(own), '[]') from (
            select o.bucket_id, o.name, o.metadata -> 'size' as size, o.metadata ->> 'mimetype' as type,
              ${isoTime('o.created_at')} as created_at
            from storage.objects o where o.owner_id = $1 and strpos(o.bucket_id, '/') = 0 order by o.bucket_id, o.name limit $2::int offset $3::int
          ) own`,
        params: [identity.userId, String(limits.storageListRows.default), offset],
      }),
    );
    const files = (result && firstJson<OwnFile[]>(result)) ?? [];
    const seconds = limits.ownFileSeconds.default;
    return json(
      files.map((file) => ({
        ...file,
        signedURL: signedPath(context, { bucket: file.bucket_id, name: file.name }, seconds),
      })),
    );
  },
});
