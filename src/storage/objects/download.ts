import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { storageCall } from '../call.ts';
import { callerOf, callerOrPublic } from '../caller.ts';
import { requireReadUrl } from '../signed/tokens.ts';
import { placeOf } from './place.ts';
import { readErrors, sendObject } from './read-object.ts';

const DOWNLOAD = optional('The name under which a browser saves the file; empty for its own name.');
const errors = [...readErrors, 'InvalidRange'] as const;
const returns = 'The bytes, with ETag, Last-Modified and Accept-Ranges.';

export const download = storageCall({
  id: 'storage.object.get_authenticated',
  route: 'GET /object/authenticated/{bucket}/{path}',
  caller: 'key',
  needs: ['select objects'],
  summary: 'Downloads a file that the caller may read.',
  returns,
  errors,
  query: { download: DOWNLOAD },
  supabaseJs: "supabase.storage.from('BUCKET').download('PATH')",
  handle: async (context, request, { path, operation }) =>
    sendObject(context, request, placeOf(path), { as: await callerOf(context), operation }),
});

export const downloadShort = storageCall({
  id: 'storage.object.get',
  route: 'GET /object/{bucket}/{path}',
  caller: 'key',
  operation: 'storage.object.get_authenticated',
  summary: 'Downloads a file that the caller may read, or anyone from a public bucket.',
  returns,
  errors,
  query: { download: DOWNLOAD },
  handle: async (context, request, { path, operation }) =>
    sendObject(context, request, placeOf(path), { as: await callerOrPublic(context), operation }),
});

export const downloadPublic = storageCall({
  id: 'storage.object.get_public',
  route: 'GET /object/public/{bucket}/{path}',
  caller: 'anyone',
  summary: 'Downloads a file of a public bucket.',
  returns,
  errors,
  query: { download: DOWNLOAD },
  supabaseJs: "supabase.storage.from('BUCKET').getPublicUrl('PATH')",
  handle: async (context, request, { path, operation }) =>
    sendObject(context, request, placeOf(path), { as: 'public', operation }),
});

export const downloadSigned = storageCall({
  id: 'storage.object.get_signed',
  route: 'GET /object/sign/{bucket}/{path}',
  caller: 'link',
  summary: 'Downloads a file by its signed URL.',
  returns,
  errors: [...errors, 'InvalidJWT', 'InvalidSignature'],
  query: { token: required('The token of the signed URL.'), download: DOWNLOAD },
  supabaseJs: "supabase.storage.from('BUCKET').createSignedUrl('PATH', 60)",
  handle: async (context, request, { path, query, operation }) => {
    const { place, transformations } = requireReadUrl(context, path, query);
    // A signed URL of a small image gives no access to the file itself.
    if (transformations !== null) throw new NinefoldError('InvalidSignature');
    return sendObject(context, request, place, { as: 'link', operation });
  },
});
