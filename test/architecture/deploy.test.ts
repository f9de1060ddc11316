import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environment, fileVariable, limitVariables, type Variable } from '../../contract/environment.ts';
import { clone } from '../support/clone.ts';

const folder = join(clone, 'deploy');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const isInstalled = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;

describe('the files in deploy', () => {
  it('set only variables that a node reads', () => {
    const variables = [...Object.values<Variable>(environment), ...Object.values<Variable>(limitVariables)];
    const known = new Set(
      variables.flatMap(({ name, mayBeFile }) => (mayBeFile ? [name, fileVariable(name)] : [name])),
    );
    // compose.yaml publishes the load balancer at this address.
    known.add('NINEFOLD_LISTEN');
    const named = files.flatMap((file) => readFileSync(file, 'utf8').match(/\bNINEFOLD_[A-Z_]+\b/g) ?? []);
    expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
  });

  it('have the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
    const chart = readFileSync(join(folder, 'helm/ninefold/Chart.yaml'), 'utf8');
    expect(chart).toContain(`\nversion: ${version}\n`);
    expect(chart).toContain(`\nappVersion: ${version}\n`);
    expect(readFileSync(join(folder, 'systemd/ninefold.service'), 'utf8')).toContain(`ninefold-${version}.tgz`);
  });

  it.runIf(isInstalled('helm', 'version'))('are a chart that Helm renders for each kind of database', () => {
    const storage = 'storage.url=s3://files,storage.existingSecret=s3';
    for (const set of [storage, `database.kind=url,database.existingSecret=db,${storage}`, 'database.kind=embedded']) {
      const values = ['--set', `url=https://backend.example.com,${set}`, '--kube-version', '1.32.0'];
      const { status, stderr } = spawnSync('helm', ['template', 'backend', join(folder, 'helm/ninefold'), ...values]);
      expect([status, stderr.toString()]).toEqual([0, '']);
    }
  });
});
