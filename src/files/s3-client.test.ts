import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { sizesBelow } from '../../test/support/store-suite.ts';
import { S3Client, standardTiming } from './s3-client.ts';
import { S3Store } from './s3-store.ts';

const timing = { ...standardTiming, pause: 1, longestPause: 2 };
const ATTEMPTS = 5;

let server: Receiver | undefined;
afterEach(() => server?.close());

/** Lists a bucket of a server that sends `respond` for each request. Returns the code of the error. */
async function codeOfList(respond: (response: ServerResponse) => void, { response } = timing): Promise<unknown> {
  server = await startReceiver((_, outgoing) => respond(outgoing));
  const location = { endpoint: server.url, bucket: 'bucket', prefix: '', region: 'r', isPathStyle: true };
  const store = new S3Store(new S3Client({ ...location, accessKey: 'key', secret: 'secret' }, { ...timing, response }));
  const error = await sizesBelow(store, '').catch((caught: unknown) => caught);
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : error;
}
const item = (content: string) => `<ListBucketResult><Contents>${content}</Contents></ListBucketResult>`;

describe('S3Client', () => {
  it.each([
    ['no XML', 'plain text', 'InvalidResponse'],
    ['the page of a proxy', '<html><body>Welcome</body></html>', 'InvalidResponse'],
    ['an error after the status 200', '<Error><Code>InternalError</Code></Error>', 'InternalError'],
    ['an error whose code is a text', '<Error><Code>the key AK1 is wrong</Code></Error>', 'InvalidResponse'],
    [
      'a list that goes on nowhere',
      '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
      'InvalidList',
    ],
    ['an object without a size', item('<Key>a</Key><LastModified>2020-01-01T00:00:00Z</LastModified>'), 'InvalidList'],
    ['deeply nested elements', '<a>'.repeat(50_000), 'InvalidResponse'],
  ])('reports a response that is %s after all attempts', async (_, document, code) => {
    expect(await codeOfList((response) => response.end(document))).toMatch(code);
    expect(server?.requests).toHaveLength(ATTEMPTS);
  });

  it('ends a list whose page after page has the same token', async () => {
    const page =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>';
    expect(await codeOfList((response) => response.end(page))).toMatch('InvalidList');
  });

  it('reads no more than 2 MiB of a response', async () => {
    expect(await codeOfList((response) => response.end(' '.repeat(3_000_000)))).toMatch('ResponseTooLong');
    expect(server?.requests).toHaveLength(1);
  });

  it('ends a response that arrives byte by byte', async () => {
    const drip = (response: ServerResponse) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    };
    expect(await codeOfList(drip, { ...timing, response: 100 })).toMatch('Timeout');
  });

  it.each([403, 301, 400, 404, 501])('does not repeat a request after the status %d', async (status) => {
    const document = '<Error><Code>AccessDenied</Code><Message>secret</Message></Error>';
    expect(await codeOfList((response) => response.writeHead(status).end(document))).toBe(
      `The S3 server responded ${status} AccessDenied.`,
    );
    expect(server?.requests).toHaveLength(1);
  });

  it('addresses a bucket by the path or by the host name', async () => {
    const answer = (response: ServerResponse) => response.end('<ListBucketResult/>');
    expect(await codeOfList(answer)).toEqual([]);
    expect(server?.requests[0]?.url).toMatch(/^\/bucket\/\?list-type=2&/);
    const { port } = server ?? { port: 0 };
    const location = {
      endpoint: `http://localhost:${port}`,
      bucket: 'files',
      prefix: 'p/',
      region: 'r',
      isPathStyle: false,
    };
    const client = new S3Client({ ...location, accessKey: 'key', secret: 'secret' }, timing);
    await sizesBelow(new S3Store(client), 'app/').catch(() => undefined);
    const last = server?.requests.at(-1);
    // Not every system resolves names below localhost.
    if (server?.requests.length === 2) {
      expect(last).toMatchObject({
        url: expect.stringMatching(/^\/\?.*prefix=p%2Fapp%2F$/),
        headers: { host: `files.localhost:${port}` },
      });
    }
  });
});
