import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';

const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** A registry of npm on this machine. */
export interface NpmRegistry {
  readonly url: string;
  close(): Promise<void>;
}

/** A package that is not installed: its package.json and its other files. */
export interface MadePackage {
  readonly manifest: { readonly name: string; readonly version: string } & Record<string, unknown>;
  /** The bytes of the tarball. */
  readonly tarball: Buffer;
}

/**
 * Starts a registry with the packages that this clone has installed, in the form that npm reads ("Package metadata").
 * @param made Further packages.
 */
export async function startNpmRegistry(made: readonly MadePackage[] = []): Promise<NpmRegistry> {
  const server: Server = createServer((request, response) => {
    void answer(request.url ?? '', made, `http://${request.headers.host}`).then(
      (body) => response.end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(path: string, made: readonly MadePackage[], url: string): Promise<Buffer | string> {
  const isTarball = path.endsWith('.tgz');
  const name = decodeURIComponent(path.slice(1).replace(/\.tgz$/, ''));
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name)) throw new Error('no package');
  const known = made.find(({ manifest }) => manifest.name === name);
  const tarball = known ? known.tarball : await packed(name);
  if (isTarball) return tarball;
  const manifest = known?.manifest ?? JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const version = { ...manifest, dist: { integrity, tarball: `${url}/${encodeURIComponent(name)}.tgz` } };
  return JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } });
}

/** Returns the installed package as npm would publish it. */
const packed = (name: string): Promise<Buffer> =>
  buffer(
    create(
      {
        gzip: true,
        cwd: join(packages, name),
        prefix: 'package',
        portable: true,
        filter: (path) => !/^\.\/node_modules(\/|$)/.test(path),
      },
      ['.'],
    ),
  );
