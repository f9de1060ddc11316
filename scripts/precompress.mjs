import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compressible = new Set(['.css', '.html', '.js', '.json', '.svg', '.txt', '.webmanifest', '.wasm']);
/** Minimum size in bytes of a file that is compressed. Compressing a smaller file saves less than a network packet. */
const smallestBytes = 1024;
/** Maximum size in bytes of a file that is compressed with the highest level. */
const mostBytesAtHighest = 256 * 1024;

/**
 * Writes a `.br` and a `.gz` beside every text file of a folder, for a static server that sends them as they are. A
 * copy that is not smaller is not written.
 *
 * @param {string} folder
 */
export async function precompress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && compressible.has(extname(entry.name)));
  await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = await readFile(path);
      if (content.length < smallestBytes) return;
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(content, {
          params: {
            // The highest level saves a few percent, but takes seconds for a file of a megabyte.
            [constants.BROTLI_PARAM_QUALITY]: content.length <= mostBytesAtHighest ? 11 : 9,
            [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          },
        }),
        promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
      ]);
      if (br.length < content.length) await writeFile(`${path}.br`, br);
      if (gz.length < content.length) await writeFile(`${path}.gz`, gz);
    }),
  );
}
