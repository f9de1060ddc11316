import { get } from 'node:http';
import { Connection } from '../src/database/connection.ts';
import { parseConnectionUrl } from '../src/database/connection-config.ts';
import { databaseUrl, makeApp } from './app.ts';
import { median, number, table } from './figures.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

const REPEATS = 15;
const SLOW_READERS = 4;
/** Time in milliseconds that a slow reader pauses after each part of a response. */
const SLOW_MILLISECONDS = 20;

/** Measures long responses. Compares them with COPY of the same JSON, and measures what slow readers cost the server. */
export async function measurePages(): Promise<void> {
  const node = await startNode({ workers: 1 });
  try {
    const { app, headers } = await makeApp(node);
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_max_rows`, { value: null });
    const copy = await Connection.open(parseConnectionUrl(await databaseUrl(node, app), 'bench'), 5000);
    const rows: string[][] = [];
    for (const size of [10_000, 100_000]) {
      const url = `${node.url}/apps/bench/rest/v1/items?order=id&limit=${size}`;
      const copySql = `copy (select row_to_json(i) from (select * from public.items order by id limit ${size}) i) to stdout`;
      const answers: number[] = [];
      const copies: number[] = [];
      await read(url, headers);
      for (let i = 0; i < REPEATS; i++) {
        answers.push(await timed(() => read(url, headers)));
        copies.push(await timed(() => copy.script(copySql, { maxRows: 0 })));
      }
      const [answer, limit] = [median(answers), median(copies)];
      const bytes = await read(url, headers);
      const ratio = (answer / limit).toFixed(2);
      rows.push([`${number(size)} rows`, megabytes(bytes), `${answer.toFixed(0)} ms`, `${limit.toFixed(0)} ms`, ratio]);
    }
    copy.close();
    table(['Page', 'Size', 'Answer', 'COPY of the same JSON', 'Times COPY'], rows);
    await measureMemory(node, `${node.url}/apps/bench/rest/v1/items?order=id&limit=100000`, headers);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

async function measureMemory(node: BenchNode, url: string, headers: Record<string, string>): Promise<void> {
  const before = node.memory('node');
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, node.memory('node'));
  }, 100);
  const sizes = await Promise.all(Array.from({ length: SLOW_READERS }, () => read(url, headers, SLOW_MILLISECONDS)));
  clearInterval(timer);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  table(
    ['Memory of the server', 'Measured'],
    [
      ['before', megabytes(before)],
      [`at most, while ${sizes.length} slow readers take ${megabytes(all)}`, megabytes(max)],
    ],
  );
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Reads a response to its end, at full speed or with pauses between its parts. Resolves with its size in bytes. */
function read(url: string, headers: Record<string, string>, pause = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (pause === 0) return;
        response.pause();
        setTimeout(() => response.resume(), pause);
      });
      response.on('error', reject);
      response.on('end', () => resolve(bytes));
    }).on('error', reject);
  });
}
