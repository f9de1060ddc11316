import { expect } from 'vitest';
import { cli, type NodeAddress } from './node.ts';

/** Runs a command of the CLI and returns its output. Fails if the exit code is not `code`. */
export async function printed(node: NodeAddress, args: string[], code = 0): Promise<string> {
  const result = await cli(node, args);
  expect([result.code, result.stderr], args.join(' ')).toEqual([code, code === 2 ? expect.anything() : '']);
  return result.stdout;
}
