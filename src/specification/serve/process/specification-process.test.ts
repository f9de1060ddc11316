import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VersionEntry } from '../../../../contract/changes.ts';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import { emptyFacts, parseChangedFacts } from '../../../catalog/facts.ts';
import { resultsJson } from '../../../catalog/parse-rows.ts';
import { packFacts } from '../versions/packed-facts.ts';
import { NotCachedError } from './not-cached.ts';
import { SpecificationProcess } from './specification-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'ninefold-process-'));
const file = join(folder, 'entry.mjs');
const processes: SpecificationProcess[] = [];

beforeAll(async () => {
  await build({
    entryPoints: ['src/specification/serve/process/process-main.ts'],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    loader: { '.sql': 'text' },
    // Bundled libraries may call `require`, which exists only in CommonJS. So the bundle creates its own `require`.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
});

afterAll(async () => {
  for (const one of processes) one.close();
  rmSync(folder, { recursive: true });
});

function start(bounds?: { memory: number; milliseconds: number }): SpecificationProcess {
  const made = new SpecificationProcess(pathToFileURL(file), () => undefined, bounds);
  processes.push(made);
  return made;
}

const database = { name: 'app_desk', owner: 1, version: 180000, incarnation: '1.1', grants: [] };
const facts = parseChangedFacts(
  {
    parts: [emptyFacts, new TextEncoder().encode(resultsJson({ database, description: null }))],
    options: { exposedSchemas: ['public'], authenticator: 'app_desk_authenticator' },
  },
  null,
);
/** Returns the stored version of an app without objects. */
const named = (name: string) =>
  new Uint8Array(packFacts({ parsed: facts, app: { ref: 'desk', name, authSettings: defaultAuthSettings } }));
const of = { ref: 'desk', state: 'made' };
const entry: VersionEntry = { number: 1, hash: 'abc', at: '2026-01-01', causes: [], changes: [], change_count: 0 };
const app = { ref: 'desk', name: 'Desk' };

/** Returns a small compressed value that needs hundreds of megabytes of memory when it is parsed. */
const swelling = () => new Uint8Array(gzipSync(`{"a":[${'[],'.repeat(9_000_000)}[]]}`));

describe('SpecificationProcess', () => {
  it('returns to each task its own result, in whatever order the results are awaited', async () => {
    const started = start();
    const [page, changes, gone] = await Promise.allSettled([
      started.run('versionPage', { entry, packed: named('Desk'), app }),
      started.run('changesBetween', { ref: 'desk', before: named('Desk'), after: named('Help desk') }),
      started.run('page', { of, format: 'json', extent: 'complete', isGzipped: false }),
    ]);
    const text = page.status === 'fulfilled' && page.value ? Buffer.from(page.value).toString() : '';
    expect(JSON.parse(text)).toMatchObject({
      ...entry,
      specification: { app, hash: 'abc', chapters: { purpose: { name: 'Desk' } } },
    });
    expect(changes).toMatchObject({ status: 'fulfilled', value: [{ chapter: 'purpose', kind: 'changed' }] });
    expect(gone).toMatchObject({ status: 'rejected', reason: expect.any(NotCachedError) });
  });

  it('rejects a stored version that the app’s own code has damaged: a decompression bomb, broken bytes, JSON without an object, or an unknown format', async () => {
    const started = start();
    const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024));
    for (const bytes of [bomb, Buffer.from('nonsense'), gzipSync('[1]'), gzipSync('{'), gzipSync('{"format":0}\n{}')]) {
      const spoilt = new Uint8Array(bytes);
      expect(await started.run('versionPage', { entry, packed: spoilt, app })).toBeNull();
      expect(await started.run('changesBetween', { ref: 'desk', before: named('Desk'), after: spoilt })).toEqual({
        spoilt: 'after',
      });
      expect(await started.run('changesBetween', { ref: 'desk', before: spoilt, after: named('Desk') })).toEqual({
        spoilt: 'before',
      });
    }
  });

  it('rejects only the task that exceeds the memory limit, and runs the next task', async () => {
    const started = start({ memory: 64 * 2 ** 20, milliseconds: 60_000 });
    const [large, behind] = await Promise.allSettled([
      started.run('versionPage', { entry, packed: swelling(), app }),
      started.run('changesBetween', { ref: 'desk', before: named('a'), after: named('b') }),
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'specification_too_large', status: 503 } });
    expect(behind).toMatchObject({ status: 'rejected', reason: expect.any(NotCachedError) });
    expect(await started.run('changesBetween', { ref: 'desk', before: named('a'), after: named('b') })).toHaveLength(1);
  });

  it('ends a task that exceeds its time limit', async () => {
    const started = start({ memory: 2 ** 30, milliseconds: 1 });
    await expect(started.run('versionPage', { entry, packed: swelling(), app })).rejects.toMatchObject({
      code: 'specification_too_large',
    });
  });

  it('rejects the tasks that are unfinished when the process is closed', async () => {
    const started = start();
    const asked = started.run('changesBetween', { ref: 'desk', before: named('a'), after: named('b') });
    started.close();
    await expect(asked).rejects.toBeInstanceOf(NotCachedError);
  });
});
