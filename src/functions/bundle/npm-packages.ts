import { createHash } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { maxSatisfying, satisfies, valid, validRange } from 'semver';
import { extract } from 'tar';
import { ImportError } from './bundle-error.ts';
import { type Downloads, downloadFromRegistry } from './download.ts';
import { isPackageName, parsePackage } from './specifier.ts';

/** The parts of a package's document in a registry that an installation needs (npm registry, "Package metadata"). */
interface PackageDocument {
  readonly 'dist-tags'?: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, Manifest>>;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly dist: { readonly tarball: string; readonly integrity?: string };
}

/** A version of a package. */
interface Resolved {
  readonly name: string;
  readonly version: string;
  readonly manifest: Manifest;
}

/** The form of a document that has only what an installation needs. */
const ABBREVIATED = 'application/vnd.npm.install-v1+json';

/**
 * Installs packages of npm into a folder, without running any of their code. Each version has its own folder
 * `<name>@<version>/node_modules/<name>`, with links to its dependencies beside it, so that every package sees exactly
 * the versions that it asks for.
 */
export class NpmPackages {
  readonly #folder: string;
  readonly #registry: string;
  readonly #downloads: Downloads;
  readonly #documents = new Map<string, Promise<PackageDocument>>();
  readonly #installed = new Map<string, Promise<void>>();
  readonly #roots: ReadonlyMap<string, string>;

  /** @param roots Ranges of the packages that the function itself imports. They decide the versions of peer dependencies. */
  constructor(folder: string, registry: string, downloads: Downloads, roots: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#registry = registry;
    this.#downloads = downloads;
    this.#roots = roots;
  }

  /**
   * Installs a package with its dependencies.
   * @returns the folder from which the package can be imported by its name
   * @throws ImportError
   */
  async install(name: string, range: string): Promise<string> {
    const resolved = await this.#resolve(name, range);
    this.#begin(resolved);
    // Each installation adds those of its dependencies.
    for (let count = 0; count < this.#installed.size; ) {
      const all = [...this.#installed.values()];
      count = all.length;
      await Promise.all(all);
    }
    return this.#folderOf(resolved);
  }

  #folderOf({ name, version }: Resolved): string {
    return join(this.#folder, `${name.replace('/', '+')}@${version}`);
  }

  #begin(resolved: Resolved): void {
    const folder = this.#folderOf(resolved);
    if (!this.#installed.has(folder)) this.#installed.set(folder, this.#unpack(resolved, folder));
  }

  async #unpack({ name, manifest }: Resolved, folder: string): Promise<void> {
    const target = join(folder, 'node_modules', name);
    await mkdir(target, { recursive: true });
    const bytes = await downloadFromRegistry(manifest.dist.tarball, this.#downloads);
    requireIntegrity(name, bytes, manifest.dist.integrity);
    await unpackTarball(name, bytes, target, this.#downloads);
    const peers = Object.entries(manifest.peerDependencies ?? {}).filter(
      ([peer]) => manifest.peerDependenciesMeta?.[peer]?.optional !== true || this.#roots.has(peer),
    );
    const dependencies = new Map([
      ...peers.map(([peer, range]) => [peer, this.#roots.get(peer) ?? range] as const),
      ...Object.entries(manifest.dependencies ?? {}),
    ]);
    await Promise.all(
      [...dependencies].map(async ([alias, range]) => {
        const wanted = dependencyOf(alias, range);
        const dependency = await this.#resolve(wanted.name, wanted.range);
        this.#begin(dependency);
        const link = join(folder, 'node_modules', alias);
        await mkdir(dirname(link), { recursive: true });
        // A package may depend on another version of itself.
        await symlink(join(this.#folderOf(dependency), 'node_modules', dependency.name), link).catch(() => undefined);
      }),
    );
  }

  async #resolve(name: string, range: string): Promise<Resolved> {
    const document = await this.#document(name);
    const { 'dist-tags': tags = {}, versions = {} } = document;
    const wanted = range === '' ? 'latest' : range;
    const version = Object.hasOwn(tags, wanted) ? tags[wanted] : newest(Object.keys(versions), wanted, tags.latest);
    const manifest = typeof version === 'string' && Object.hasOwn(versions, version) ? versions[version] : undefined;
    // The version is part of a path.
    if (typeof version !== 'string' || valid(version) === null || manifest === undefined)
      throw new ImportError(`npm has no version of ${name} that fits “${wanted}”.`);
    return { name, version, manifest };
  }

  #document(name: string): Promise<PackageDocument> {
    const known = this.#documents.get(name);
    if (known !== undefined) return known;
    const url = `${this.#registry}/${name.replace('/', '%2F')}`;
    const loading = downloadFromRegistry(url, this.#downloads, ABBREVIATED).then(
      (bytes) => JSON.parse(bytes.toString('utf8')) as PackageDocument,
    );
    this.#documents.set(name, loading);
    return loading;
  }
}

/** npm prefers the version with the tag `latest` if it fits. */
function newest(versions: readonly string[], range: string, latest: string | undefined): string | null {
  if (validRange(range) === null) return null;
  if (latest !== undefined && satisfies(latest, range)) return latest;
  return maxSatisfying(versions, range);
}

/** Reads a dependency: a range, or another package under this name (`npm:name@range`). @throws ImportError */
function dependencyOf(alias: string, range: string): { name: string; range: string } {
  if (!isPackageName(alias)) throw new ImportError(`The dependency “${alias}” is no name of a package.`);
  if (range.startsWith('npm:')) return parsePackage(range.slice('npm:'.length));
  if (validRange(range) !== null || /^[a-z][\w.-]*$/i.test(range)) return { name: alias, range };
  throw new ImportError(`The dependency ${alias}@${range} is not in a registry.`);
}

/** Checks the bytes of a package (Subresource Integrity, section 3.5). @throws ImportError */
function requireIntegrity(name: string, bytes: Buffer, integrity: string | undefined): void {
  const expected = integrity?.split(/\s+/).find((each) => each.startsWith('sha512-'));
  if (expected === undefined) return;
  const actual = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (actual !== expected) throw new ImportError(`The registry sent a package ${name} with a wrong checksum.`);
}

/** Unpacks files and folders only: a link could lead out of the folder. */
async function unpackTarball(name: string, bytes: Buffer, target: string, { count }: Downloads): Promise<void> {
  let failure: unknown = null;
  const unpack = extract({
    cwd: target,
    strip: 1,
    filter: (_path, entry) => {
      if (failure !== null || !('type' in entry)) return false;
      if (entry.type !== 'File' && entry.type !== 'Directory' && entry.type !== 'OldFile') return false;
      try {
        count(entry.size ?? 0);
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    },
  });
  await new Promise<void>((resolve, reject) => {
    unpack.on('close', resolve);
    unpack.on('error', reject);
    unpack.end(bytes);
  }).catch((error: Error) => {
    throw new ImportError(`The package ${name} cannot be unpacked: ${error.message}`);
  });
  if (failure !== null) throw failure;
}
