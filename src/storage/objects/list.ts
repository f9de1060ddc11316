import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { optional } from '../../calls/words.ts';
import { firstJson } from '../../database/statement.ts';
import { storageCall } from '../call.ts';
import { callerOf } from '../caller.ts';
import { decodedPath } from '../names.ts';
import { json } from '../reply.ts';
import { asCaller, runActs } from '../run.ts';
import { entriesSql, type ListedEntry } from './list-sql.ts';

const text = z.string().max(limits.storagePathBytes.default).nullish();

/** One entry of a listing: a file, or a folder, which has only a name. */
const listed = ({ name, object }: ListedEntry, prefix: string) => ({
  name: name.slice(prefix.length, object === null ? -1 : undefined),
  id: object?.id ?? null,
  updated_at: object?.updated_at ?? null,
  created_at: object?.created_at ?? null,
  last_accessed_at: object?.last_accessed_at ?? null,
  metadata: object?.metadata ?? null,
});

export const list = storageCall({
  id: 'storage.object.list',
  route: 'POST /object/list/{bucket}',
  caller: 'key',
  needs: ['select objects'],
  summary: 'Lists the files and folders of a folder that the caller may see.',
  returns: 'A list of name, id, created_at, updated_at, last_accessed_at and metadata. A folder has only a name.',
  errors: ['EntityTooLarge'],
  body: z.object({
    prefix: text.meta(optional('The folder; empty for the top.')),
    limit: z
      .number()
      .int()
      .min(1)
      .max(limits.storageListRows.default)
      .nullish()
      .meta(optional('The most entries; 100 by default.', 'integer')),
    offset: z
      .number()
      .int()
      .min(0)
      .max(limits.storageListOffset.default)
      .nullish()
      .meta(optional('The number of entries to leave out.', 'integer')),
    search: text.meta(optional('The start of the names of entries, in any letter case.')),
    sortBy: z
      .object({
        column: z.enum(['name', 'updated_at', 'created_at', 'last_accessed_at']).nullish(),
        order: z.enum(['asc', 'desc']).nullish(),
      })
      .nullish()
      .meta(optional('column and order; by name by default.', 'object')),
  }),
  example: { prefix: '' },
  supabaseJs: "supabase.storage.from('BUCKET').list('FOLDER')",
  handle: async (context, request, { path, readBody, operation }) => {
    const body = await readBody();
    const folder = (body.prefix ?? '').replace(/^\/+/, '').normalize('NFC');
    const prefix = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
    const [result] = await runActs(
      context,
      request,
      { operation },
      asCaller(
        await callerOf(context),
        entriesSql({
          bucket: decodedPath(path.bucket),
          prefix,
          search: body.search ?? '',
          limit: body.limit ?? 100,
          offset: body.offset ?? 0,
          sort: { column: body.sortBy?.column ?? 'name', order: body.sortBy?.order ?? 'asc' },
          after: null,
          isFlat: false,
        }),
      ),
    );
    const entries = (result && firstJson<ListedEntry[]>(result)) ?? [];
    return json(entries.map((entry) => listed(entry, prefix)));
  },
});
