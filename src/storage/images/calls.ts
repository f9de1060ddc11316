import { optional, required } from '../../calls/words.ts';
import { storageCall } from '../call.ts';
import { callerOf } from '../caller.ts';
import { placeOf } from '../objects/place.ts';
import { readErrors, sendFound } from '../objects/read-object.ts';
import { requireReadUrl } from '../signed/tokens.ts';
import { imageReply } from './image-reply.ts';
import { readImageOptions, readSignedOptions } from './options.ts';

const errors = [...readErrors, 'ImageRefused', 'ImagesUnavailable', 'TooManyImages'] as const;
const returns =
  'The image, with ETag, Last-Modified and X-Transformations. It has no metadata of the file, such as places.';
const download = optional('The name under which a browser saves the image; empty for its own name.');
const query = {
  width: optional('The width in pixels. Without height, the height follows.', 'integer'),
  height: optional('The height in pixels. Without width, the width follows.', 'integer'),
  resize: optional('cover fills both sides and cuts (default), contain fits into both, fill distorts.'),
  quality: optional('20 to 100, by default 80.', 'integer'),
  format: optional(
    'avif, webp, or origin for the format of the file. By default the best one that the client accepts.',
  ),
  download,
};

export const renderPublic = storageCall({
  id: 'storage.render.image_public',
  route: 'GET /render/image/public/{bucket}/{path}',
  caller: 'anyone',
  summary: 'Scales an image of a public bucket.',
  returns,
  errors,
  query,
  supabaseJs: "supabase.storage.from('BUCKET').getPublicUrl('PATH', { transform: { width: 200 } })",
  handle: async (context, request, { path, query: sent, operation }) => {
    const options = readImageOptions(sent);
    return sendFound(context, request, placeOf(path), { as: 'public', operation }, (object, delivery) =>
      imageReply(context, request, object, options, delivery),
    );
  },
});

export const renderAuthenticated = storageCall({
  id: 'storage.render.image_authenticated',
  route: 'GET /render/image/authenticated/{bucket}/{path}',
  caller: 'key',
  needs: ['select objects'],
  summary: 'Scales an image that the caller may read.',
  returns,
  errors,
  query,
  supabaseJs: "supabase.storage.from('BUCKET').download('PATH', { transform: { width: 200 } })",
  handle: async (context, request, { path, query: sent, operation }) => {
    const as = await callerOf(context);
    const options = readImageOptions(sent);
    return sendFound(context, request, placeOf(path), { as, operation }, (object, delivery) =>
      imageReply(context, request, object, options, delivery),
    );
  },
});

export const renderSigned = storageCall({
  id: 'storage.render.image_sign',
  route: 'GET /render/image/sign/{bucket}/{path}',
  caller: 'link',
  summary: 'Scales an image by its signed URL, with the options that were signed.',
  returns,
  errors: [...errors, 'InvalidJWT', 'InvalidSignature'],
  query: { token: required('The token of the signed URL.'), download },
  supabaseJs: "supabase.storage.from('BUCKET').createSignedUrl('PATH', 60, { transform: { width: 200 } })",
  handle: async (context, request, { path, query: sent, operation }) => {
    const { place, transformations } = requireReadUrl(context, path, sent);
    const options = readSignedOptions(transformations ?? '');
    return sendFound(context, request, place, { as: 'link', operation }, (object, delivery) =>
      imageReply(context, request, object, options, delivery),
    );
  },
});
