import { maxSatisfying, validRange } from 'semver';
import { ImportError } from './bundle-error.ts';
import { type Downloads, downloadFromRegistry } from './download.ts';
import type { PackageRequest } from './specifier.ts';

/** The documents of a package (JSR, "Registry API"). */
interface PackageMeta {
  readonly latest?: string;
  readonly versions?: Readonly<Record<string, { readonly yanked?: boolean }>>;
}

interface VersionMeta {
  readonly exports?: Readonly<Record<string, string>>;
}

/** Finds modules of JSR packages. */
export class JsrPackages {
  readonly #registry: string;
  readonly #downloads: Downloads;

  constructor(registry: string, downloads: Downloads) {
    this.#registry = registry;
    this.#downloads = downloads;
  }

  /**
   * Returns the address of the module that a specifier names.
   * @throws ImportError
   */
  async find({ name, range, path }: PackageRequest): Promise<string> {
    const meta = await this.#read<PackageMeta>(`${name}/meta.json`);
    const all = Object.entries(meta.versions ?? {}).flatMap(([version, { yanked }]) => (yanked ? [] : [version]));
    const wanted = range === '' ? '*' : range;
    const version =
      validRange(wanted) === null ? null : wanted === '*' && meta.latest ? meta.latest : maxSatisfying(all, wanted);
    if (version === null) throw new ImportError(`JSR has no version of ${name} that fits “${wanted}”.`);
    const { exports = {} } = await this.#read<VersionMeta>(`${name}/${version}_meta.json`);
    const key = path === '' ? '.' : `./${path}`;
    const file = Object.hasOwn(exports, key) ? exports[key] : undefined;
    if (typeof file !== 'string') throw new ImportError(`${name}@${version} exports no “${path === '' ? '.' : path}”.`);
    return new URL(file, `${this.#registry}/${name}/${version}/`).href;
  }

  async #read<T>(path: string): Promise<T> {
    const bytes = await downloadFromRegistry(`${this.#registry}/${path}`, this.#downloads, 'application/json');
    return JSON.parse(bytes.toString('utf8')) as T;
  }
}
