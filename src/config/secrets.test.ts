import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { ensureSecrets, readOperatorToken } from './secrets.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ninefold-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const file = (name: string) => join(home, 'secrets', name);

describe('ensureSecrets', () => {
  it('creates secrets that only this user can read, and uses them again at the next start', () => {
    const secrets = ensureSecrets(home);
    expect(secrets.masterKey).toHaveLength(32);
    expect(ensureSecrets(home)).toEqual(secrets);
    expect(readOperatorToken(home)).toBe(secrets.operatorToken);
    expect(statSync(join(home, 'secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(file('master-key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(file('postgres-password'), 'utf8').trim()).toBe(secrets.postgresPassword);
    expect(readdirSync(join(home, 'secrets')).sort()).toEqual(['master-key', 'operator-token', 'postgres-password']);
  });

  it('reports a home that cannot be written', () => {
    const path = join(home, 'file');
    writeFileSync(path, '');
    expect(() => ensureSecrets(path)).toThrow(/cannot be written.*NINEFOLD_HOME/);
  });

  it('accepts a master key with or without line end and padding', () => {
    const { masterKey } = ensureSecrets(home);
    for (const text of [masterKey.toString('base64url'), `${masterKey.toString('base64url')}=\r\n`]) {
      writeFileSync(file('master-key'), text);
      expect(ensureSecrets(home).masterKey).toEqual(masterKey);
    }
  });

  it.each([
    ['is empty', ''],
    ['is a line end', '\n'],
    ['lost its end', 'c2hvcnQ'],
    ['is longer than a key', 'A'.repeat(60)],
    ['is no base64url', '!'.repeat(43)],
    ['is base64url with something in it', `${'A'.repeat(20)} ${'A'.repeat(23)}`],
  ])('rejects a master key that %s with one sentence, and does not change the file', (_, text) => {
    ensureSecrets(home);
    writeFileSync(file('master-key'), text);
    expect(() => ensureSecrets(home)).toThrow(ConfigError);
    expect(() => ensureSecrets(home)).toThrow(/master-key .*restore it from a backup/);
    expect(readFileSync(file('master-key'), 'utf8')).toBe(text);
  });

  it('rejects a folder in the place of the master key', () => {
    mkdirSync(file('master-key'), { recursive: true });
    expect(() => ensureSecrets(home)).toThrow(/master-key is a folder/);
  });

  it.skipIf(process.getuid?.() === 0)('rejects a master key that this user may not read', () => {
    ensureSecrets(home);
    chmodSync(file('master-key'), 0);
    expect(() => ensureSecrets(home)).toThrow(/master-key cannot be read \(EACCES\)/);
  });

  it.each(['master-key', 'postgres-password'])('does not replace a missing %s if a data folder exists', (name) => {
    ensureSecrets(home);
    rmSync(file(name));
    mkdirSync(join(home, 'postgres'));
    writeFileSync(join(home, 'postgres/PG_VERSION'), '18');
    expect(() => ensureSecrets(home)).toThrow(/is missing, and the data folder .*restore it from a backup/);
    rmSync(join(home, 'postgres'), { recursive: true });
    symlinkSync(join(home, 'nowhere'), join(home, 'postgres'));
    expect(() => ensureSecrets(home)).toThrow(ConfigError);
    expect(readdirSync(join(home, 'secrets'))).not.toContain(name);
  });

  it('creates a new operator token, because no data depends on it', () => {
    const { operatorToken } = ensureSecrets(home);
    rmSync(file('operator-token'));
    mkdirSync(join(home, 'postgres/base'), { recursive: true });
    expect(ensureSecrets(home).operatorToken).not.toBe(operatorToken);
  });
});
