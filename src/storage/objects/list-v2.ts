import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { optional } from '../../calls/words.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { storageCall } from '../call.ts';
import { callerOf } from '../caller.ts';
import { decodedPath } from '../names.ts';
import { json } from '../reply.ts';
import { asCaller, runActs } from '../run.ts';
import { entriesSql, type ListedEntry } from './list-sql.ts';

/** The longest cursor in characters. A cursor contains a path in Base64. */
const CURSOR = 4096;

/** The place after which a page begins: the last entry in the order by name, else the number of entries before it. */
const cursorShape = z.union([
  z.object({ after: z.string() }),
  z.object({ offset: z.number().int().min(0).max(limits.storageListOffset.default) }),
]);

const encode = (cursor: z.output<typeof cursorShape>): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** @throws NinefoldError InvalidRequest */
function decode(text: string | null | undefined): { after: string | null; offset: number } {
  if (!text) return { after: null, offset: 0 };
  try {
    return { after: null, offset: 0, ...cursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString())) };
  } catch (cause) {
    throw new NinefoldError('InvalidRequest', { message: 'The cursor is not one of this call.', cause });
  }
}

export const listV2 = storageCall({
  id: 'storage.object.list_v2',
  route: 'POST /object/list-v2/{bucket}',
  caller: 'key',
  needs: ['select objects'],
  summary: 'Lists the files that the caller may see below a prefix, page by page.',
  returns: 'folders, objects, hasNext and nextCursor.',
  errors: ['EntityTooLarge'],
  body: z.object({
    prefix: z.string().max(limits.storagePathBytes.default).nullish().meta(optional('The start of the paths.')),
    limit: z
      .number()
      .int()
      .min(1)
      .max(limits.storageListRows.default)
      .nullish()
      .meta(optional('The most entries; 1000 by default.', 'integer')),
    cursor: z.string().max(CURSOR).nullish().meta(optional('nextCursor of the page before.')),
    with_delimiter: z
      .boolean()
      .nullish()
      .meta(optional('Whether folders are listed instead of the files in them.', 'boolean')),
    sortBy: z
      .object({
        column: z.enum(['name', 'created_at', 'updated_at']).nullish(),
        order: z.enum(['asc', 'desc']).nullish(),
      })
      .nullish()
      .meta(optional('column and order; by name by default.', 'object')),
  }),
  example: { prefix: '' },
  supabaseJs: "supabase.storage.from('BUCKET').listV2({ prefix: 'FOLDER/' })",
  handle: async (context, request, { path, readBody, operation }) => {
    const body = await readBody();
    const limit = body.limit ?? limits.storageListRows.default;
    const sort = { column: body.sortBy?.column ?? 'name', order: body.sortBy?.order ?? 'asc' } as const;
    const { after, offset } = decode(body.cursor);
    const [result] = await runActs(
      context,
      request,
      { operation },
      asCaller(
        await callerOf(context),
        entriesSql({
          bucket: decodedPath(path.bucket),
          prefix: (body.prefix ?? '').replace(/^\/+/, ''),
          search: '',
          // One more entry tells whether a next page exists.
          limit: limit + 1,
          offset,
          sort,
          after,
          isFlat: body.with_delimiter !== true,
        }),
      ),
    );
    const entries = (result && firstJson<ListedEntry[]>(result)) ?? [];
    const page = entries.slice(0, limit);
    const last = page.at(-1);
    const hasNext = entries.length > limit;
    return json({
      hasNext,
      ...(hasNext &&
        last && { nextCursor: encode(sort.column === 'name' ? { after: last.name } : { offset: offset + limit }) }),
      folders: page.filter(({ object }) => object === null).map(({ name }) => ({ key: name.slice(0, -1), name })),
      objects: page.flatMap(({ name, object }) =>
        object === null
          ? []
          : [
              {
                id: object.id,
                ...(body.with_delimiter === true && { key: name.split('/').at(-1) }),
                name,
                updated_at: object.updated_at,
                created_at: object.created_at,
                last_accessed_at: object.last_accessed_at,
                metadata: object.metadata,
              },
            ],
      ),
    });
  },
});
