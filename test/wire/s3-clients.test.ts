import { execFile, execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { createS3Access, type S3Access } from '../support/s3-client.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const node = inject('node');
const run = promisify(execFile);

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const MIB = 1024 * 1024;
const files: Readonly<Record<string, Buffer>> = {
  'empty.txt': Buffer.alloc(0),
  "a b+c/x+y z%20&=?#'()!*~.txt": Buffer.from('plus'),
  'sub/ünï-日本-😀.txt': Buffer.from('unicode'),
  'sub/deep/large.bin': randomBytes(20 * MIB),
  ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`many/${i}.txt`, Buffer.from(`file ${i}`)])),
};

let app: AppConnection;
let access: S3Access;
let source: string;
beforeAll(async () => {
  app = await createApp(node);
  access = await createS3Access(node, app);
  source = await makeTestFolder('s3-source');
  for (const [name, content] of Object.entries(files)) await write(join(source, name), content);
});

async function write(path: string, content: Buffer | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Returns the paths of all files below a folder with the hashes of their contents. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hashed = paths.map(async (path) => {
    const content = await readFile(path);
    return [path.slice(folder.length + 1), createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries((await Promise.all(hashed)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The environment without the caller's own settings of clients. */
const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS_|RCLONE_)/.test(name)));

describe.skipIf(!isInstalled('aws'))('the AWS CLI (skipped: aws is not installed)', () => {
  const aws = async (...args: string[]): Promise<string> => {
    const env = {
      ...environment(),
      AWS_ACCESS_KEY_ID: access.accessKey,
      AWS_SECRET_ACCESS_KEY: access.secret,
      AWS_DEFAULT_REGION: 'local',
      AWS_CONFIG_FILE: '/dev/null',
    };
    const { stdout } = await run('aws', ['--endpoint-url', access.endpoint, ...args], { env, maxBuffer: MIB });
    return stdout;
  };

  it('synchronises a folder in both directions and transfers only what changed', async () => {
    const target = await makeTestFolder('s3-target');
    await aws('s3', 'mb', 's3://aws');
    await aws('s3', 'sync', source, 's3://aws/copy', '--no-progress');
    expect(await aws('s3', 'sync', source, 's3://aws/copy', '--no-progress')).toBe('');
    await aws('s3', 'sync', 's3://aws/copy', target, '--no-progress');
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
    await rm(join(target, 'many/1.txt'));
    await write(join(target, 'many/2.txt'), 'changed and longer');
    const changes = await aws('s3', 'sync', '--delete', target, 's3://aws/copy', '--no-progress');
    expect(
      changes
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0])
        .sort(),
    ).toEqual(['delete', 'upload']);
    expect(await aws('s3', 'cp', 's3://aws/copy/many/2.txt', '-')).toBe('changed and longer');
    await aws('s3', 'rb', '--force', 's3://aws');
  });

  it('copies a file of 40 MB in parts, moves it, and presigns its URL', async () => {
    const folder = await makeTestFolder('s3-large');
    await write(join(folder, 'in'), randomBytes(40 * MIB));
    await aws('s3', 'mb', 's3://large');
    await aws('s3', 'cp', join(folder, 'in'), 's3://large/file', '--no-progress');
    await aws('s3', 'mv', 's3://large/file', 's3://large/moved', '--no-progress');
    await aws('s3', 'cp', 's3://large/moved', join(folder, 'out'), '--no-progress');
    const { in: sent, out: received } = await contentsOf(folder);
    expect(received).toBe(sent);
    const url = (await aws('s3', 'presign', 's3://large/moved')).trim();
    const { pathname, search } = new URL(url);
    const range = await send(node.url, pathname + search, { headers: { range: 'bytes=0-9' } });
    expect([range.status, range.headers['content-range']]).toEqual([206, `bytes 0-9/${40 * MIB}`]);
    await rm(folder, { recursive: true });
  });
});

describe.skipIf(!isInstalled('rclone'))('rclone (skipped: rclone is not installed)', () => {
  const rclone = async (...args: string[]): Promise<string> => {
    const settings = {
      TYPE: 's3',
      PROVIDER: 'Other',
      ACCESS_KEY_ID: access.accessKey,
      SECRET_ACCESS_KEY: access.secret,
      ENDPOINT: access.endpoint,
      REGION: 'local',
    };
    const remote = Object.entries(settings).map(([name, value]) => [`RCLONE_CONFIG_APP_${name}`, value]);
    const env = { ...environment(), ...Object.fromEntries(remote), RCLONE_CONFIG: '/dev/null' };
    const options = ['--s3-chunk-size', '5M', '--s3-upload-cutoff', '5M'];
    const { stdout, stderr } = await run('rclone', [...options, ...args], { env, maxBuffer: MIB });
    return stdout + stderr;
  };

  it('synchronises, checks, copies and moves folders, with the times of the files', async () => {
    const target = await makeTestFolder('s3-target');
    await rclone('mkdir', 'app:rclone');
    await rclone('sync', source, 'app:rclone/a');
    expect(await rclone('check', '--download', source, 'app:rclone/a')).toContain('0 differences found');
    await rclone('copy', 'app:rclone/a', 'app:rclone/b');
    await rclone('move', 'app:rclone/a', 'app:rclone/c');
    expect(await rclone('check', 'app:rclone/b', 'app:rclone/c')).toContain('0 differences found');
    expect((await rclone('lsf', 'app:rclone')).trim().split('\n')).toEqual(['b/', 'c/']);
    await rclone('sync', 'app:rclone/c', target);
    expect(await contentsOf(target)).toEqual(await contentsOf(source));

    const time = new Date('2021-02-03T04:05:06.789Z');
    await utimes(join(target, 'many/3.txt'), time, time);
    await rm(join(target, 'many/1.txt'));
    await rclone('sync', target, 'app:rclone/c');
    expect(await rclone('lsl', 'app:rclone/c/many/3.txt')).toContain('04:05:06.789');
    expect(await rclone('check', target, 'app:rclone/c')).toContain('0 differences found');
    await rclone('purge', 'app:rclone');
    expect(await rclone('lsd', 'app:')).not.toContain('rclone');
  });
});
