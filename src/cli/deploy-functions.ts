import { setTimeout as delay } from 'node:timers/promises';
import type { BundleFault, DeployFunction, EdgeFunction } from '../../contract/functions.ts';
import { CliError, type Client } from './client.ts';
import type { FoundFunction } from './function-files.ts';
import { bytesInWords } from './print.ts';

/** How often a deployment is sent while others occupy the node, and how long it waits between. */
const ATTEMPTS = 60;
const PAUSE_MILLISECONDS = 3000;

/** The result of one deployment. */
export interface Deployed {
  readonly name: string;
  /** One line for the user. */
  readonly line: string;
  readonly isDeployed: boolean;
}

/** Deploys functions one after the other. A function that cannot be deployed does not stop the others. */
export async function deployFunctions(
  client: Client,
  ref: string,
  functions: readonly FoundFunction[],
  onDeployed: (deployed: Deployed) => void = () => undefined,
): Promise<Deployed[]> {
  const results: Deployed[] = [];
  for (const { name, fault, ...body } of functions) {
    const deployed =
      fault === undefined
        ? await deployOne(client, ref, name, body)
        : { name, isDeployed: false, line: `${name}  not deployed:\n  ${fault}` };
    results.push(deployed);
    onDeployed(deployed);
  }
  return results;
}

async function deployOne(client: Client, ref: string, name: string, body: DeployFunction): Promise<Deployed> {
  try {
    const response = await whenFree(() =>
      client.send('PUT', `/apps/${encodeURIComponent(ref)}/functions/${name}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    const { versions, verify_jwt: verifies } = (await response.json()) as EdgeFunction;
    const [version] = versions;
    const callers = verifies ? 'callers need a key or token' : 'open to all callers';
    return {
      name,
      isDeployed: true,
      line: `${name}  version ${version?.number}, ${bytesInWords(version?.bytes ?? 0)}, ${callers}`,
    };
  } catch (error) {
    if (!(error instanceof CliError) || error.code === null) throw error;
    return { name, isDeployed: false, line: `${name}  not deployed:\n${faultsOf(error)}` };
  }
}

/** Sends a deployment again while deployments of other apps occupy the node, for some minutes. */
async function whenFree<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'function_busy' || attempt === ATTEMPTS) throw error;
      await delay(PAUSE_MILLISECONDS);
    }
  }
}

function faultsOf({ details, message }: CliError): string {
  const faults: readonly BundleFault[] = Array.isArray(details) ? (details as BundleFault[]) : [];
  if (faults.length === 0 || faults.some((fault) => fault?.message === undefined)) return `  ${message}`;
  return faults
    .map(
      ({ file, line, message: text }) =>
        `  ${file === null ? '' : `${file}${line === null ? '' : `:${line}`}  `}${text}`,
    )
    .join('\n');
}
