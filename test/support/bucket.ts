import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from './apps.ts';
import type { NodeAddress } from './node.ts';

/** Creates an app with a public bucket `open`. */
export const createAppWithBucket = (node: NodeAddress): Promise<AppConnection> =>
  createAppWith(node, `insert into storage.buckets (id, name, public) values ('open', 'open', true)`);

/** Uploads an image to the bucket `open` as a builder. */
export async function putImage(node: NodeAddress, ref: string, name: string, bytes: Uint8Array): Promise<void> {
  const response = await fetch(`${node.url}/admin/v1/apps/${ref}/storage/v1/object/open/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'image/jpeg' },
    body: new Uint8Array(bytes),
  });
  if (!response.ok) throw new Error(`upload of ${name}: ${response.status} ${await response.text()}`);
}

/** Requests a scaled image of the bucket `open` without a key. */
export const showImage = (
  { url }: Pick<AppConnection, 'url'>,
  nameAndQuery: string,
  signal: AbortSignal | null = null,
): Promise<Response> => fetch(`${url}/storage/v1/render/image/public/open/${nameAndQuery}`, { signal });
