import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const observer = fileURLToPath(new URL('./loop-turns.cjs', import.meta.url));

/** Returns the environment of a node whose workers record how long the turns of their event loops take. They write to a folder. */
export const notingTurns = (folder: string): Record<string, string> => ({
  NODE_OPTIONS: `--require ${observer}`,
  LOOP_TURNS_FOLDER: folder,
});

/**
 * Returns the processor time, in milliseconds, of the longest event loop turn that any worker had since a time
 * (Date.now()). Returns null if no turn was recorded, because only Linux provides this time.
 */
export async function longestTurn(folder: string, since: number): Promise<number | null> {
  // Each worker writes its longest turn to its file ten times a second, so 300 ms bring at least one new value.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const turns = files
    .flatMap((text) => text.split('\n'))
    .map((line) => line.split(' ').map(Number))
    .filter(([at = 0]) => at > since)
    .map(([, milliseconds = 0]) => milliseconds);
  return turns.length > 0 ? Math.max(...turns) : null;
}
