import { createWriteStream, openAsBlob, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { FileCheck } from '../../../contract/file-check.ts';
import { CliError, type Client, connect } from '../client.ts';
import { bytesInWords, printJson, printTable } from '../print.ts';

const help = `
A file is BUCKET/PATH. Examples:
  ninefold storage ls REF photos/2026/
  ninefold storage cp REF ./sun.jpg photos/2026/sun.jpg
  ninefold storage cp REF photos/2026/sun.jpg ./sun.jpg --from
  ninefold storage mv REF photos/sun.jpg photos/2026/sun.jpg`;

/** Adds the commands `ninefold storage …`. */
export function addStorageCommands(program: Command): void {
  const storage = program.command('storage').description('the files of an app').addHelpText('after', help);

  storage
    .command('ls')
    .description('the buckets of an app, or the files of a folder')
    .argument('<ref>')
    .argument('[folder]', 'BUCKET or BUCKET/FOLDER')
    .option('--json', 'print JSON')
    .action(async (ref: string, folder: string | undefined, { json }: { json?: boolean }) => {
      const client = connect();
      const rows = folder === undefined ? await listBuckets(client, ref) : await listFolder(client, ref, folder);
      if (json) printJson(rows);
      else printTable(['name', 'size', 'type', 'changed'], rows.map(entryCells));
    });

  storage
    .command('cp')
    .description('upload a file; with --from download it')
    .argument('<ref>')
    .argument('<source>', 'a local file; with --from BUCKET/PATH')
    .argument('<target>', 'BUCKET/PATH; with --from a local file')
    .option('--from', 'copy from the app to this machine')
    .option('--type <type>', 'content type of an uploaded file', 'application/octet-stream')
    .option('--replace', 'replace a file that exists')
    .action(async (ref: string, source: string, target: string, options: CopyOptions) => {
      const client = connect();
      if (options.from) await download(client, ref, source, target);
      else await upload(client, ref, source, target, options);
    });

  storage
    .command('mv')
    .description('move or rename a file')
    .argument('<ref>')
    .argument('<source>', 'BUCKET/PATH')
    .argument('<target>', 'BUCKET/PATH')
    .action(async (ref: string, source: string, target: string) => {
      const [from, to] = [placeOf(source), placeOf(target)];
      const body = {
        bucketId: from.bucket,
        sourceKey: from.path,
        destinationBucket: to.bucket,
        destinationKey: to.path,
      };
      await connect().post(apiPath(ref, '/object/move'), body);
    });

  storage
    .command('rm')
    .description('delete files')
    .argument('<ref>')
    .argument('<file...>', 'BUCKET/PATH')
    .action(async (ref: string, files: string[]) => {
      const client = connect();
      for (const file of files) {
        const { bucket, path } = placeOf(file);
        await client.delete(apiPath(ref, `/object/${encodePath(`${bucket}/${path}`)}`));
      }
    });

  storage
    .command('verify')
    .description('compare every row with its bytes; exits with 1 if they differ')
    .argument('<ref>')
    .option('--read', 'read all bytes and compare their hash')
    .option('--json', 'print JSON')
    .action(async (ref: string, { read, json }: { read?: boolean; json?: boolean }) => {
      const path = `/apps/${encodeURIComponent(ref)}/files/verify`;
      const check = await connect().post<FileCheck>(path, { read: read === true });
      if (json) printJson(check);
      else printCheck(check);
      if (check.differences.some(({ kind }) => kind !== 'unused' && kind !== 'orphan')) process.exitCode = 1;
    });

  storage
    .command('move')
    .description('move the bytes of all apps to the configured store, while the node serves; can be repeated')
    .option('--keep', 'leave the bytes in the earlier store')
    .action(async ({ keep }: { keep?: boolean }) => (await import('../move-storage.ts')).moveStorage(keep === true));
}

interface CopyOptions {
  readonly from?: boolean;
  readonly type: string;
  readonly replace?: boolean;
}

const apiPath = (ref: string, path: string): string => `/apps/${encodeURIComponent(ref)}/storage/v1${path}`;

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** @throws CliError */
function placeOf(file: string): { bucket: string; path: string } {
  const slash = file.indexOf('/');
  if (slash > 0 && slash < file.length - 1) return { bucket: file.slice(0, slash), path: file.slice(slash + 1) };
  throw new CliError(`“${file}” names no file: write BUCKET/PATH.`);
}

interface Entry {
  readonly name: string;
  readonly size: number | null;
  readonly type: string;
  readonly changed: string;
}

const entryCells = ({ name, size, type, changed }: Entry): string[] => [
  name,
  size === null ? '' : bytesInWords(size),
  type,
  changed,
];

async function listBuckets(client: Client, ref: string): Promise<Entry[]> {
  const buckets = await client.get<{ id: string; public: boolean; updated_at: string }[]>(apiPath(ref, '/bucket'));
  return buckets.map((bucket) => ({
    name: bucket.id,
    size: null,
    type: bucket.public ? 'public' : 'private',
    changed: bucket.updated_at,
  }));
}

interface Page {
  readonly nextCursor?: string;
  readonly folders: readonly { readonly name: string }[];
  readonly objects: readonly {
    readonly name: string;
    readonly updated_at: string;
    readonly metadata: { readonly size?: number; readonly mimetype?: string } | null;
  }[];
}

async function listFolder(client: Client, ref: string, folder: string): Promise<Entry[]> {
  const [bucket = '', ...rest] = folder.replace(/\/+$/, '').split('/');
  const prefix = rest.length === 0 ? '' : `${rest.join('/')}/`;
  const rows: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await client.post(apiPath(ref, `/object/list-v2/${encodeURIComponent(bucket)}`), {
      prefix,
      with_delimiter: true,
      ...(cursor !== undefined && { cursor }),
    });
    rows.push(...page.folders.map(({ name }) => ({ name, size: null, type: 'folder', changed: '' })));
    rows.push(
      ...page.objects.map(({ name, updated_at: changed, metadata }) => ({
        name,
        size: metadata?.size ?? null,
        type: metadata?.mimetype ?? '',
        changed,
      })),
    );
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return rows;
}

async function upload(
  client: Client,
  ref: string,
  file: string,
  target: string,
  { type, replace }: CopyOptions,
): Promise<void> {
  const { bucket, path } = placeOf(target.endsWith('/') ? `${target}${basename(file)}` : target);
  const { size } = statSync(file);
  const blob = await openAsBlob(file);
  await client.send('POST', apiPath(ref, `/object/${encodePath(`${bucket}/${path}`)}`), {
    headers: { 'content-type': type, ...(replace && { 'x-upsert': 'true' }) },
    body: size === 0 ? new Uint8Array(0) : (blob.stream() as ReadableStream<Uint8Array>),
  });
}

async function download(client: Client, ref: string, source: string, file: string): Promise<void> {
  const { bucket, path } = placeOf(source);
  const response = await client.send('GET', apiPath(ref, `/object/authenticated/${encodePath(`${bucket}/${path}`)}`));
  const body = response.body ? Readable.fromWeb(response.body as never) : Readable.from([]);
  await pipeline(body, file === '-' ? process.stdout : createWriteStream(file), { end: file !== '-' });
}

const words: Readonly<Record<FileCheck['differences'][number]['kind'], string>> = {
  no_content: 'has no content on this node',
  missing: 'the bytes are missing',
  size: 'the bytes have another size',
  damaged: 'the bytes have another hash',
  unused: 'no object has this content; the node deletes it soon',
  orphan: 'no row names these bytes; the node deletes them when they are a day old',
};

function printCheck({ objects, contents, bytes, is_read: isRead, differences, more }: FileCheck): void {
  const compared = isRead ? 'hash and size' : 'size';
  process.stdout.write(
    `${objects} objects with ${contents} different contents, ${bytesInWords(bytes)}: compared by ${compared}.\n`,
  );
  if (differences.length === 0) process.stdout.write('Every row has its bytes, and all bytes have a row.\n');
  else {
    printTable(
      ['difference', 'object', 'bytes'],
      differences.map(({ kind, object, key }) => [words[kind], object ?? '', key ?? '']),
    );
  }
  if (more) process.stdout.write('There are more differences.\n');
}
