import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeApp } from './app.ts';
import { removeHome, startNode } from './node.ts';

/** The part of a coverage report that is used here (Chrome DevTools Protocol, domain Profiler). */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/**
 * Number of requests that are counted. A file counts only if every one of them runs its code, so that work in the
 * background does not count.
 */
const READS = 10;
const WARM_READS = 200;

/**
 * Script that each process of the node loads. In a worker, it counts the calls of each function. At SIGUSR2, it writes
 * how often each function was called since the previous signal.
 */
const counter = (folder: string): string => `
  import cluster from 'node:cluster';
  import { renameSync, writeFileSync } from 'node:fs';
  import { Session } from 'node:inspector';
  if (cluster.isWorker) {
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    let written = 0;
    const folder = ${JSON.stringify(folder)};
    process.on('SIGUSR2', () => session.post('Profiler.takePreciseCoverage', (error, report) => {
      writeFileSync(folder + '/part', JSON.stringify(error ?? report.result));
      renameSync(folder + '/part', folder + '/' + written++ + '.json');
    }));
    writeFileSync(folder + '/worker', String(process.pid));
  }`;

/** Counts the source files whose functions a worker calls to read one row by its key, if everything that can be cached is cached. */
export async function measureFiles(): Promise<void> {
  const folder = mkdtempSync(join(process.cwd(), '.tmp/bench/coverage-'));
  const script = join(folder, 'counter.mjs');
  writeFileSync(script, counter(folder));
  const node = await startNode({ workers: 1, env: { NODE_OPTIONS: `--import=${script}` } });
  try {
    const { headers } = await makeApp(node);
    const read = async (id: number): Promise<void> => {
      const response = await fetch(`${node.url}/apps/bench/rest/v1/items?id=eq.${id}`, { headers });
      if (!response.ok || (await response.text()).length < 20) throw new Error(`the read failed: ${response.status}`);
    };
    for (let id = 1; id <= WARM_READS; id++) await read(id);
    const worker = Number(readFileSync(join(folder, 'worker'), 'utf8'));
    let reports = 0;
    const take = async (): Promise<ScriptCoverage[]> => {
      const path = join(folder, `${reports++}.json`);
      process.kill(worker, 'SIGUSR2');
      while (!existsSync(path)) await after(5);
      return JSON.parse(readFileSync(path, 'utf8')) as ScriptCoverage[];
    };
    const crossed: Set<string>[] = [];
    for (let id = 1; id <= READS; id++) {
      await take();
      await read(id);
      crossed.push(filesOf(await take()));
    }
    const files = [...(crossed[0] ?? [])].filter((file) => crossed.every((read) => read.has(file))).sort();
    process.stdout.write(`Files that one warm read crosses: ${files.length}\n\n${files.join('\n')}\n\n`);
  } finally {
    await node.stop();
    removeHome(node.home);
    removeHome(folder);
  }
}

/** Returns the source files of all functions that were called. */
function filesOf(coverage: readonly ScriptCoverage[]): Set<string> {
  const files = new Set<string>();
  for (const { url, functions } of coverage) {
    if (!url.startsWith('file:')) continue;
    const path = fileURLToPath(url);
    if (!existsSync(`${path}.map`)) continue;
    const map = sourceMap(path);
    for (const { ranges } of functions) {
      const [range] = ranges;
      const file = range && range.count > 0 ? map(range.startOffset) : null;
      if (file && !file.startsWith('node_modules/')) files.add(file);
    }
  }
  return files;
}

const maps = new Map<string, (offset: number) => string | null>();

/** Returns a function that finds the source file of a position in a built file. */
function sourceMap(path: string): (offset: number) => string | null {
  const known = maps.get(path);
  if (known) return known;
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const starts = [0];
  for (const { index } of readFileSync(path, 'utf8').matchAll(/\n/g)) starts.push(index + 1);
  const find = (offset: number): string | null => {
    const line = starts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (starts[line] ?? 0));
    if (!('originalSource' in entry)) return null;
    return relative(process.cwd(), resolve(dirname(path), entry.originalSource));
  };
  maps.set(path, find);
  return find;
}
