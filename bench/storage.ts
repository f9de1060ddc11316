import { WORKERS } from './figures.ts';
import { removeHome, startNode } from './node.ts';
import { measureBesideUploads } from './storage/beside-uploads.ts';
import { type FilesApp, makeFilesApp } from './storage/files-app.ts';
import { measureLargeFiles } from './storage/large-files.ts';
import { measureListings } from './storage/listings.ts';
import { measurePocketBase } from './storage/pocketbase.ts';
import { measureSmallFiles } from './storage/small-files.ts';

const parts: Readonly<Record<string, { workers: number; measure: (files: FilesApp) => Promise<void> }>> = {
  large: { workers: 1, measure: measureLargeFiles },
  small: { workers: WORKERS, measure: measureSmallFiles },
  beside: { workers: WORKERS, measure: measureBesideUploads },
  listings: { workers: WORKERS, measure: measureListings },
  pocketbase: { workers: WORKERS, measure: measurePocketBase },
};

/** Measures files: each part with a node of its own. `BENCH_STORAGE` selects parts by name, separated by commas. */
export async function measureStorage(): Promise<void> {
  const wanted = process.env.BENCH_STORAGE?.split(',') ?? Object.keys(parts);
  for (const name of wanted) {
    const part = parts[name];
    if (!part) throw new Error(`no part of storage is called ${name}; there are ${Object.keys(parts).join(', ')}`);
    const node = await startNode({ workers: part.workers });
    try {
      await part.measure(await makeFilesApp(node));
    } finally {
      await node.stop();
      removeHome(node.home);
    }
  }
}
