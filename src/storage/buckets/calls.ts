import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { optional, required } from '../../calls/words.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { storageCall } from '../call.ts';
import { callerOf, ownerColumns } from '../caller.ts';
import { bucketName, decodedPath } from '../names.ts';
import { json } from '../reply.ts';
import { asCaller, runActs } from '../run.ts';
import { BUCKET_JSON, type Bucket, readBucket } from './bucket.ts';

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** A number of bytes, or a text with a decimal unit as in Supabase Storage: "500KB" are 500,000 bytes. */
const size = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value, context) => {
    if (value === null || value === undefined) return value;
    const [, number = '', unit = ''] = /^([\d.]+)\s*([kmgt]?b)?$/i.exec(String(value)) ?? [];
    const bytes = Math.floor(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
    if (number !== '' && Number.isSafeInteger(bytes)) return bytes;
    context.addIssue({ code: 'custom', message: 'must be a number of bytes, such as 1048576 or "1MB"' });
    return z.NEVER;
  });

const rules = {
  public: z.boolean().nullish().meta(optional('Whether everybody may read the files.', 'boolean')),
  file_size_limit: size.meta(optional('The largest file: a number of bytes, or a text such as 5MB.')),
  allowed_mime_types: z
    .array(
      z
        .string()
        .max(limits.bucketTypes.default)
        .regex(/^[\w!#$&^.+*-]+(?:\/[\w!#$&^.+*-]+)?$/, 'is no media type'),
    )
    .max(limits.bucketTypes.default)
    .nullish()
    .meta(optional('The types of files, such as image/png or image/*.', 'list of text')),
};

export const listBuckets = storageCall({
  id: 'storage.bucket.list',
  route: 'GET /bucket',
  caller: 'key',
  needs: ['select buckets'],
  summary: 'Lists the buckets that the caller may see.',
  returns: 'A list of buckets.',
  errors: [],
  query: {
    limit: optional('The most buckets.', 'integer'),
    offset: optional('The number of buckets to leave out.', 'integer'),
    sortColumn: optional('id, name, created_at or updated_at.'),
    sortOrder: optional('asc or desc.'),
    search: optional('A part of the name.'),
  },
  supabaseJs: 'supabase.storage.listBuckets()',
  handle: async (context, request, { query, operation }) => {
    const identity = await callerOf(context);
    const column = choice(query, 'sortColumn', ['name', 'id', 'created_at', 'updated_at']);
    const order = choice(query, 'sortOrder', ['asc', 'desc']);
    const search = query.get('search') ?? '';
    const [result] = await runActs(
      context,
      request,
      { operation },
      asCaller(identity, {
        text: `select coalesce(json_agg(json), '[]') from (
            select ${BUCKET_JSON} as json from storage.buckets b
            where strpos(lower(b.name), lower($1)) > 0 order by b.${column} ${order}, b.id limit $2::bigint offset $3::bigint
          ) page`,
        params: [search, count(query, 'limit'), count(query, 'offset')],
      }),
    );
    return json((result && firstJson<Bucket[]>(result)) ?? []);
  },
});

/** @throws NinefoldError InvalidRequest */
function choice<T extends string>(query: URLSearchParams, name: string, values: readonly [T, ...T[]]): T {
  const value = query.get(name) ?? values[0];
  const found = values.find((each) => each === value);
  if (found === undefined) {
    throw new NinefoldError('InvalidRequest', { message: `${name} must be one of ${values.join(', ')}` });
  }
  return found;
}

/** @throws NinefoldError InvalidRequest */
function count(query: URLSearchParams, name: string): string | null {
  const value = query.get(name);
  if (value === null || value === '') return null;
  if (/^\d+$/.test(value) && Number.isSafeInteger(Number(value))) return value;
  throw new NinefoldError('InvalidRequest', { message: `${name} must be a whole number` });
}

export const createBucket = storageCall({
  id: 'storage.bucket.create',
  route: 'POST /bucket',
  caller: 'key',
  needs: ['insert buckets'],
  summary: 'Creates a bucket.',
  returns: 'name.',
  errors: ['BucketAlreadyExists', 'InvalidBucketName', 'EntityTooLarge'],
  body: z.object({
    id: z.string().nullish().meta(optional('The id of the bucket; its name by default.')),
    name: z.string().meta(required('The name of the bucket.')),
    type: z.enum(['STANDARD', 'ANALYTICS']).nullish().meta(optional('STANDARD.')),
    ...rules,
  }),
  example: { id: 'photos', name: 'photos', public: false },
  supabaseJs: "supabase.storage.createBucket('BUCKET')",
  handle: async (context, request, { readBody, operation }) => {
    const body = await readBody();
    if (body.type === 'ANALYTICS') {
      throw new NinefoldError('InvalidRequest', { message: 'type: Ninefold has no analytics buckets' });
    }
    const name = bucketName(body.name);
    const id = bucketName(body.id ?? body.name);
    const identity = await callerOf(context);
    const { owner, ownerId } = ownerColumns(identity);
    await runActs(
      context,
      request,
      { operation },
      asCaller(identity, {
        text: `insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
          values ($1, $2, $3::uuid, $4, $5::boolean, $6::bigint,
            (select array_agg(t) from pg_catalog.jsonb_array_elements_text($7::jsonb) t))`,
        params: [
          id,
          name,
          owner,
          ownerId,
          String(body.public ?? false),
          body.file_size_limit === null || body.file_size_limit === undefined ? null : String(body.file_size_limit),
          body.allowed_mime_types ? JSON.stringify(body.allowed_mime_types) : null,
        ],
      }),
    );
    return json({ name: id });
  },
});

export const getBucket = storageCall({
  id: 'storage.bucket.get',
  route: 'GET /bucket/{bucket}',
  caller: 'key',
  needs: ['select buckets'],
  summary: 'Describes a bucket.',
  returns: 'id, name, owner, public, file_size_limit, allowed_mime_types, created_at and updated_at.',
  errors: ['NoSuchBucket'],
  supabaseJs: "supabase.storage.getBucket('BUCKET')",
  handle: async (context, request, { path, operation }) => {
    const identity = await callerOf(context);
    const [result] = await runActs(
      context,
      request,
      { operation },
      asCaller(identity, readBucket(decodedPath(path.bucket))),
    );
    const bucket = result && firstJson<Bucket>(result);
    if (!bucket) throw new NinefoldError('NoSuchBucket');
    const { type: _, ...described } = bucket;
    return json(described);
  },
});

export const updateBucket = storageCall({
  id: 'storage.bucket.update',
  route: 'PUT /bucket/{bucket}',
  caller: 'key',
  needs: ['update buckets'],
  summary: 'Changes the rules of a bucket. A field that is left out stays as it is.',
  returns: 'message.',
  errors: ['NoSuchBucket', 'EntityTooLarge'],
  body: z.object(rules),
  supabaseJs: "supabase.storage.updateBucket('BUCKET', { public: true })",
  handle: async (context, request, { path, readBody, operation }) => {
    const body = await readBody();
    const identity = await callerOf(context);
    const [result] = await runActs(
      context,
      request,
      { operation },
      asCaller(identity, {
        text: `with changed as (update storage.buckets b set
            public = coalesce($2::boolean, b.public),
            file_size_limit = case when $3::boolean then $4::bigint else b.file_size_limit end,
            allowed_mime_types = case when $5::boolean then
              (select array_agg(t) from pg_catalog.jsonb_array_elements_text($6::jsonb) t) else b.allowed_mime_types end,
            updated_at = pg_catalog.now()
          where b.id = $1 returning b.id) select json_build_object('count', count(*)) from changed`,
        params: [
          decodedPath(path.bucket),
          body.public === null || body.public === undefined ? null : String(body.public),
          String(body.file_size_limit !== undefined),
          body.file_size_limit === null || body.file_size_limit === undefined ? null : String(body.file_size_limit),
          String(body.allowed_mime_types !== undefined),
          body.allowed_mime_types ? JSON.stringify(body.allowed_mime_types) : null,
        ],
      }),
    );
    requireOne(result && firstJson<{ count: number }>(result));
    return json({ message: 'Successfully updated' });
  },
});

function requireOne(result: { count: number } | null | undefined): void {
  if (result?.count !== 1) throw new NinefoldError('NoSuchBucket');
}

export const emptyBucket = storageCall({
  id: 'storage.bucket.empty',
  route: 'POST /bucket/{bucket}/empty',
  caller: 'key',
  needs: ['select buckets', 'delete objects'],
  summary: 'Deletes all files of a bucket that the caller may delete.',
  returns: 'message.',
  errors: ['NoSuchBucket'],
  supabaseJs: "supabase.storage.emptyBucket('BUCKET')",
  handle: async (context, request, { path, operation }) => {
    const identity = await callerOf(context);
    const id = decodedPath(path.bucket);
    const [bucket] = await runActs(
      context,
      request,
      { operation },
      asCaller(identity, readBucket(id), {
        text: 'delete from storage.objects o where o.bucket_id = $1',
        params: [id],
      }),
    );
    if (!bucket || !firstJson<Bucket>(bucket)) throw new NinefoldError('NoSuchBucket');
    // The rows are gone. The words are those of Supabase Storage, whose client expects them; the node frees the bytes in seconds.
    return json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' });
  },
});

export const deleteBucket = storageCall({
  id: 'storage.bucket.delete',
  route: 'DELETE /bucket/{bucket}',
  caller: 'key',
  needs: ['delete buckets'],
  summary: 'Deletes an empty bucket.',
  returns: 'message.',
  errors: ['NoSuchBucket', 'BucketNotEmpty'],
  supabaseJs: "supabase.storage.deleteBucket('BUCKET')",
  handle: async (context, request, { path, operation }) => {
    const identity = await callerOf(context);
    const id = decodedPath(path.bucket);
    const [result] = await runActs(
      context,
      request,
      { operation },
      asCaller(identity, {
        text: `with removed as (delete from storage.buckets b where b.id = $1 returning b.id)
          select json_build_object('count', count(*)) from removed`,
        params: [id],
      }),
    );
    requireOne(result && firstJson<{ count: number }>(result));
    return json({ message: 'Successfully deleted' });
  },
});
