import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { clone } from '../support/clone.ts';
import { cli } from '../support/node.ts';

const node = inject('node');

const readme = readFileSync(join(clone, 'README.md'), 'utf8');
const tour = readme.split('\n## ').find((section) => section.startsWith('Five minutes')) ?? '';
const blocks = [...tour.matchAll(/```(sh|js|text)\n(.*?)```/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
}));

/** Node.js 20 has no WebSocket; the README says what to do there. Its code runs unchanged. */
const preload = `import ws from 'ws'; globalThis.WebSocket ??= ws;\n`;

it("the commands of the README's tour run as written and print the documented output", async () => {
  const folder = join(clone, '.tmp', 'readme');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'web-socket.mjs'), preload);
  const run = (file: string, args: string[]) =>
    promisify(execFile)(file, args, { cwd: folder, env: { ...process.env, NINEFOLD_HOME: node.home } }).catch(
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
  const keys = async () =>
    JSON.parse((await cli(node, ['keys', 'desk', '--json'])).stdout) as Pick<AppConnection, 'url' | 'publishable_key'>;

  let last = '';
  for (const [i, { language, text }] of blocks.entries()) {
    if (language === 'sh') {
      const script = text.replaceAll('bin/ninefold.js', join(clone, 'dist/ninefold.js'));
      const { stdout, stderr } = await run('sh', ['-c', script]);
      expect(stderr, text).toBe('');
      last = stdout;
      // The output begins with the keys for clients and ends with the database URL, without the keys of the console.
      if (text.includes('apps create')) expect(last).toMatch(/^publishable key +sb_[\s\S]*^database url +\S+\n$/m);
    } else if (language === 'js') {
      const { url, publishable_key: key } = await keys();
      const code = text.replaceAll('http://127.0.0.1:9009/apps/desk', url).replaceAll('sb_publishable_…', key);
      await writeFile(join(folder, `step-${i}.mjs`), code);
      const { stdout, stderr } = await run(process.execPath, [
        ...['--no-warnings', '--import', './web-socket.mjs', `step-${i}.mjs`],
      ]);
      const promised = [...text.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, said]) => said);
      expect(promised.length).toBeGreaterThan(1);
      expect(stdout.trimEnd().split('\n'), stderr).toEqual(promised);
    } else {
      expect(last).toContain(text);
    }
  }
  expect(blocks.map(({ language }) => language)).toEqual(['sh', 'js', 'sh', 'js', 'sh', 'sh', 'text']);
  expect(readFileSync(join(folder, 'desk.md'), 'utf8')).toContain('## 6 Roles');
});
