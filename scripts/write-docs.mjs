/** `npm run docs`: writes the tables of the documentation that are generated from `contract`. */
import '../bin/node-version.mjs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { importTypeScript } from './typescript.mjs';

const { generate, generatedPages } = await importTypeScript('scripts/generated-docs.ts');
for (const page of generatedPages) {
  const path = fileURLToPath(new URL(`../${page}`, import.meta.url));
  await writeFile(path, generate(await readFile(path, 'utf8')));
}
