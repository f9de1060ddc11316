import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { optional, required } from '../../calls/words.ts';
import { firstJson } from '../../database/statement.ts';
import { storageCall } from '../call.ts';
import { callerOf } from '../caller.ts';
import { MAX_QUALITY, MIN_QUALITY, signedOptionsText } from '../images/options.ts';
import { objectName } from '../names.ts';
import { bucketOf, placeOf } from '../objects/place.ts';
import { findReadable } from '../objects/read-object.ts';
import { json } from '../reply.ts';
import { asCaller, asService, runActs } from '../run.ts';
import { signedPath } from './tokens.ts';

const seconds = z
  .number()
  .int()
  .min(1)
  .max(limits.signedUrlSeconds.default)
  .meta(required('The seconds until the URL ends.', 'integer'));

/** The options of a scaled image, as storage-js sends them. */
const transform = z
  .object({
    width: z.number().int().min(0).nullish(),
    height: z.number().int().min(0).nullish(),
    resize: z.enum(['cover', 'contain', 'fill']).nullish(),
    format: z.enum(['origin', 'avif', 'webp']).nullish(),
    quality: z.number().int().min(MIN_QUALITY).max(MAX_QUALITY).nullish(),
  })
  .nullish()
  .meta(optional('The options of an image: width, height, resize, format, quality.', 'object'));

export const signOne = storageCall({
  id: 'storage.object.sign',
  route: 'POST /object/sign/{bucket}/{path}',
  caller: 'key',
  needs: ['select objects'],
  summary: 'Signs a URL with which anyone can read one file for a time.',
  returns: 'signedURL, a path below /storage/v1.',
  errors: ['NoSuchBucket', 'NoSuchKey', 'InvalidKey', 'Quarantined', 'EntityTooLarge'],
  body: z.object({ expiresIn: seconds, transform }),
  example: { expiresIn: 60 },
  supabaseJs: "supabase.storage.from('BUCKET').createSignedUrl('PATH', 60)",
  handle: async (context, request, { path, readBody, operation }) => {
    const place = placeOf(path);
    const { expiresIn, transform: options } = await readBody();
    await findReadable(context, request, place, { as: await callerOf(context), operation });
    return json({ signedURL: signedPath(context, place, expiresIn, signedOptionsText(options ?? {})) });
  },
});

export const signMany = storageCall({
  id: 'storage.object.sign_many',
  route: 'POST /object/sign/{bucket}',
  caller: 'key',
  needs: ['select objects'],
  summary: 'Signs a URL for each of several files.',
  returns: 'A list of path, signedURL and error.',
  errors: ['NoSuchBucket', 'InvalidKey', 'EntityTooLarge'],
  body: z.object({
    expiresIn: seconds,
    paths: z
      .array(z.string())
      .min(1)
      .max(limits.storageRemovedObjects.default)
      .meta(required('The paths of the files.', 'list of text')),
  }),
  example: { expiresIn: 60, paths: ['folder/file.txt'] },
  supabaseJs: "supabase.storage.from('BUCKET').createSignedUrls(['PATH'], 60)",
  handle: async (context, request, { path, readBody, operation }) => {
    const bucket = bucketOf(path);
    const { expiresIn, paths } = await readBody();
    const names = paths.map((each) => ({ path: each, name: nameOrNull(each) }));
    const identity = await callerOf(context);
    const params = [bucket, JSON.stringify(names.flatMap(({ name }) => name ?? []))];
    const chosen = 'o.bucket_id = $1 and o.name = any (select pg_catalog.jsonb_array_elements_text($2::jsonb))';
    const select = `select coalesce(pg_catalog.json_agg(o.name), '[]') from storage.objects o`;
    const results = await runActs(
      context,
      request,
      { operation },
      asService({
        text: `${select} join storage.buckets b on b.id = o.bucket_id and b.public where ${chosen}`,
        params,
      }),
      asCaller(identity, { text: `${select} where ${chosen}`, params }),
    );
    const readable = new Set(results.flatMap((result) => firstJson<string[]>(result) ?? []));
    return json(
      names.map(({ path: sent, name }) =>
        name !== null && readable.has(name)
          ? { error: null, path: sent, signedURL: signedPath(context, { bucket, name }, expiresIn) }
          : { error: 'Either the object does not exist or you do not have access to it', path: sent, signedURL: null },
      ),
    );
  },
});

function nameOrNull(path: string): string | null {
  try {
    return objectName(path);
  } catch {
    return null;
  }
}
