import { code } from '../ui/recovery/code.ts';
import {
  contentTypeOf,
  type NewObject,
  PART_BYTES,
  type SendFile,
  type Sending,
  type StorageAddress,
} from './storage-address.ts';

const resumable = code(() => import('./send-resumable.ts'));

/** Returns the function that sends files to /storage/v1: small ones in one request, large ones in parts. */
export const sendFile =
  (address: StorageAddress): SendFile =>
  async (object, sending) =>
    object.file.size > PART_BYTES
      ? (await resumable()).sendResumable(address, object, sending)
      : sendPlain(address, object, sending);

/** Sends a file in one request. Only XMLHttpRequest reports the progress of an upload. */
async function sendPlain(
  { url, headers, failure }: StorageAddress,
  { file, bucket, path, replaces }: NewObject,
  { signal, onProgress }: Sending,
): Promise<void> {
  const given = await headers();
  signal.throwIfAborted();
  const place = [bucket, ...path.split('/')].map(encodeURIComponent).join('/');
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const end = (settle: () => void) => () => {
      signal.removeEventListener('abort', abort);
      settle();
    };
    request.open('POST', `${url}/object/${place}`);
    for (const [name, value] of Object.entries(given)) request.setRequestHeader(name, value);
    request.setRequestHeader('content-type', contentTypeOf(file));
    request.setRequestHeader('x-upsert', String(replaces));
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = end(() => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(failure(request.status, request.responseText, request.getResponseHeader('x-request-id')));
    });
    request.onerror = end(() => reject(failure(0, '', null)));
    request.onabort = end(() => reject(signal.reason));
    signal.addEventListener('abort', abort);
    request.send(file);
  });
}
