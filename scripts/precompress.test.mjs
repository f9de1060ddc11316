import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { precompress } from './precompress.mjs';

it('precompress writes compressed copies of text files that are large enough, and the copies unpack to the same bytes', async () => {
  mkdirSync('.tmp/tests', { recursive: true });
  const folder = mkdtempSync('.tmp/tests/precompress-');
  mkdirSync(join(folder, 'assets'));
  const script = Buffer.from('console.log("ninefold");'.repeat(200));
  writeFileSync(join(folder, 'assets/app.js'), script);
  writeFileSync(join(folder, 'small.css'), 'a{}');
  writeFileSync(join(folder, 'font.woff2'), Buffer.alloc(5000));
  await precompress(folder);
  expect(readdirSync(folder).sort()).toEqual(['assets', 'font.woff2', 'small.css']);
  expect(brotliDecompressSync(readFileSync(join(folder, 'assets/app.js.br'))).equals(script)).toBe(true);
  expect(gunzipSync(readFileSync(join(folder, 'assets/app.js.gz'))).equals(script)).toBe(true);
});
