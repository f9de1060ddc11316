import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { choosePort } from './port.ts';

let home: string;
let occupier: Server | undefined;

beforeEach(async () => {
  home = await makeTestFolder('port');
});

afterEach(() => occupier?.close());

async function occupy(port: number): Promise<number> {
  occupier = createServer().listen(port, '127.0.0.1');
  await once(occupier, 'listening');
  const address = occupier.address();
  return typeof address === 'object' && address ? address.port : 0;
}

it('choosePort reuses the chosen port, because clients store it', async () => {
  const port = await choosePort(home, 0);
  expect(await choosePort(home, 0)).toBe(port);
});

it('choosePort chooses another port if the previous one is in use', async () => {
  const port = await choosePort(home, 0);
  await occupy(port);
  const other = await choosePort(home, 0);
  expect(other).not.toBe(port);
  expect(await choosePort(home, 0)).toBe(other);
});

it('choosePort chooses another port if the previous one is reserved for the node', async () => {
  const port = await choosePort(home, 0);
  expect(await choosePort(home, 0, port)).not.toBe(port);
});

it('choosePort reports which fixed port is in use', async () => {
  const port = await occupy(0);
  await expect(choosePort(home, port)).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken by another program`);
});
