import { createHash } from 'node:crypto';
import type { BodyStream, CallRequest, Reply } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { BytesMissingError } from '../../files/byte-store.ts';
import type { StorageContext } from '../context.ts';
import type { ContentFacts, StoredObject } from '../objects/object.ts';
import { cacheControl, type Delivery, headersOfFile, isUnchanged, lastModified } from '../objects/object-reply.ts';
import type { ScaledImage } from './images.ts';
import { type ImageOptions, nameOfVariant, transformationsText, type Variant, variantOf } from './options.ts';

/**
 * Returns the reply with a scaled image, or 304 if the client has it.
 * @throws NinefoldError ImageRefused, ImagesUnavailable, TooManyImages, BytesMissing
 */
export async function imageReply(
  context: StorageContext,
  request: Pick<CallRequest, 'method' | 'headers'>,
  object: StoredObject,
  options: ImageOptions,
  { download, isPublic }: Delivery,
): Promise<Reply> {
  const { content } = object;
  if (content === null) throw new NinefoldError('BytesMissing');
  const variant = variantOf(options, request.headers.accept);
  const etag = entityTagOf(content, variant);
  const transformations = transformationsText(options);
  const shared = {
    etag,
    'last-modified': lastModified(object),
    'cache-control': cacheControl(object, isPublic),
    vary: 'Accept',
    ...(transformations !== '' && { 'x-transformations': transformations }),
  };
  if (isUnchanged(request.headers, etag, object)) return { status: 304, headers: shared, body: null };
  const image = await context.images.get(context.app.ref, content, variant);
  const type = `image/${image.format}`;
  const headers: Record<string, string> = {
    // The metadata describe the file and not the image.
    ...headersOfFile({ name: object.name, metadata: null }, type, download),
    ...shared,
    'content-type': type,
  };
  if (request.method === 'HEAD') {
    return { status: 200, headers: { ...headers, 'content-length': String(image.size) }, body: null };
  }
  return { status: 200, headers, body: await openImage(context, image, content, variant) };
}

const entityTagOf = ({ sha256 }: ContentFacts, variant: Variant): string =>
  `"${createHash('sha256')
    .update(`${sha256} ${nameOfVariant(variant)}`)
    .digest('hex')}"`;

/** Opens an image. If it was deleted from the cache since it was found, makes it again. */
async function openImage(
  { images, app }: StorageContext,
  image: ScaledImage,
  content: ContentFacts,
  variant: Variant,
): Promise<BodyStream | Uint8Array> {
  const bytes = await image.open().catch(async (error: unknown) => {
    if (!(error instanceof BytesMissingError)) throw error;
    return (await images.get(app.ref, content, variant)).open();
  });
  return bytes instanceof Uint8Array ? bytes : Object.assign(bytes, { length: image.size });
}
