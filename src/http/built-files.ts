import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { acceptedCodings, contentTypeOf, FOREVER, fileReply } from './stored-files.ts';

/** A built file with its compressed versions. */
interface BuiltFile {
  readonly sha256: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

/** Matches file names that Vite generates, with a hash of the content before the first dot. */
const HASHED = /-[\w-]{8}\.[^/\\]+$/;

/** Serves the files of a built web application. The files that were requested stay in memory. */
export class BuiltFiles {
  readonly #folder: string;
  readonly #names = new Set<string>();
  readonly #files = new Map<string, BuiltFile>();

  /**
   * @param folder The built web application. Without `page`, it has no files.
   * @param skipped Matches the names of files that have no path of their own, such as the compressed copies of a file.
   */
  constructor(folder: string, page: string, skipped: RegExp) {
    this.#folder = folder;
    if (!existsSync(join(folder, page))) return;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || skipped.test(entry.name)) continue;
      this.#names.add(relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
    }
  }

  /**
   * Returns the reply to a GET or HEAD request for a file; null if there is no such file.
   * @param headers Further headers of the reply.
   */
  answer(request: CallRequest, name: string, headers: Readonly<Record<string, string>> = {}): Reply | null {
    const file = this.#file(name);
    if (!file) return null;
    const coding = request.headers.range
      ? undefined
      : acceptedCodings(request.headers['accept-encoding']).find((each) => file[each] !== null);
    return fileReply(request, {
      status: 200,
      type: contentTypeOf(name),
      sha256: file.sha256,
      coding: coding ?? null,
      bytes: (coding && file[coding]) ?? file.plain,
      headers: { 'cache-control': HASHED.test(name) ? FOREVER : 'no-cache', ...headers },
    });
  }

  #file(name: string): BuiltFile | null {
    const known = this.#files.get(name);
    if (known) return known;
    const path = join(this.#folder, name);
    // The file may not exist any longer, because a later build may have deleted it.
    if (!this.#names.has(name) || !existsSync(path)) return null;
    const plain = readFileSync(path);
    const read = (suffix: string) => (existsSync(path + suffix) ? readFileSync(path + suffix) : null);
    const file = {
      sha256: createHash('sha256').update(plain).digest('hex'),
      plain,
      br: read('.br'),
      gzip: read('.gz'),
    };
    this.#files.set(name, file);
    return file;
  }
}
