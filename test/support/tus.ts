import { Upload, type UploadOptions } from 'tus-js-client';
import type { AppConnection } from '../../contract/admin.ts';

/** The address and the credentials of an uploader. */
export interface Uploader {
  /** URL of the app. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the uploader with the secret key of an app. */
export const serviceUploader = ({ url, secret_key }: AppConnection): Uploader => ({
  url,
  headers: { apikey: secret_key, authorization: `Bearer ${secret_key}` },
});

/** Returns the uploader with the access token of a member. */
export const memberUploader = ({ url, publishable_key }: AppConnection, token: string): Uploader => ({
  url,
  headers: { apikey: publishable_key, authorization: `Bearer ${token}` },
});

/** Returns the value of the header Upload-Metadata. */
export const tusMetadata = (entries: Readonly<Record<string, string>>): string =>
  Object.entries(entries)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** Sends one request of the protocol. A body is the bytes of a part. */
export async function tus(
  { headers }: Pick<Uploader, 'headers'>,
  method: string,
  url: string,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array | ReadableStream;
  } = {},
): Promise<Response> {
  const { body } = options;
  const type = method === 'PATCH' || body !== undefined ? { 'content-type': 'application/offset+octet-stream' } : {};
  return fetch(url, {
    method,
    headers: { ...headers, 'tus-resumable': '1.0.0', ...type, ...options.headers },
    ...(body !== undefined && { body: body as never, duplex: 'half' }),
  } as RequestInit);
}

/** Begins an upload. Returns the response, and the address of the upload if it has one. */
export async function beginTus(
  uploader: Uploader,
  file: { readonly bucket: string; readonly name: string; readonly size: number | null },
  options: {
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
  } = {},
): Promise<{ readonly response: Response; readonly address: string }> {
  const { path = '/storage/v1/upload/resumable', headers = {}, body } = options;
  const response = await tus(uploader, 'POST', `${uploader.url}${path}`, {
    headers: {
      ...(file.size === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(file.size) }),
      'upload-metadata': tusMetadata({ bucketName: file.bucket, objectName: file.name, contentType: 'text/plain' }),
      ...headers,
    },
    ...(body && { body }),
  });
  return { response, address: response.headers.get('location') ?? '' };
}

/** Appends bytes to an upload. */
export const appendTus = (
  uploader: Pick<Uploader, 'headers'>,
  address: string,
  offset: number,
  body: Uint8Array | ReadableStream,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  tus(uploader, 'PATCH', address, { headers: { 'upload-offset': String(offset), ...headers }, body });

/** Returns the bytes that the node has of an upload; the status if it has no such upload. */
export async function offsetOf(uploader: Pick<Uploader, 'headers'>, address: string): Promise<number | string> {
  const response = await tus(uploader, 'HEAD', address);
  return response.status === 200 ? Number(response.headers.get('upload-offset')) : `status ${response.status}`;
}

/** An upload with tus-js-client. */
export interface ClientUpload {
  readonly upload: Upload;
  /** Resolves after the last byte. */
  readonly done: Promise<void>;
}

/** Starts an upload with tus-js-client. */
export function startTus(
  { url, headers }: Uploader,
  bytes: Buffer,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  options: Partial<UploadOptions> = {},
): ClientUpload {
  const started = {} as { upload: Upload };
  const done = new Promise<void>((resolve, reject) => {
    started.upload = new Upload(bytes, {
      endpoint: `${url}/storage/v1/upload/resumable`,
      chunkSize: 6 * 1024 * 1024,
      ...options,
      headers: { ...headers, ...options.headers },
      metadata: { bucketName: bucket, objectName: name, contentType: 'application/octet-stream', ...options.metadata },
      onError: reject,
      onSuccess: () => resolve(),
    });
  });
  started.upload.start();
  return { ...started, done };
}
