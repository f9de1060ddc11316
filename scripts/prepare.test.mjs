import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root;
const installed = () => existsSync(join(root, 'node_modules/kept'));

/** A clone whose packages were installed from another lock file, and by another version of Node.js. */
beforeEach(() => {
  mkdirSync('.tmp/tests', { recursive: true });
  root = realpathSync(mkdtempSync('.tmp/tests/prepare-'));
  for (const folder of ['bin', 'scripts']) cpSync(folder, join(root, folder), { recursive: true });
  cpSync('package.json', join(root, 'package.json'));
  mkdirSync(join(root, 'node_modules/kept'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {} } }));
  writeFileSync(
    join(root, 'node_modules/.ninefold-installed'),
    JSON.stringify({ lock: 'another', platform: 'plan9 vax', node: '98.7.6' }),
  );
});

afterEach(() => rmSync(root, { recursive: true }));

/** Runs a command in the clone. The address of the registry refuses connections, so a failed connection shows that npm was started. */
function run(command, env = {}) {
  const { npm_lifecycle_event: _, ...inherited } = process.env;
  return spawnSync(process.execPath, command, {
    cwd: root,
    encoding: 'utf8',
    env: { ...inherited, npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0', ...env },
  });
}

describe('a command that is not npm start or npm test', () => {
  it.each([
    [['bin/ninefold.js', 'status']],
    [['bin/ninefold.js', 'apps', 'list']],
    [['bin/ninefold.js', 'start']],
    [['scripts/build.mjs']],
    [['scripts/check.mjs']],
  ])('%j reports who installed the packages and how to continue, and does not change them', (command) => {
    const { status, stderr } = run(command);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('installed by Node.js 98.7.6 on plan9 vax');
    expect(stderr).toContain('run npm start');
    expect(status).toBe(1);
    expect(installed()).toBe(true);
  });

  it('reports that a new clone has no packages yet', () => {
    rmSync(join(root, 'node_modules'), { recursive: true });
    const { status, stderr } = run(['bin/ninefold.js', 'status']);
    expect(stderr).toMatch(/^The packages of Ninefold are not installed in .* run npm start/);
    expect(status).toBe(1);
    expect(existsSync(join(root, 'node_modules'))).toBe(false);
  });
});

describe('npm start', () => {
  const start = { npm_lifecycle_event: 'start' };

  it('does not replace the packages of a node that runs from this folder, and names its process', async () => {
    const node = "import { registerRunning } from './scripts/running-nodes.mjs'; registerRunning('.'); console.log();";
    const running = spawn(process.execPath, ['--input-type=module', '-e', `${node} setInterval(() => 0, 1e6)`], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(running.stdout, 'data');
    const { status, stderr } = run(['bin/ninefold.js', 'start'], start);
    running.kill('SIGKILL');
    await once(running, 'exit');
    expect(stderr).toContain(`a Ninefold runs from this folder (pid ${running.pid}): stop it first`);
    expect(status).toBe(1);
    expect(installed()).toBe(true);
    // A killed node does not delete its record. This record must not block anything.
    expect(run(['bin/ninefold.js', 'start'], start).stderr).not.toContain('a Ninefold runs');
    expect(readdirSync(join(root, '.tmp/running'))).toEqual([]);
  });
});
