import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { createApp, runSql } from '../../support/apps.ts';
import { clone } from '../../support/clone.ts';

const node = inject('node');

const guide = readFileSync(join(clone, 'docs/realtime.md'), 'utf8');
const blocksOf = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gms'))].map(([, text = '']) => text);

it('the first example of docs/realtime.md runs as written, and every other SQL of the guide too', async () => {
  const app = await createApp(node);
  for (const sql of blocksOf('sql')) await runSql(node, app.ref, sql);
  const [program = ''] = blocksOf('ts');
  const folder = join(clone, '.tmp', 'realtime-guide');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // Node.js 20 has no WebSocket; the guide says what to do there. The program ends when it has printed the row.
  const code = `import ws from 'ws'; globalThis.WebSocket ??= ws;
    const print = console.log; console.log = (...words) => { print(...words); if (words[0] === 'INSERT') process.exit(0); };
    ${program.replace(/'http:[^']+'/, `'${app.url}'`).replace('sb_publishable_…', app.publishable_key ?? '')}`;
  await writeFile(join(folder, 'first.mjs'), code);
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', join(folder, 'first.mjs')], {
    timeout: 10_000,
  });
  expect(stdout).toMatch(/^SUBSCRIBED/);
  expect(stdout).toMatch(/INSERT \{[^}]*body: 'hello'/);
});
