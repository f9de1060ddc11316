import type { BundleFault } from '../../../contract/functions.ts';

/** Error of code that cannot be bundled. The messages are for the builder. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  readonly faults: readonly BundleFault[];

  constructor(faults: readonly BundleFault[]) {
    super(faults.map(({ message }) => message).join('\n'));
    this.faults = faults;
  }
}

/** Error of one import. The bundler adds file and line. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
