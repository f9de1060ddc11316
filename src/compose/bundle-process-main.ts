import { rmSync } from 'node:fs';
import process from 'node:process';
import { BundleError } from '../functions/bundle/bundle-error.ts';
import { bundleFunction } from '../functions/bundle/bundle-function.ts';
import type { BundleReply, BundleRequest } from '../functions/bundle/bundle-process.ts';
import { AddressPolicy } from '../jobs/public-address.ts';

/** The entry of the process that bundles one version of an edge function. The worker that started it ends it. */

process.once('message', (request: BundleRequest) => {
  // The worker deletes the folder, unless it was killed.
  process.once('disconnect', () => {
    rmSync(request.folder, { recursive: true, force: true });
    process.exit();
  });
  void reply(request).then((message) => process.send?.(message));
});

async function reply({ code, registries, httpAllowed, folder }: BundleRequest): Promise<BundleReply> {
  try {
    return { bundle: await bundleFunction(code, { ...registries, policy: new AddressPolicy(httpAllowed), folder }) };
  } catch (error) {
    if (error instanceof BundleError) return { faults: error.faults };
    const { stack, message } = error as Error;
    return { error: stack ?? message };
  }
}
