import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleFault } from '../../../contract/functions.ts';
import { limits } from '../../../contract/limits.ts';
import type { AllowedNetwork } from '../../jobs/public-address.ts';
import { killGroup, useOf } from '../host/processes.ts';
import { BundleError } from './bundle-error.ts';
import type { Bundle, FunctionCode, Registries } from './bundle-function.ts';

/** The message to the process of a deployment. */
export interface BundleRequest {
  readonly code: FunctionCode;
  readonly registries: Registries;
  readonly httpAllowed: readonly AllowedNetwork[];
  /** An empty folder for packages. */
  readonly folder: string;
}

/** The answer of the process: a bundle, faults of the code, or the text of another error. */
export type BundleReply =
  | { readonly bundle: Bundle }
  | { readonly faults: readonly BundleFault[] }
  | { readonly error: string };

/** How processes of deployments are started. */
export interface BundleProcesses {
  /** The built file of the process. */
  readonly entry: URL;
  /** The file of further certificate authorities that Node.js trusts; null without one. */
  readonly certificates: string | null;
  readonly registries: Registries;
  readonly httpAllowed: readonly AllowedNetwork[];
}

/** Milliseconds of a second. */
const MILLISECONDS = 1000;
/** Interval of the checks of memory. */
const CHECK_MILLISECONDS = 200;
/** Memory of the process and of esbuild together: several times that of the largest packages. */
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;
/** Part of it that JavaScript objects of the process may use. */
const HEAP_MEBIBYTES = 512;

/**
 * Bundles a function in a process of its own, which ends with the deployment. Code can take all memory and all stack of esbuild, and must
 * not take the deployments of other apps with it.
 * @throws BundleError
 */
export async function bundleInProcess(
  { entry, certificates, registries, httpAllowed }: BundleProcesses,
  code: FunctionCode,
): Promise<Bundle> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ninefold-bundle-')));
  const child = fork(fileURLToPath(entry), {
    env: certificates === null ? {} : { NODE_EXTRA_CA_CERTS: certificates },
    execArgv: [`--max-old-space-size=${HEAP_MEBIBYTES}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // A group of its own, which ends with esbuild in it.
    detached: true,
  });
  try {
    return await replyOf(child, { code, registries, httpAllowed, folder });
  } finally {
    killGroup(child.pid);
    await rm(folder, { recursive: true, force: true });
  }
}

function replyOf(child: ChildProcess, request: BundleRequest): Promise<Bundle> {
  const seconds = limits.functionBundleSeconds.default;
  return new Promise<Bundle>((resolve, reject) => {
    const fail = (message: string) => reject(new BundleError([{ file: null, line: null, message }]));
    const tooLarge = () => fail('Bundling the code takes too much memory, or the code nests too deeply.');
    const timer = setTimeout(() => fail(`Bundling took longer than ${seconds} seconds.`), seconds * MILLISECONDS);
    const check = setInterval(() => {
      if (memoryOf(child.pid) > MAX_MEMORY_BYTES) tooLarge();
    }, CHECK_MILLISECONDS);
    child.once('message', (reply: BundleReply) => {
      if ('bundle' in reply) resolve(reply.bundle);
      else if ('faults' in reply) reject(new BundleError(reply.faults));
      else reject(new Error(reply.error));
    });
    child.once('error', reject);
    child.once('exit', tooLarge);
    child.once('close', () => {
      clearTimeout(timer);
      clearInterval(check);
    });
    child.send(request, () => undefined);
  });
}

/** Memory of a process and its children; 0 where it cannot be measured. */
function memoryOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + (useOf(each)?.memoryBytes ?? 0), 0);
}

/** See proc_pid_task(5). */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
