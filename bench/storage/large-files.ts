import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median, number, ROUNDS, table } from '../figures.ts';
import { downloadRequest, type FilesApp, MIB } from './files-app.ts';
import { piecesOf, receive, send, whileWatched } from './transfer.ts';

const SIZE = Number(process.env.BENCH_FILE_MB ?? 1024) * MIB;
const WARM_SIZE = 64 * MIB;

interface Round {
  diskWrite: number;
  diskRead: number;
  upload: number;
  download: number;
  /** Seconds of the node. */
  uploadProcessor: number;
  downloadProcessor: number;
  growth: number;
}

/**
 * Measures an upload and a download of a large file through one worker, beside the disk's own rate. Each file that is
 * read is removed from the memory of the system first, so that both reads come from the disk.
 */
export async function measureLargeFiles(files: FilesApp): Promise<void> {
  await round(files, 'warm', WARM_SIZE);
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(files, `large-${i}`, SIZE));
  const rate = (of: (each: Round) => number): number => median(rounds.map(of));
  const line = (name: string, own: keyof Round, disk: keyof Round, processor: keyof Round): string[] => [
    name,
    `${number(rate((each) => each[own]))} MB/s`,
    `${number(rate((each) => each[disk]))} MB/s`,
    `${Math.round(100 * rate((each) => each[own] / each[disk]))} %`,
    `${rate((each) => each[processor]).toFixed(2)} s`,
  ];
  table(
    [
      `One file of ${number(SIZE / MIB)} MB, one worker`,
      'Rate',
      "The disk's own",
      'Share of it',
      'Processor time of the node',
    ],
    [
      line('upload, written and fsynced', 'upload', 'diskWrite', 'uploadProcessor'),
      line('download, read from the disk', 'download', 'diskRead', 'downloadProcessor'),
    ],
  );
  const growth = Math.max(...rounds.map((each) => each.growth));
  process.stdout.write(`Growth of the largest process in memory: ${number(growth / MIB)} MB\n\n`);
}

async function round(files: FilesApp, name: string, size: number): Promise<Round> {
  const { node, headers } = files;
  const path = join(node.home, 'own-rate');
  const diskWrite = rate(size, () => writeOwn(path, size));
  dropCached(path);
  const diskRead = rate(size, () => readOwn(path));
  rmSync(path);
  const known = new Set(storedFiles(node.home));
  const type = { 'content-type': 'application/octet-stream' };
  const up = await whileWatched(node, () => send(node.port, 'POST', files.object(name), { ...headers, ...type }, size));
  for (const file of storedFiles(node.home)) if (!known.has(file)) dropCached(file);
  const down = await whileWatched(node, () => receive(node.port, downloadRequest(files, name), size));
  return {
    diskWrite,
    diskRead,
    upload: size / 1e6 / up.seconds,
    download: size / 1e6 / down.seconds,
    uploadProcessor: up.processor,
    downloadProcessor: down.processor,
    growth: Math.max(up.growth, down.growth),
  };
}

/** Returns the rate in MB a second. */
function rate(size: number, work: () => void): number {
  const started = performance.now();
  work();
  return size / 1e3 / (performance.now() - started);
}

function writeOwn(path: string, size: number): void {
  const file = openSync(path, 'wx');
  for (const piece of piecesOf(size)) writeSync(file, piece);
  fdatasyncSync(file);
  closeSync(file);
}

function readOwn(path: string): void {
  const buffer = Buffer.allocUnsafe(MIB);
  const file = openSync(path, 'r');
  while (readSync(file, buffer) > 0);
  closeSync(file);
}

/** Removes a file from the page cache (coreutils, dd: “drop cache for whole file”). */
const dropCached = (path: string): void => {
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
};

/** Returns the paths of the contents that the node stores. */
export const storedFiles = (home: string): string[] =>
  readdirSync(join(home, 'files', 'apps'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
