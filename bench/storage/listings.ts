import { Connection } from '../../src/database/connection.ts';
import { parseConnectionUrl } from '../../src/database/connection-config.ts';
import { databaseUrl } from '../app.ts';
import { median, number, table } from '../figures.ts';
import { BUCKET, type FilesApp, serviceHeaders } from './files-app.ts';

const OBJECTS = 1_000_000;
const PAGE = 1000;
const FOLDERS = OBJECTS / PAGE;
const CALLS = 15;

/**
 * Measures listings of 1,000 of a million objects, as the service role and as the member, whose policy is evaluated for
 * each object. The objects are in 1,000 folders of the member's folder.
 */
export async function measureListings(files: FilesApp): Promise<void> {
  const { node, app, member, headers } = files;
  const started = performance.now();
  await fill(await databaseUrl(node, app), member.id);
  process.stdout.write(`${number(OBJECTS)} objects in ${number((performance.now() - started) / 1000)} s\n\n`);
  const own = member.id;
  const list = (prefix: string) => ({ path: `/object/list/${BUCKET}`, body: { prefix, limit: PAGE } });
  const listV2 = (prefix: string, hasDelimiter: boolean) => ({
    path: `/object/list-v2/${BUCKET}`,
    body: { prefix, limit: PAGE, with_delimiter: hasDelimiter },
  });
  const listings: [name: string, call: { path: string; body: object }][] = [
    ['1,000 folders, list', list(own)],
    ['1,000 folders, list-v2', listV2(`${own}/`, true)],
    ['1,000 files of a folder, list', list(`${own}/f7`)],
    ['1,000 files of a folder, list-v2', listV2(`${own}/f7/`, true)],
    ['the first 1,000 of a million files, list-v2', listV2(`${own}/`, false)],
  ];
  const service = serviceHeaders(files);
  const rows = listings.flatMap(([name, call]): [string, typeof call, Record<string, string>][] => [
    [`${name}, service role`, call, service],
    [`${name}, member`, call, headers],
  ]);
  const lines: string[][] = [];
  for (const [name, { path, body }, as] of rows) {
    const times: number[] = [];
    let processor = 0;
    for (let turn = 0; turn <= CALLS; turn++) {
      // The first call warms up.
      if (turn === 1) processor = node.allProcessorTime();
      const at = performance.now();
      const entries = await post(`${node.url}${files.path(path)}`, as, body);
      if (entries !== PAGE) throw new Error(`${name}: ${entries} entries`);
      if (turn > 0) times.push(performance.now() - at);
    }
    const processorEach = (node.allProcessorTime() - processor) / CALLS;
    lines.push([
      name,
      `${median(times).toFixed(1)} ms`,
      `${number(Math.max(...times))} ms`,
      `${number(processorEach)} ms`,
    ]);
  }
  table(['Listing', 'Median', 'Slowest', 'Processor time each'], lines);
}

/** Returns the number of entries in the response. */
async function post(url: string, headers: Record<string, string>, body: object): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  const found = JSON.parse(text) as unknown[] | { folders: unknown[]; objects: unknown[] };
  return Array.isArray(found) ? found.length : found.folders.length + found.objects.length;
}

/** Inserts the rows without the indexes that enforce no constraint, and creates these after that. */
async function fill(url: string, member: string): Promise<void> {
  const connection = await Connection.open(parseConnectionUrl(url, 'bench'), 5000);
  const run = (text: string) => connection.script(text);
  const indexes = await run(`select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index i
    where indrelid = 'storage.objects'::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`);
  await run(`set maintenance_work_mem = '512MB'`);
  for (const [name] of indexes[0]?.rows ?? []) await run(`drop index ${name}`);
  await run('alter table storage.objects disable trigger user');
  await run(rowsOf(member));
  await run('alter table storage.objects enable trigger user');
  for (const [, definition] of indexes[0]?.rows ?? []) await run(String(definition));
  await run('vacuum (analyze) storage.objects');
  connection.close();
}

const rowsOf = (member: string): string => `
  insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
  select '${BUCKET}', '${member}/f' || f || '/' || lpad(g::text, 8, '0') || '.png', '${member}', '${member}',
    jsonb_build_object('eTag', '"' || md5(g::text) || md5(g::text) || '"', 'size', 1000 + g, 'mimetype', 'image/png',
      'cacheControl', 'max-age=3600', 'lastModified', '2026-11-28T10:00:00.000Z', 'contentLength', 1000 + g,
      'httpStatusCode', 200),
    '{}', gen_random_uuid()::text
  from generate_series(1, ${FOLDERS}) f, generate_series(1, ${PAGE}) g`;
