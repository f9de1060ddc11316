import { MILLISECONDS, median, number, ROUNDS, table } from '../figures.ts';
import { type LoadResult, load } from '../load.ts';
import { downloadRequest, type FilesApp, KIB, MIB, uploadRequest } from './files-app.ts';
import { send } from './transfer.ts';

const READERS = 16;
const READ_FILES = 500;
const READ_SIZE = 10 * KIB;
const UPLOADS = 8;
const UPLOAD_SIZE = 200 * MIB;

/** Measures reads of small files alone, and while eight clients upload large files. */
export async function measureBesideUploads(files: FilesApp): Promise<void> {
  const { node } = files;
  let made = 0;
  await load({
    port: node.port,
    connections: READERS,
    milliseconds: MILLISECONDS,
    next: () => uploadRequest(files, String(made++ % READ_FILES), READ_SIZE),
  });
  const requests = Array.from({ length: Math.min(made, READ_FILES) }, (_, i) => downloadRequest(files, String(i)));
  let turn = 0;
  const read = (): Promise<LoadResult> =>
    load({
      port: node.port,
      connections: READERS,
      milliseconds: MILLISECONDS,
      next: () => requests[turn++ % requests.length] as Buffer,
    });
  const alone: LoadResult[] = [];
  const beside: LoadResult[] = [];
  const rates: number[] = [];
  await read();
  for (let i = 0; i < ROUNDS; i++) {
    alone.push(await read());
    const [result, bytesPerSecond] = await Promise.all([read(), upload(files)]);
    beside.push(result);
    rates.push(bytesPerSecond);
  }
  const row = (name: string, results: LoadResult[], uploads: string): string[] => [
    name,
    number(median(results.map(({ perSecond }) => perSecond))),
    ...(['p50', 'p99'] as const).map((share) => `${median(results.map((each) => each[share])).toFixed(1)} ms`),
    number(results.reduce((sum, { failed }) => sum + failed, 0)),
    uploads,
  ];
  table(
    [`Reads of 10 KB by ${READERS} clients`, 'Requests a second', 'p50', 'p99', 'Failed', 'Uploads'],
    [row('alone', alone, ''), row('while eight upload 200 MB', beside, `${number(median(rates) / 1e6)} MB/s`)],
  );
}

/** Uploads without a pause until the reads end. Returns the bytes that were uploaded in a second. */
async function upload({ node, object, headers }: FilesApp): Promise<number> {
  const started = performance.now();
  let bytes = 0;
  await Promise.all(
    Array.from({ length: UPLOADS }, async (_, i) => {
      while (performance.now() < started + MILLISECONDS) {
        await send(node.port, 'PUT', object(`large-${i}`), headers, UPLOAD_SIZE);
        bytes += UPLOAD_SIZE;
      }
    }),
  );
  return bytes / ((performance.now() - started) / 1000);
}
