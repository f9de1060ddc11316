import { randomBytes } from 'node:crypto';
import { CONNECTIONS, median, number, ROUNDS, table } from '../figures.ts';
import { load, request } from '../load.ts';
import { POCKETBASE, type PocketBase, withPocketBase } from '../pocketbase-server.ts';
import { type FilesApp, KIB, MIB } from './files-app.ts';
import { receive, send } from './transfer.ts';

const MILLISECONDS = 3000;
const LARGE = 100 * MIB;
const LARGE_AT_ONCE = 4;
const BOUNDARY = 'ninefold-bench-boundary';
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Where a server takes files, and what it needs for it. */
interface Server {
  readonly name: string;
  readonly port: number;
  readonly headers: Record<string, string>;
  /** Path to which a form with a file is sent. */
  readonly target: (name: string) => string;
  /** Path of the file, by its name and the response to its upload. */
  readonly source: (name: string, answer: string) => string;
}

interface Round {
  smallUploads: number;
  smallDownloads: number;
  largeUpload: number;
  largeDownload: number;
}

/** Measures uploads as forms and downloads, beside the same calls of PocketBase. */
export async function measurePocketBase(files: FilesApp): Promise<void> {
  const ninefold: Server = {
    name: 'Ninefold',
    port: files.node.port,
    headers: files.headers,
    target: files.object,
    source: files.object,
  };
  const rounds = new Map<string, Round[]>();
  const measure = async (servers: readonly Server[]): Promise<void> => {
    for (let i = 0; i <= ROUNDS; i++) {
      for (const server of servers) {
        const found = await round(server, `round-${i}`);
        // The first round warms up.
        if (i > 0) rounds.set(server.name, [...(rounds.get(server.name) ?? []), found]);
      }
    }
  };
  if (POCKETBASE === undefined) {
    process.stdout.write('PocketBase is missing in this table: BENCH_POCKETBASE does not name its program.\n\n');
    await measure([ninefold]);
  } else {
    await withPocketBase(POCKETBASE, '', async (pocketBase) => measure([ninefold, await serverOf(pocketBase)]));
  }
  const line = (name: string, unit: string, of: (each: Round) => number): string[] => [
    name,
    ...[...rounds.values()].map((each) => `${number(median(each.map(of)))} ${unit}`),
  ];
  table(
    ['Files by forms', ...rounds.keys()],
    [
      line(`upload of 1 KB, ${CONNECTIONS} clients`, 'a second', ({ smallUploads }) => smallUploads),
      line(`download of 1 KB, ${CONNECTIONS} clients`, 'a second', ({ smallDownloads }) => smallDownloads),
      line(`upload of 100 MB, ${LARGE_AT_ONCE} at once`, 'MB/s', ({ largeUpload }) => largeUpload),
      line(`download of 100 MB, ${LARGE_AT_ONCE} at once`, 'MB/s', ({ largeDownload }) => largeDownload),
    ],
  );
}

async function round(server: Server, name: string): Promise<Round> {
  const { port, headers, target, source } = server;
  const sources: string[] = [];
  const sent: string[] = [];
  const connections = CONNECTIONS;
  let made = 0;
  const uploads = await load({
    port,
    connections,
    milliseconds: MILLISECONDS,
    next: (connection) => {
      const own = `${name}-${made++}`;
      sent[connection] = own;
      const { before, after: end } = formAround(own);
      return request('POST', target(own), { ...headers, ...FORM }, Buffer.concat([before, randomBytes(KIB), end]));
    },
    onBody: (connection, body) => sources.push(source(sent[connection] as string, body)),
  });
  const requests = sources.slice(0, 1000).map((path) => request('GET', path, headers));
  let turn = 0;
  const downloads = await load({
    port,
    connections,
    milliseconds: MILLISECONDS,
    next: () => requests[turn++ % requests.length] as Buffer,
  });
  if (uploads.failed + downloads.failed > 0)
    throw new Error(`${server.name}: ${uploads.failed} uploads and ${downloads.failed} downloads failed`);
  const names = Array.from({ length: LARGE_AT_ONCE }, (_, i) => `${name}-large-${i}`);
  let large: string[] = [];
  const largeUpload = await rate(async () => {
    large = await Promise.all(
      names.map(async (own) =>
        source(own, await send(port, 'POST', target(own), { ...headers, ...FORM }, LARGE, formAround(own))),
      ),
    );
  });
  const largeDownload = await rate(async () => {
    await Promise.all(large.map((path) => receive(port, request('GET', path, headers), LARGE)));
  });
  return { smallUploads: uploads.perSecond, smallDownloads: downloads.perSecond, largeUpload, largeDownload };
}

/** Returns the rate in MB a second. */
async function rate(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (LARGE * LARGE_AT_ONCE) / 1e3 / (performance.now() - started);
}

/** Returns the bytes of a form before and after its file. */
const formAround = (name: string): { before: Buffer; after: Buffer } => ({
  before: Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  ),
  after: Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
});

/** Creates a collection of files that signed-in members read and write. */
async function serverOf({ port, post, superuserToken, password }: PocketBase): Promise<Server> {
  const member = { email: 'member@example.com', password };
  await post('/users/records', { ...member, passwordConfirm: member.password }, superuserToken);
  const rule = '@request.auth.id != ""';
  const file = { name: 'file', type: 'file', maxSelect: 1, maxSize: 2 * LARGE, protected: false };
  const collection = { name: 'files', type: 'base', createRule: rule, viewRule: rule, fields: [file] };
  await post('', collection, superuserToken);
  const session = await post<{ token: string }>('/users/auth-with-password', { identity: member.email, password });
  return {
    name: 'PocketBase',
    port,
    headers: { authorization: session.token },
    target: () => '/api/collections/files/records',
    source: (_, answer) => {
      const record = JSON.parse(answer) as { id: string; file: string };
      return `/api/files/files/${record.id}/${record.file}`;
    },
  };
}
