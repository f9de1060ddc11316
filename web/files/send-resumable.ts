import { DetailedError, Upload } from 'tus-js-client';
import { contentTypeOf, type NewObject, PART_BYTES, type Sending, type StorageAddress } from './storage-address.ts';

/** Pauses in milliseconds before a part is sent again. */
const PAUSES = [500, 1000, 3000];

/**
 * Sends a file in parts by the protocol TUS. The browser stores the address of the upload, so an upload of the same
 * file to the same path continues where it ended, even after a reload of the page.
 */
export function sendResumable(
  { url, headers, failure }: StorageAddress,
  { file, bucket, path, replaces }: NewObject,
  { signal, onProgress }: Sending,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: `${url}/upload/resumable`,
      chunkSize: PART_BYTES,
      retryDelays: PAUSES,
      uploadDataDuringCreation: true,
      removeFingerprintOnSuccess: true,
      headers: { 'x-upsert': String(replaces) },
      metadata: { bucketName: bucket, objectName: path, contentType: contentTypeOf(file), cacheControl: '3600' },
      fingerprint: async ({ name, size, lastModified }) =>
        ['ninefold-upload', url, bucket, path, name, size, lastModified].join('\n'),
      onBeforeRequest: async (request) => {
        for (const [name, value] of Object.entries(await headers())) request.setHeader(name, value);
      },
      onProgress,
      onSuccess: () => {
        signal.removeEventListener('abort', pause);
        resolve();
      },
      onError: (error) => {
        signal.removeEventListener('abort', pause);
        const response = error instanceof DetailedError ? error.originalResponse : null;
        const status = response?.getStatus() ?? 0;
        reject(failure(status, response?.getBody() ?? '', response?.getHeader('x-request-id') ?? null));
      },
    });
    const pause = () => {
      void upload.abort();
      reject(signal.reason);
    };
    const start = async () => {
      const [earlier] = await upload.findPreviousUploads();
      if (signal.aborted) return pause();
      signal.addEventListener('abort', pause, { once: true });
      if (earlier) upload.resumeFromPreviousUpload(earlier);
      upload.start();
    };
    start().catch(reject);
  });
}
